"""An app with Lock=session where logind cannot be asked, or not always. With the real one: systemd/test_lock.py."""

import contextlib
import os
import socket

import pytest
from calls import Watcher, sign_in
from daemon import Daemon
from fake_logind import STRANGER, FakeLogind
from scene import CallFailed
from scenes import eventually


@contextlib.contextmanager
def dead_bus(path):
    """Nobody listens there."""
    yield


@contextlib.contextmanager
def hung_bus(path):
    """Takes connections, and never answers."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(8)
        yield


@contextlib.contextmanager
def full_bus(path):
    """Not even takes connections: a connect that waits would wait for ever."""
    with contextlib.ExitStack() as held:
        listener = held.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(path)
        listener.listen(0)
        with contextlib.suppress(BlockingIOError):
            while True:
                waiting = held.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(path)
        yield


@pytest.mark.parametrize("bus", [dead_bus, hung_bus, full_bus])
def test_without_logind(directory, scripted, bus):
    """Nothing waits for the bus; calls lock, and nothing unlocks before it is known that the screen is not locked."""
    path = f"{directory}/bus"
    with bus(path):
        daemon = Daemon(f"{directory}/0", {"notes": scripted.configuration(Lock="session")},
                        environment={"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={path}"})
        daemon.start()
        try:
            sign_in(daemon, "alice")
            scene = Watcher(daemon)
            with daemon.connect() as connection:
                status = connection.call("org.scened.Manager.GetStatus")
                assert any("logind" in problem or "bus" in problem for problem in status["problems"])
            daemon.call("Lock")
            assert scene.until(scene.at["sequence"] + 1)[-1]["kind"] == "locked"
            for method in ("Unlock", "GetAccessToken"):
                with pytest.raises(CallFailed) as refused:
                    daemon.call(method)
                assert refused.value.name == {"Unlock": "AccessDenied", "GetAccessToken": "SessionLocked"}[method]
            # The app asks for it no more.
            daemon.configure("notes", scripted.configuration())
            with daemon.connect() as connection:
                connection.call("org.scened.Manager.Reload")
                status = connection.call("org.scened.Manager.GetStatus")
                assert not [p for p in status["problems"] if "logind" in p or "bus" in p]
            daemon.call("Unlock")
            assert daemon.call("GetAccessToken")["token"]["value"]
            scene.close()
        finally:
            assert daemon.close() == 0


@pytest.fixture
def logind(directory):
    logind = FakeLogind(f"{directory}/bus")
    logind.session("c1")
    logind.open()
    yield logind
    logind.close()


@pytest.fixture
def daemon(directory, scripted, logind):
    daemon = Daemon(f"{directory}/0", {"notes": scripted.configuration(Lock="session")},
                    environment={"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={logind.path}"})
    daemon.start()
    sign_in(daemon, "alice")
    yield daemon
    assert daemon.close() == 0


def problems(daemon):
    return daemon.manager("GetStatus")["problems"]


def follows(scene, *wanted):
    """The next events are these, by the screen."""
    events = scene.until(scene.at["sequence"] + len(wanted))[-len(wanted):]
    assert [(event["kind"], event["reason"]) for event in events] == [(kind, "screen") for kind in wanted]


def test_the_bus_goes_and_comes_back(daemon, logind):
    """What was locked stays locked meanwhile, and what happened meanwhile is found out."""
    eventually(lambda: not problems(daemon), 30, "logind's answer")
    scene = Watcher(daemon)
    logind.hint("c1", True)
    follows(scene, "locked")
    logind.close()
    eventually(lambda: problems(daemon), 30, "the loss")
    with pytest.raises(CallFailed, match="AccessDenied"):
        daemon.call("Unlock")
    logind.sessions["c1"]["LockedHint"] = False
    logind.open()
    follows(scene, "unlocked")
    assert not problems(daemon)
    logind.close()
    eventually(lambda: problems(daemon), 30, "the loss")
    logind.sessions["c1"]["LockedHint"] = True
    logind.open()
    follows(scene, "locked")
    logind.say("Unlock", "c1")
    follows(scene, "unlocked")
    assert daemon.stderr().count("Whether screens are locked") == 2
    scene.close()


def test_forged_signals_are_passed_over(daemon, logind):
    eventually(lambda: not problems(daemon), 30, "logind's answer")
    scene = Watcher(daemon)
    logind.say("Lock", "c1", sender=STRANGER)
    logind.hint("c1", True, sender=STRANGER)
    logind.say("Lock", "c1")
    follows(scene, "locked")
    logind.say("Unlock", "c1", sender=STRANGER)
    logind.hint("c1", False, sender=STRANGER)
    logind.hint("c1", True)
    logind.say("Unlock", "c1")
    follows(scene, "unlocked")
    # Had a stranger's word counted, there would be more.
    assert [event["kind"] for event in scene.events] == ["locked", "unlocked"]
    scene.close()


@pytest.mark.parametrize("method", ["ListSessions", "GetAll"])
def test_logind_does_not_answer(daemon, logind, method):
    """It is asked again, from the beginning, and meanwhile nothing is unlocked."""
    eventually(lambda: not problems(daemon), 30, "logind's answer")
    scene = Watcher(daemon)
    logind.hint("c1", True)
    follows(scene, "locked")
    logind.refused = {method}
    logind.sessions["c1"]["LockedHint"] = False
    logind.close()
    logind.asked.clear()
    logind.open()
    logind.wait_asked(method, 2)
    assert problems(daemon)
    with pytest.raises(CallFailed, match="SessionLocked"):
        daemon.call("GetAccessToken")
    logind.refused = set()
    follows(scene, "unlocked")
    scene.close()


def test_a_bus_that_is_none(daemon, logind):
    """What comes makes no sense: it is hung up on, and tried again."""
    eventually(lambda: not problems(daemon), 30, "logind's answer")
    scene = Watcher(daemon)
    logind.asked.clear()
    logind.raw(os.urandom(1 << 16))
    logind.wait_asked("ListSessions")
    eventually(lambda: not problems(daemon), 30, "logind's answer")
    logind.hint("c1", True)
    follows(scene, "locked")
    scene.close()
