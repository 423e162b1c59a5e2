"""What the service manager keeps for scened: no more than what lives, and through any number of crashes."""

import os
import signal

import pytest
from crowd import Followers
from restarts import APP, kept, restart, sign_in
from scene import Connection, call
from scenes import Scene, eventually


def stored(unit):
    return int(unit.show("NFileDescriptorStore"))


def holds(unit, count):
    eventually(lambda: stored(unit) == count, 30, f"{count} descriptors, and not {stored(unit)}, in the store")


def running(unit, but=0):
    return eventually(lambda: unit.pid not in (0, but) and unit.pid, 30, "a process")


def test_scenes_that_are_gone_do_not_pile_up(system):
    """500 scenes come and go: before a restart, after it, and while nobody is there to see it."""
    path = system.socket
    stay = Followers(path, APP, 20)
    # Their connections, and the marks.
    living = 20 + 1
    try:
        stay.wait(0)
        for number, how in enumerate(["restart", "kill", "upgrade", "kill", "kill"]):
            early, late = Followers(path, APP, 50), Followers(path, APP, 50)
            for crowd in early, late:
                crowd.wait(0)
            kept(system, living + 100)
            early.close()
            holds(system, living + 50)
            if number % 2 == 0:
                restart(system, how)
                assert call(path, "org.scened.Manager.GetStatus")["restoredScenes"] == 70
                late.close()
            else:
                before = running(system)
                os.kill(before, signal.SIGSTOP)
                late.close()
                os.kill(before, signal.SIGKILL)
                running(system, but=before)
            holds(system, living)
        assert not any(stay.cuts)
        scenes = call(path, "org.scened.Manager.ListScenes")["scenes"]
        assert len(scenes) == 20
    finally:
        stay.close()
    holds(system, 1)


def test_what_a_login_kept_goes_with_it(system):
    sign_in(system.socket, "alice")
    with Scene(system.socket, APP) as scene, Scene(system.socket, APP) as presenter:
        scene.id
        kept(system, 3)
        login = presenter.log_in("Login")
        login.wait_progress("presenting")
        # It and its listener.
        holds(system, 5)
        restart(system, "kill")
        assert login.wait_error() == "connection"
        again = presenter.log_in("Login")
        again.wait_progress("presenting")
        scene.call("CancelLogin", as_scene=False).wait()
        assert again.wait_error() == "LoginCancelled"
        holds(system, 3)


def test_a_scene_that_is_taken_over_leaves_nothing(system):
    path = system.socket
    with Connection(path) as first, Connection(path) as second:
        older = first.stream("ConnectScene", app=APP, scene="window-1")
        next(older)
        kept(system, 2)
        newer = second.stream("ConnectScene", app=APP, scene="window-1")
        next(newer)
        with pytest.raises(ConnectionError):
            next(older)
        holds(system, 2)
        restart(system, "kill")
        call(path, "Lock", app=APP)
        assert next(newer)["event"]["kind"] == "locked"


def test_ten_quick_crashes_keep_the_scenes(system):
    """Each new process is killed as soon as it is there, most of them before they are ready: no start limit counts."""
    path = system.socket
    followers = Followers(path, APP, 50)
    try:
        followers.wait(0)
        with Connection(path) as watcher:
            watcher.send("org.scened.Manager.Monitor", {}, more=True)
            kept(system, 52)
            call(path, "Lock", app=APP)
            assert watcher.reply()[0]["event"]["kind"] == "locked"
            followers.wait(1)
            crashes = int(system.show("NRestarts"))
            for _ in range(10):
                before = running(system)
                os.kill(before, signal.SIGKILL)
                running(system, but=before)
            system.wait_active()
            call(path, "Unlock", app=APP)
            assert watcher.reply()[0]["event"]["kind"] == "unlocked"
            followers.wait(2)
            followers.check(2)
            assert int(system.show("NRestarts")) == crashes + 10
            assert call(path, "org.scened.Manager.GetStatus")["restoredScenes"] == 50
            assert not any(followers.cuts) and stored(system) == 52
    finally:
        followers.close()
