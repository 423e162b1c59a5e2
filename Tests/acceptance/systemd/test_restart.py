"""A restart is no event: scenes stay connected, and a login goes on, over restarts, crashes and upgrades."""

import json
import os
import resource
import selectors
import shutil
import signal
import socket
import threading

import pytest
from machine import ROOT, run
from scene import CallFailed, call
from scenes import Scene, eventually
from visitor import Visitor

APP = "notes"


class Followers:
    """Many scenes in one thread: what each was sent, byte by byte, and whether it was cut off."""

    def __init__(self, path, count):
        self.received = [bytearray() for _ in range(count)]
        self.closed = set()
        self._selector = selectors.DefaultSelector()
        self._sockets = []
        for number in range(count):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(path)
            message = {"method": "org.scened.Session.ConnectScene", "parameters": {"app": APP}, "more": True}
            connection.sendall(json.dumps(message).encode() + b"\0")
            self._selector.register(connection, selectors.EVENT_READ, number)
            self._sockets.append(connection)
        self._stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stopped:
            for key, _ in self._selector.select(0.2):
                chunk = b""
                try:
                    chunk = key.fileobj.recv(1 << 16)
                except OSError:
                    pass
                if chunk:
                    self.received[key.data] += chunk
                else:
                    self.closed.add(key.data)
                    self._selector.unregister(key.fileobj)

    def events(self, number):
        return [json.loads(frame)["parameters"]["event"] for frame in bytes(self.received[number]).split(b"\0")[:-1]]

    def last(self, number):
        """The sequence of the newest event that is here whole, without reading all."""
        frames = bytes(self.received[number][-4096:]).split(b"\0")
        return json.loads(frames[-2])["parameters"]["event"]["at"]["sequence"] if len(frames) > 1 else -1

    def wait(self, sequence, timeout=60):
        def arrived():
            return all(n in self.closed or self.last(n) >= sequence for n in range(len(self.received)))
        eventually(arrived, timeout, f"event {sequence} at every scene that is connected")

    def close(self):
        self._stopped = True
        self._thread.join()
        for connection in self._sockets:
            connection.close()


def sign_in(path, user):
    with Scene(path, APP) as scene:
        login = scene.log_in("Login")
        Visitor(user).sign_in(login.wait_progress("presenting")["loginScreen"])
        return login.wait()["progress"]["account"]["id"]


def persistently(path, method, **parameters):
    """A call that is made again when the daemon went away under it, as SceneSession does."""
    for _ in range(200):
        try:
            return call(path, method, app=APP, **parameters)
        except (OSError, ConnectionError):
            pass
    raise AssertionError(f"no answer to {method}")


def restart(unit, how):
    before = unit.pid
    if how == "kill":
        os.kill(before, signal.SIGKILL)
    elif how == "upgrade":
        shutil.copy("/usr/local/bin/scened", "/usr/local/bin/scened.new")
        os.rename("/usr/local/bin/scened.new", "/usr/local/bin/scened")
        unit.systemctl("restart", "scened.service")
    else:
        unit.systemctl("restart", "scened.service")
    eventually(lambda: unit.show("ActiveState") == "active" and unit.pid not in (0, before), 30, "the new process")


@pytest.fixture
def unit(system):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    return system


@pytest.mark.timeout(300)
def test_scenes_stay_connected_while_accounts_switch(unit, dot):
    alice, bob = sign_in(unit.socket, "alice"), sign_in(unit.socket, "bob")
    followers = Followers(unit.socket, 1000)
    try:
        followers.wait(0)
        stop = threading.Event()
        switches = []

        def switch():
            while not stop.is_set():
                for account in alice, bob:
                    switches.append(persistently(unit.socket, "SwitchAccount", account=account)["at"]["sequence"])

        switching = threading.Thread(target=switch)
        switching.start()
        for number in range(10):
            eventually(lambda: len(switches) > 3 * number, 30, "switches")
            restart(unit, ["restart", "kill", "upgrade"][number % 3])
        stop.set()
        switching.join()
        followers.wait(switches[-1])
        kept = [n for n in range(1000) if n not in followers.closed]
        # A message that was on its way when the process was killed may cut a scene off; an idle one never.
        assert len(kept) >= 990, f"{1000 - len(kept)} scenes were cut off"
        for number in kept:
            events = followers.events(number)
            sequences = [event["at"]["sequence"] for event in events]
            assert sequences == list(range(sequences[0], switches[-1] + 1)), f"scene {number}"
            assert not any(event.get("gap") for event in events) and len({e["at"]["epoch"] for e in events}) == 1
        status = call(unit.socket, "org.scened.Manager.GetStatus")
        assert status["restoredScenes"] >= 990 and status["scenes"] >= 990
    finally:
        followers.close()


@pytest.mark.parametrize("how", ["restart", "kill", "upgrade"])
def test_idle_scenes_notice_nothing(unit, dot, how):
    sign_in(unit.socket, "alice")
    followers = Followers(unit.socket, 50)
    try:
        followers.wait(0)
        # What is kept is told to the service manager by a thread of the daemon's own.
        eventually(lambda: int(unit.show("NFileDescriptorStore")) >= 51, 30, "the store")
        before = [bytes(received) for received in followers.received]
        for _ in range(3):
            restart(unit, how)
        assert call(unit.socket, "org.scened.Manager.GetStatus")["restoredScenes"] == 50
        assert not followers.closed and [bytes(received) for received in followers.received] == before
    finally:
        followers.close()
    # Whoever has gone does not pile up.
    eventually(lambda: int(unit.show("NFileDescriptorStore")) <= 1, 30, "an empty store")


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_waiting_calls_end_rather_than_hang(unit, dot, how):
    with Scene(unit.socket, APP) as scene:
        presenting = scene.log_in()
        presenting.wait_progress("presenting")
        waiting = [presenting] + [scene.log_in() for _ in range(20)]
        for one in waiting[1:]:
            one.wait_progress("waiting")
        restart(unit, how)
        for one in waiting:
            assert one.wait_error() == "connection"
        assert scene.closed is None


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_a_login_page_left_open_completes_the_login(unit, dot, how):
    with Scene(unit.socket, APP) as scene:
        login = scene.log_in()
        progress = login.wait_progress("presenting")
        visitor = Visitor("alice")
        address = visitor.open(progress["loginScreen"])
        eventually(lambda: int(unit.show("NFileDescriptorStore")) >= 4, 30, "the store")
        restart(unit, how)
        again = scene.log_in()
        assert again.wait_progress("presenting")["loginScreen"] == progress["loginScreen"]
        assert visitor.deliver(visitor.authorize(address)).status == 200
        done = again.wait()["progress"]
        assert done["account"]["username"] == "alice"
        scene.wait_cursor(done["at"]["sequence"])
        kinds = [event["kind"] for event in scene.events]
        assert kinds.count("loginStarted") == kinds.count("loginEnded") == kinds.count("currentUserChanged") == 1
        assert scene.closed is None


def test_a_login_that_nobody_comes_back_for_ends(unit, dot):
    with Scene(unit.socket, APP) as scene:
        with Scene(unit.socket, APP) as presenter:
            presenter.log_in().wait_progress("presenting")
            eventually(lambda: int(unit.show("NFileDescriptorStore")) >= 4, 30, "the store")
            os.kill(unit.pid, signal.SIGKILL)
            presenter.kill()
        assert scene.wait_event("loginEnded", timeout=60)["reason"] in ("abandoned", "interrupted")
        with pytest.raises(CallFailed, match="NotSignedIn"):
            call(unit.socket, "GetAccessToken", app=APP)


def test_stopping_empties_the_store(unit, dot):
    followers = Followers(unit.socket, 5)
    try:
        followers.wait(0)
        unit.systemctl("stop", "scened.service")
        eventually(lambda: len(followers.closed) == 5, 30, "the end of every connection")
        assert unit.show("NFileDescriptorStore") == "0"
    finally:
        followers.close()


def test_units_allow_it():
    assert "FileDescriptorStoreMax=" in open(f"{ROOT}/systemd/scened.service").read()
    assert run("systemctl", "--version").returncode == 0
