"""Who presents a login, who joins it, and what becomes of it when others act meanwhile."""

import pytest
from calls import Waiting, Watcher, authorize, kinds, pending, place, same_for_all, sign_in
from descriptor_store import KeepingDaemon
from scene import CallFailed
from scenes import eventually
from visitor import get


def test_who_the_user_looks_at_takes_over(start, scripted):
    daemon = start(notes=scripted)
    scenes = [daemon.scene() for _ in range(5)]
    try:
        assert len({scene.id for scene in scenes}) == 5
        calls = []
        for n, scene in enumerate(scenes):
            calls.append(scene.log_in())
            calls[n].wait_progress("presenting" if n == 0 else "waiting")
        screen = calls[0].progress[0]["loginScreen"]
        callback = authorize(calls[0].progress[0]["authorizationUri"], "alice")
        for n in (4, 2):
            daemon.call("UpdateScene", scene=scenes[n].id, activation="foreground")
        daemon.call("UpdateScene", scene=scenes[4].id, activation="background")
        daemon.call("UpdateScene", scene=scenes[3].id, activation="foreground")
        left = [0, 1, 2, 3, 4]
        # The two in foreground as they asked, then the others.
        for presenter, heir in ((0, 2), (2, 3), (3, 1), (1, 4)):
            scenes[presenter].kill()
            left.remove(presenter)
            assert calls[heir].wait_progress("presenting")["loginScreen"] == screen
            for n in left:
                if n != heir:
                    def told(n=n, heir=heir):
                        return calls[n].progress[-1].get("presenter") == scenes[heir].id
                    eventually(told, what="the others are told who presents")
            newcomer = Watcher(daemon)
            newcomer.close()
            assert newcomer.snapshot["presenter"] == scenes[heir].id
        # The first one's tab completes what the last one waits for.
        get(callback)
        assert calls[4].wait()["progress"]["account"]["username"] == "alice"
        scenes[4].wait_event("loginEnded")
        assert [len(scenes[4].of_kind(kind)) for kind in ("loginStarted", "loginEnded")] == [1, 1]
    finally:
        for scene in scenes:
            scene.close()


@pytest.mark.parametrize("method", ["LoginIfRequired", "Login", "HandleLogout"])
def test_what_joiners_want(start, scripted, method):
    other = "[LoginHost]\nURL=https://other.example\n"
    daemon = start(notes=scripted.configuration() + other)
    daemon.call("Logout", account=sign_in(daemon, "alice")["id"])
    first = Waiting(daemon)
    uri = first.until("presenting")["authorizationUri"]
    assert Waiting(daemon, method, presentation="none").error()[0] == "InteractionRequired"
    for options in ({"loginHost": "https://other.example"}, {"force": True}):
        name, parameters = Waiting(daemon, method, **options).error()
        assert (name, parameters["code"]) == ("LoginFailed", "login_in_progress")
    joiner = Waiting(daemon, method, loginHost=scripted.issuer + "/", loginHint="bob", presentation="browser")
    hasty = Waiting(daemon, method, more=False, timeoutSeconds=1)
    assert joiner.next()[0]["state"] == "waiting"
    assert hasty.error()[0] == "LoginTimedOut"
    get(authorize(uri, "alice"))
    assert {first.end()["account"]["username"], joiner.end()["account"]["username"]} == {"alice"}


# MARK: While a login runs


def test_a_switch_while_a_login_runs(start, scripted):
    daemon = start(notes=scripted.configuration(AfterLogout="login"))
    accounts = {user: sign_in(daemon, user) for user in ("ada", "ben")}
    daemon.call("Logout", account=accounts["ben"]["id"])
    scenes = [Watcher(daemon) for _ in range(3)]
    required = Waiting(daemon, scene=scenes[0].id)
    required.until("presenting")
    added = Waiting(daemon, "Login", scene=scenes[1].id)
    assert added.next()[0]["presenter"] == scenes[0].id
    switched = daemon.call("SwitchAccount", account=accounts["ada"]["id"])
    progress = required.end()
    assert progress["account"]["username"] == "ada" and progress["at"] == switched["at"]
    # The login goes on for who asked for one, and is theirs to present now.
    get(authorize(added.until("presenting")["authorizationUri"], "cyd"))
    progress = added.end()
    assert progress["account"]["username"] == "cyd"
    events = same_for_all(scenes, place(daemon))
    assert kinds(events) == ["loginStarted", "currentUserChanged", "loggedIn", "currentUserChanged", "loginEnded"]
    assert [e["current"]["username"] for e in events if e["kind"] == "currentUserChanged"] == ["ada", "cyd"]
    for scene in scenes:
        scene.close()


def test_a_switch_ends_a_login_that_nobody_needs(start, scripted):
    daemon = start(notes=scripted.configuration(AfterLogout="login"))
    accounts = {user: sign_in(daemon, user) for user in ("ada", "ben")}
    daemon.call("Logout", account=accounts["ben"]["id"])
    scene = Watcher(daemon)
    required = Waiting(daemon)
    callback = authorize(required.until("presenting")["authorizationUri"], "cyd")
    daemon.call("SwitchAccount", account=accounts["ada"]["id"])
    assert required.end()["account"]["username"] == "ada"
    eventually(lambda: not daemon.listening_ports(), what="the listener closed")
    assert get(callback)[0] == 0
    assert kinds(scene.until(place(daemon))) == ["loginStarted", "currentUserChanged", "loginEnded"]
    assert scene.events[-1]["reason"] == "abandoned" and scripted.grants("cyd") == 0
    scene.close()


@pytest.mark.parametrize("user", ["ada", "ben"])
def test_signing_an_account_in_that_is_there(start, scripted, user):
    """Whether it is the current one or another: a new grant in place of the old one, which the host forgets."""
    daemon = start(notes=scripted)
    accounts = {name: sign_in(daemon, name) for name in ("ada", "ben")}
    old = daemon.call("GetAccessToken", account=accounts[user]["id"])["token"]["value"]
    scenes = [Watcher(daemon) for _ in range(3)]
    assert sign_in(daemon, user)["id"] == accounts[user]["id"]
    changed = ["currentUserChanged"] if user == "ada" else []
    events = same_for_all(scenes, place(daemon))
    assert kinds(events) == ["loginStarted", "loggedIn", *changed, "loginEnded"]
    listed = daemon.call("ListAccounts")
    assert {a["id"] for a in listed["accounts"]} == {a["id"] for a in accounts.values()}
    assert listed["current"]["id"] == accounts[user]["id"]
    eventually(lambda: not scripted.is_good(old), what="the old grant is revoked")
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")
    assert scripted.grants(user) == 1
    daemon.kill()
    daemon.start()
    new = daemon.call("GetAccessToken", account=accounts[user]["id"], rejected=old)["token"]["value"]
    assert new != old and scripted.is_good(new)
    assert scripted.reused == []


def test_somebody_else_signs_in_than_was_hinted(start, scripted):
    """The login host has refused alice's grant, and bob comes in her place."""
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    scene = Watcher(daemon)
    token = daemon.call("GetAccessToken")["token"]["value"]
    scripted._revoke({"token": token})
    with pytest.raises(CallFailed, match="InteractionRequired"):
        daemon.call("GetAccessToken", rejected=token)
    assert pending(daemon) == "login"
    waits = [Waiting(daemon), Waiting(daemon, "HandleLogout"), Waiting(daemon, "Login", loginHint="alice")]
    uri = waits[0].until("presenting")["authorizationUri"]
    assert "login_hint=alice" in uri
    get(authorize(uri, "bob"))
    ended = [waiting.end() for waiting in waits]
    assert {(p["state"], p["account"]["username"]) for p in ended} == {("signedIn", "bob")}
    states = {a["username"]: a["state"] for a in daemon.call("ListAccounts")["accounts"]}
    assert states == {"alice": "loginRequired", "bob": "active"}
    assert daemon.call("ListAccounts")["current"]["username"] == "bob"
    assert kinds(scene.until(place(daemon))) == [
        "loginRequired", "loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
    assert sign_in(daemon, "alice")["id"] == alice["id"]
    scene.close()


# MARK: Kept over a restart


@pytest.fixture
def keeping(directory, scripted):
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration()}).start()
    yield daemon
    assert daemon.close() == 0, daemon.stderr()


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_who_the_user_looks_at_is_known_after_a_restart(keeping, end):
    with keeping.scene() as one, keeping.scene() as two, keeping.scene() as three:
        for scene in (one, two, three):
            scene.id
        two.call("UpdateScene", activation="foreground").wait()
        eventually(lambda: [name for name, _ in keeping.kept].count("scene") == 3, what="three scenes are kept")
        getattr(keeping, end)()
        keeping.start()
        first = Waiting(keeping)
        uri = first.until("presenting")["authorizationUri"]
        calls = [scene.log_in() for scene in (one, two, three)]
        for call in calls:
            call.wait_progress("waiting")
        first.close()
        calls[1].wait_progress("presenting")
        get(authorize(uri, "alice"))
        assert {call.wait()["progress"]["account"]["username"] for call in calls} == {"alice"}


def test_a_page_left_open_over_a_restart_ends_a_choice(keeping):
    """Somebody adds an account while others are to choose one, and the daemon is restarted under it."""
    accounts = {user: sign_in(keeping, user) for user in ("ada", "ben", "cyd")}
    keeping.call("Logout", account=accounts["cyd"]["id"])
    with keeping.scene() as scene:
        added = scene.log_in("Login")
        uri = added.wait_progress("presenting")["authorizationUri"]
        assert scene.log_in().wait_progress("selecting")
        keeping.wait_notified("FDNAME=login-")
        keeping.stop()
        keeping.start()
        choosing = scene.log_in()
        assert len(choosing.wait_progress("selecting")["accounts"]) == 2
        # Nobody waits for the login any more; its page is still good.
        get(authorize(uri, "dee"))
        assert choosing.wait()["progress"]["account"]["username"] == "dee"
        scene.wait_cursor(place(keeping))
        assert kinds(scene.events)[1:] == ["loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
        assert scene.events[0]["snapshot"]["pending"] == "selection" and scene.closed is None
