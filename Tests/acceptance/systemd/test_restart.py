"""A restart is no event: scenes stay connected, and a login goes on, over restarts, crashes and upgrades."""

import os
import signal

import pytest
from crowd import Followers
from machine import ROOT, run
from restarts import APP, kept, restart, sign_in
from scene import CallFailed, call
from scenes import Scene, eventually
from visitor import Visitor


@pytest.fixture
def unit(system):
    return system


@pytest.mark.parametrize("how", ["restart", "kill", "upgrade"])
def test_idle_scenes_notice_nothing(unit, dot, how):
    sign_in(unit.socket, "alice")
    followers = Followers(unit.socket, APP, 50)
    try:
        followers.wait(0)
        kept(unit, 51)
        before = [bytes(received) for received in followers.received]
        for _ in range(3):
            restart(unit, how)
        assert call(unit.socket, "org.scened.Manager.GetStatus")["restoredScenes"] == 50
        assert not any(followers.cuts) and [bytes(received) for received in followers.received] == before
    finally:
        followers.close()
    # Whoever has gone does not pile up.
    eventually(lambda: int(unit.show("NFileDescriptorStore")) <= 1, 30, "an empty store")


def test_more_than_are_kept_come_back_by_cursor(unit, dot):
    followers = Followers(unit.socket, APP, 1100)
    try:
        followers.wait(0)
        kept(unit, 1025)
        restart(unit, "kill")
        call(unit.socket, "Lock", app=APP)
        followers.wait(1)
        followers.check(1)
        assert sum(followers.cuts) == 1100 - 1024 and max(followers.cuts) == 1
        status = call(unit.socket, "org.scened.Manager.GetStatus")
        assert (status["restoredScenes"], status["scenes"]) == (1024, 1100)
    finally:
        followers.close()


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


def test_a_login_screen_left_open_goes_on(unit, dot):
    """Its button, too: the forms of before are taken."""
    with Scene(unit.socket, APP) as scene:
        screen = scene.log_in().wait_progress("presenting")["loginScreen"]
        kept(unit, 4)

        def restarted():
            restart(unit, "restart")
            scene.log_in().wait_progress("presenting")
        visitor = Visitor("alice")
        address = visitor.open(screen, meanwhile=restarted)
        assert visitor.deliver(visitor.authorize(address)).status == 200


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_a_login_page_left_open_completes_the_login(unit, dot, how):
    with Scene(unit.socket, APP) as scene:
        login = scene.log_in()
        progress = login.wait_progress("presenting")
        visitor = Visitor("alice")
        address = visitor.open(progress["loginScreen"])
        kept(unit, 4)
        restart(unit, how)
        again = scene.log_in()
        assert again.wait_progress("presenting")["loginScreen"] == progress["loginScreen"]
        assert visitor.deliver(visitor.authorize(address)).status == 200
        progress = again.wait()["progress"]
        assert progress["account"]["username"] == "alice"
        scene.wait_cursor(progress["at"]["sequence"])
        kinds = [event["kind"] for event in scene.events]
        assert kinds.count("loginStarted") == kinds.count("loginEnded") == kinds.count("currentUserChanged") == 1
        assert scene.closed is None


def test_a_login_that_nobody_comes_back_for_ends(unit, dot):
    with Scene(unit.socket, APP) as scene:
        with Scene(unit.socket, APP) as presenter:
            presenter.log_in().wait_progress("presenting")
            kept(unit, 4)
            os.kill(unit.pid, signal.SIGKILL)
            presenter.kill()
        assert scene.wait_event("loginEnded", timeout=60)["reason"] in ("abandoned", "interrupted")
        with pytest.raises(CallFailed, match="NotSignedIn"):
            call(unit.socket, "GetAccessToken", app=APP)


def test_stopping_empties_the_store(unit, dot):
    with Scene(unit.socket, APP) as scene:
        scene.id
        kept(unit, 2)
        unit.systemctl("stop", "scened.service")
        scene.wait_closed()
        assert unit.show("NFileDescriptorStore") == "0"


def test_units_allow_it():
    assert "FileDescriptorStoreMax=" in open(f"{ROOT}/systemd/scened.service").read()
    assert run("systemctl", "--version").returncode == 0
