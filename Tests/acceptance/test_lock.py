"""An app with Lock=session where logind cannot be asked. With logind: systemd/test_lock.py."""

import contextlib
import socket

import pytest
from calls import Watcher, sign_in
from daemon import Daemon
from scene import CallFailed


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
