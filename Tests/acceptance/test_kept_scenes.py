"""Scenes and monitors that a service manager keeps over a restart, also when what they are kept with has changed."""

import contextlib
import select
import shutil
import socket
import threading

import pytest
from descriptor_store import KeepingDaemon
from scenes import eventually


@pytest.fixture
def keeping(directory, scripted):
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration()}).start()
    yield daemon
    assert daemon.close() == 0, daemon.stderr()


def lock_and_unlock(daemon, times):
    with daemon.connect() as connection:
        for _ in range(times):
            connection.call("Lock", app="notes")
            connection.call("Unlock", app="notes")


def test_an_older_copy_of_the_state_is_a_gap_and_not_silence(keeping, directory):
    with keeping.scene() as scene:
        scene.id
        lock_and_unlock(keeping, 1)
        keeping.stop()
        shutil.copytree(keeping.state, f"{directory}/copy")
        keeping.start()
        lock_and_unlock(keeping, 10)
        newest = keeping.call("ListAccounts")["at"]["sequence"]
        scene.wait_cursor(newest)
        keeping.stop()
        shutil.rmtree(keeping.state)
        shutil.copytree(f"{directory}/copy", keeping.state)
        keeping.start()
        assert keeping.manager("GetStatus")["restoredScenes"] == 1

        lock_and_unlock(keeping, 1)
        after = keeping.call("ListAccounts")["at"]["sequence"]
        assert after < newest
        eventually(lambda: scene.events[-1]["at"]["sequence"] == after, 10, "the scene hears of what happens")
        snapshot, *later = scene.events[-3:]
        assert (snapshot["kind"], snapshot["gap"]) == ("snapshot", True)
        assert [event["kind"] for event in later] == ["locked", "unlocked"]
        assert scene.closed is None and keeping.manager("ListScenes")["scenes"][0]["backlog"] == 0


class Watcher:
    """A Monitor call: what it is told, and whether it was cut off."""

    def __init__(self, daemon, **parameters):
        self.told, self.closed = [], False
        self._connection = daemon.connect(timeout=None)
        self._connection.send("org.scened.Manager.Monitor", parameters, more=True)
        # The call has been taken when another that came after it is answered.
        daemon.manager("GetStatus")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        try:
            while True:
                self.told.append(self._connection.reply()[0])
        except (OSError, ConnectionError):
            self.closed = True

    def of(self, app):
        return [(told["event"]["kind"], told["event"]["at"]["sequence"]) for told in self.told if told["app"] == app]

    def wait(self, app, sequence):
        eventually(lambda: self.of(app)[-1:] and self.of(app)[-1][1] == sequence, 20, f"{app} {sequence}")

    def close(self):
        self._connection.socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(20)
        self._connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def kept(daemon, count):
    eventually(lambda: sum(name == "scene" for name, _ in daemon.kept) == count, 20, f"{count} connections are kept")


@pytest.fixture
def two_apps(directory, scripted):
    apps = {name: scripted.configuration(name) for name in ("notes", "mail")}
    daemon = KeepingDaemon(f"{directory}/0", apps).start()
    yield daemon
    assert daemon.close() == 0, daemon.stderr()


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_a_monitor_goes_on_over_restarts(two_apps, how):
    daemon = two_apps
    lock_and_unlock(daemon, 2)
    with Watcher(daemon) as all_apps, Watcher(daemon, app="mail") as one_app:
        kept(daemon, 2)
        for round in range(4):
            daemon.call("Lock", app="notes")
            daemon.call("Lock", app="mail")
            all_apps.wait("notes", 5 + 2 * round)
            for watcher in all_apps, one_app:
                watcher.wait("mail", 1 + 2 * round)
            getattr(daemon, how)()
            daemon.start()
            daemon.call("Unlock", app="mail")
            daemon.call("Unlock", app="notes")
        all_apps.wait("notes", 12)
        mail = list(zip(["locked", "unlocked"] * 4, range(1, 9)))
        for watcher in all_apps, one_app:
            watcher.wait("mail", 8)
            assert not watcher.closed and watcher.of("mail") == mail
        assert one_app.of("notes") == []
        assert all_apps.of("notes") == list(zip(["locked", "unlocked"] * 4, range(5, 13)))
        assert len({told["event"]["at"]["epoch"] for told in all_apps.told if told["app"] == "notes"}) == 1
    # What the service manager still has of them has hung up, so that it lets go by itself.
    eventually(lambda: all(hung_up(number) for name, number in daemon.kept if name == "scene"), 20, "their end")


def hung_up(descriptor):
    poll = select.poll()
    poll.register(descriptor, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def test_a_monitor_hears_what_happened_while_nobody_was_there(two_apps):
    daemon = two_apps
    with Watcher(daemon) as watcher, daemon.scene() as scene:
        call = scene.log_in()
        call.wait_progress("presenting")
        watcher.wait("notes", 1)
        kept(daemon, 2)
        # The login itself cannot go on.
        daemon.kill()
        daemon._drop([one for one in daemon.kept if one[0].startswith("login-")])
        daemon.start()
        watcher.wait("notes", 2)
        assert [kind for kind, _ in watcher.of("notes")] == ["loginStarted", "loginEnded"]
        assert not watcher.closed


def test_a_monitor_that_stopped_reading_ends_with_the_restart(two_apps):
    """Part of a message may be with it: it is no more than closed, and the others go on."""
    daemon = two_apps
    with Watcher(daemon) as good, daemon.connect() as stopped:
        stopped.send("org.scened.Manager.Monitor", {}, more=True)
        kept(daemon, 2)
        lock_and_unlock(daemon, 1500)
        good.wait("notes", 3000)
        daemon.kill()
        daemon.start()
        daemon.call("Lock")
        good.wait("notes", 3001)
        assert [sequence for _, sequence in good.of("notes")] == list(range(1, 3002))
        received = []
        with pytest.raises(ConnectionError):
            while True:
                received.append(stopped.reply()[0]["event"]["at"]["sequence"])
        assert received == list(range(1, len(received) + 1)) and len(received) < 3000


def test_a_monitor_of_an_older_copy_of_the_state(two_apps, directory):
    daemon = two_apps
    with Watcher(daemon) as watcher:
        lock_and_unlock(daemon, 1)
        daemon.stop()
        shutil.copytree(daemon.state, f"{directory}/copy")
        daemon.start()
        lock_and_unlock(daemon, 10)
        watcher.wait("notes", 22)
        kept(daemon, 1)
        daemon.stop()
        shutil.rmtree(daemon.state)
        shutil.copytree(f"{directory}/copy", daemon.state)
        daemon.start()
        daemon.call("Lock")
        watcher.wait("notes", 3)
        snapshot, locked = watcher.told[-2:]
        assert (snapshot["event"]["kind"], snapshot["event"]["gap"]) == ("snapshot", True)
        assert locked["event"]["kind"] == "locked" and not watcher.closed


def test_what_comes_behind_a_kept_monitor_ends_it(two_apps):
    daemon = two_apps
    with daemon.connect() as connection:
        connection.send("org.scened.Manager.Monitor", {}, more=True)
        kept(daemon, 1)
        daemon.kill()
        daemon.start()
        connection.send("org.scened.Manager.GetStatus")
        with pytest.raises(ConnectionError):
            connection.reply()


def test_monitors_lose_and_repeat_nothing_in_crashes_under_load(two_apps):
    """One that a message was on its way to may end with the crash; each that does not has every event once."""
    daemon, apps = two_apps, ("notes", "mail")
    stop = threading.Event()

    def switch(app):
        while not stop.is_set():
            for method in "Lock", "Unlock":
                with contextlib.suppress(OSError):
                    daemon.call(method, app=app)

    watchers = []
    switching = [threading.Thread(target=switch, args=[app]) for app in apps]
    try:
        for thread in switching:
            thread.start()
        for _ in range(15):
            watchers += [Watcher(daemon) for _ in range(3)]
            told = len(watchers[-1].told)
            eventually(lambda: len(watchers[-1].told) > told + 5, 20, "events")
            daemon.kill()
            daemon.start()
        stop.set()
        for thread in switching:
            thread.join()
        newest = {app: daemon.call("ListAccounts", app=app)["at"]["sequence"] for app in apps}
        alive = 0
        for watcher in watchers:
            eventually(lambda: watcher.closed or all(watcher.of(app)[-1][1] == newest[app] for app in apps), 20, newest)
            for app in apps:
                sequences = [sequence for _, sequence in watcher.of(app)]
                assert sequences == list(range(sequences[0], sequences[-1] + 1)) if sequences else watcher.closed
            alive += not watcher.closed
        print(f"{alive} of {len(watchers)} monitors were kept")
    finally:
        stop.set()
        for watcher in watchers:
            watcher.close()
