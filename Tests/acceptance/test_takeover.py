"""The presenter may die: another scene presents the login, and old and new browser tabs both complete it."""

import urllib.parse

import pytest
from scenes import eventually


@pytest.fixture
def daemon(start, dot):
    return start(notes=dot)


@pytest.mark.parametrize("tab", ["old", "new"])
def test_takeover(daemon, alice, tab):
    with daemon.scene() as presenter, daemon.scene() as waiting, daemon.scene() as other:
        screen = presenter.log_in().wait_progress("presenting")["loginScreen"]
        calls = [waiting.log_in(), other.log_in()]
        for call in calls:
            assert call.wait_progress("waiting")["presenter"] == presenter.id
        callback = alice.authorize(alice.open(screen))
        presenter.kill()

        eventually(lambda: any(p["state"] == "presenting" for c in calls for p in c.progress), what="a new presenter")
        new = [p for call in calls for p in call.progress if p["state"] == "presenting"]
        assert len(new) == 1
        heir = next(scene for scene, call in zip((waiting, other), calls) if new[0] in call.progress)
        with daemon.scene() as newcomer:
            newcomer.id
            assert newcomer.events[0]["snapshot"]["presenter"] == heir.id
        if tab == "new":
            callback = alice.authorize(alice.open(new[0]["loginScreen"]))
        assert alice.deliver(callback).status == 200
        for call in calls:
            assert call.wait()["progress"]["state"] == "signedIn"
        assert daemon.call("ListAccounts")["current"]["username"] == "alice"


def test_nobody_left(daemon, alice):
    with daemon.scene() as bystander:
        bystander.id
        with daemon.scene() as presenter:
            screen = presenter.log_in().wait_progress("presenting")["loginScreen"]
            port = urllib.parse.urlsplit(screen).port
            assert daemon.listening_ports() == [port]
            presenter.kill()
        assert bystander.wait_event("loginEnded")["reason"] == "abandoned"
        daemon.wait_port_closed(port)
        assert daemon.listening_ports() == []
        # And nothing of it stands in the way of the next.
        assert daemon.sign_in(alice, "LoginIfRequired")["username"] == "alice"


def test_a_call_without_a_scene_presents_too(daemon, alice):
    assert daemon.sign_in(alice, "LoginIfRequired")["username"] == "alice"
