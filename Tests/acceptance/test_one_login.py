"""However many scenes ask, there is one login: one address, one listener, one authorization request."""

import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import pytest
from scenes import eventually

SCENES = 100


@pytest.fixture
def scenes(start, provider):
    daemon = start(notes=provider)
    with ThreadPoolExecutor(8) as pool:
        scenes = list(pool.map(lambda _: daemon.scene(), range(SCENES)))
    yield daemon, scenes
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda scene: scene.close(), scenes))


@pytest.mark.timeout(180)
def test_a_hundred_scenes_one_login(scenes, provider, alice):
    daemon, scenes = scenes
    assert len({scene.id for scene in scenes}) == SCENES
    before, redeemed = provider.authorizations(), len(provider.token_requests("authorization_code"))

    calls = [scene.call("LoginIfRequired", more=True) for scene in scenes]
    first = [call.wait_progress("waiting", "presenting") for call in calls]
    presenting = [progress for progress in first if progress["state"] == "presenting"]
    assert len(presenting) == 1
    assert len({p["presenter"] for p in first if p.get("presenter")}) == 1
    ports = daemon.listening_ports()
    assert len(ports) == 1

    # Whoever is told to present opens what it is given.
    for progress in presenting:
        alice.sign_in(progress["loginScreen"])
    last = [call.wait(60)["progress"] for call in calls]
    assert {progress["state"] for progress in last} == {"signedIn"}
    # One of the providers tells no username.
    assert {progress["account"]["displayName"] for progress in last} == {"Alice Example"}
    places = {(p["at"]["epoch"], p["at"]["sequence"]) for p in last}
    assert len(places) == 1
    for call in calls:
        assert [p["state"] for p in call.progress].count("signedIn") == 1
    screens = {p["loginScreen"] for call in calls for p in call.progress if p.get("loginScreen")}
    assert len(screens) == 1

    # Everything that has happened by now has been delivered; so nothing comes twice later.
    now = daemon.call("ListAccounts")["at"]["sequence"]
    for scene in scenes:
        scene.wait_cursor(now)
        for kind in ("currentUserChanged", "loggedIn", "loginStarted", "loginEnded"):
            assert len(scene.of_kind(kind)) == 1, kind
        sequences = [event["at"]["sequence"] for event in scene.events]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
    assert len(provider.authorizations() - before) == 1
    assert len(provider.token_requests("authorization_code")) - redeemed == 1
    eventually(lambda: not daemon.listening_ports(), what="the listener closed")


def test_who_asks_later_is_signed_in_already(start, scripted, alice):
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    with daemon.scene() as scene:
        progress = scene.log_in().wait()["progress"]
        assert progress["state"] == "alreadySignedIn" and progress["account"]["username"] == "alice"
        assert scripted.authorizations == 1


def test_one_more_account_is_not_suggested_to_be_the_same(start, scripted, alice):
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    with daemon.scene() as scene:
        uri = scene.log_in("Login").wait_progress("presenting")["authorizationUri"]
        assert "login_hint" not in urllib.parse.parse_qs(urllib.parse.urlsplit(uri).query)
        daemon.call("CancelLogin")


def test_cancelling_tells_everybody(start, scripted):
    daemon = start(notes=scripted)
    with daemon.scene() as first, daemon.scene() as second:
        calls = [first.log_in(), second.log_in()]
        for call in calls:
            call.wait_progress("waiting", "presenting")
        daemon.call("CancelLogin")
        assert [call.wait_error() for call in calls] == ["LoginCancelled"] * 2
        for scene in (first, second):
            assert scene.wait_event("loginEnded")["reason"] == "cancelled"
        eventually(lambda: not daemon.listening_ports(), what="the listener closed")


def test_each_wait_has_its_own_time(start, scripted, alice):
    daemon = start(notes=scripted)
    with daemon.scene() as patient, daemon.scene() as hasty:
        presenting = patient.log_in()
        screen = presenting.wait_progress("presenting")["loginScreen"]
        assert hasty.log_in(timeoutSeconds=1).wait_error() == "LoginTimedOut"
        alice.sign_in(screen)
        assert presenting.wait()["progress"]["state"] == "signedIn"


def test_a_scene_that_forbids_interaction_hears_so_at_once(start, scripted):
    daemon = start(notes=scripted)
    with daemon.scene() as scene:
        assert scene.log_in(presentation="none").wait_error() == "InteractionRequired"
        assert scripted.authorizations == 0
