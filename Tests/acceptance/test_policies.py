"""Who is next, who presents, and what is under way: every policy and every way to leave, as scenes see it."""

import os
import random
import shutil
import signal
import threading
import time

import pytest
from calls import Waiting, Watcher, authorize, sign_in
from daemon import Daemon
from descriptor_store import KeepingDaemon
from provider import free_port
from scene import CallFailed
from scenes import SCENE, Scene, eventually
from test_local_users import NOBODY, request as get_as
from visitor import get

POLICIES = ["follow", "login", "select", "none"]


def place(daemon, app="notes"):
    """How far the history goes."""
    return daemon.call("ListAccounts", app=app)["at"]["sequence"]


def kinds(events):
    return [event["kind"] for event in events]


def same_for_all(scenes, sequence):
    """What the scenes have been sent since they were asked last; the same to each."""
    news = []
    for scene in scenes:
        seen = len(scene.events)
        news.append(scene.until(sequence)[seen:])
    assert news.count(news[0]) == len(scenes)
    return news[0]


def pending(daemon, app="notes"):
    scene = Watcher(daemon, app)
    scene.close()
    return scene.snapshot["pending"]


def decision(policy, left):
    """The events after those of the logout itself, and what is pending then."""
    if policy == "none" or (policy, left) == ("follow", 1):
        return [], "nothing"
    if policy == "login" or left == 0:
        return ["loginRequired"], "login"
    return ["selectionRequired"], "selection"


# MARK: After a logout


@pytest.mark.parametrize("left", [0, 1, 2, 3])
@pytest.mark.parametrize("policy", POLICIES)
def test_one_decision_for_three_scenes(start, scripted, policy, left):
    daemon = start(notes=scripted.configuration(AfterLogout=policy))
    users = ["ada", "ben", "cyd", "dee"][:left]
    accounts = {user: sign_in(daemon, user) for user in ["back", *users, "last"]}
    scenes = [Watcher(daemon) for _ in range(3)]
    token = daemon.call("GetAccessToken")["token"]["value"]

    # Another than the current user: nobody is disturbed.
    at = daemon.call("Logout", account=accounts["back"]["id"])["at"]["sequence"]
    assert at == place(daemon)
    assert kinds(same_for_all(scenes, at)) == ["loggedOut"]
    assert daemon.call("ListAccounts")["current"]["username"] == "last"
    assert daemon.call("GetAccessToken")["token"]["value"] == token

    # The current one.
    decided, waits = decision(policy, left)
    daemon.call("Logout", account=accounts["last"]["id"], scene=scenes[0].id)
    events = same_for_all(scenes, place(daemon))
    assert kinds(events) == ["loggedOut", "currentUserChanged", *decided]
    assert events[0]["account"]["username"] == events[1]["previous"]["username"] == "last"
    current = daemon.call("ListAccounts").get("current")
    assert events[1].get("current") == current
    assert (current and current["username"]) == ("ada" if (policy, left) == ("follow", 1) else None)
    if waits == "selection":
        assert [account["username"] for account in events[2]["accounts"]] == users
    assert pending(daemon) == waits
    handling = Waiting(daemon, "HandleLogout")
    if current:
        assert handling.end()["account"] == current
    elif waits == "nothing":
        assert handling.error()[0] == "NotSignedIn"
    else:
        assert handling.next()[0]["state"] == {"selection": "selecting", "login": "presenting"}[waits]
        handling.close()
        if waits == "login":
            assert kinds(same_for_all(scenes, scenes[0].at["sequence"] + 2)) == ["loginStarted", "loginEnded"]

    # All that are left.
    assert len(daemon.call("LogoutAll")["results"]) == left
    expected = ["loggedOut"] * left
    if current or waits == "selection":
        expected += ["currentUserChanged"] * bool(current) + decision(policy, 0)[0]
    assert kinds(same_for_all(scenes, place(daemon))) == expected
    assert pending(daemon) == ("nothing" if policy == "none" else "login")
    for scene in scenes:
        scene.close()


@pytest.mark.parametrize("policy", POLICIES)
def test_logging_all_out_shows_nobody_in_between(start, scripted, policy):
    """Neither in the scenes' streams nor to who asks all the time."""
    daemon = start(notes=scripted.configuration(AfterLogout=policy))
    users = ["ada", "ben", "cyd", "dee"]
    seen, failures, done = set(), [], threading.Event()

    def look():
        try:
            with daemon.connect() as connection:
                while not done.is_set():
                    reply = connection.call("ListAccounts", app="notes")
                    seen.add((len(reply["accounts"]), (reply.get("current") or {}).get("username")))
        except BaseException as failure:
            failures.append(failure)

    for user in users:
        sign_in(daemon, user)
    scenes = [Watcher(daemon) for _ in range(3)]
    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    eventually(lambda: seen or failures, what="a look")
    reply = daemon.call("LogoutAll", scene=scenes[1].id, reason="the day is over")
    done.set()
    looking.join(30)
    assert not failures and seen <= {(4, "dee"), (0, None)}
    assert [result["account"]["username"] for result in reply["results"]] == users
    assert {result["remote"] for result in reply["results"]} == {"revoked"}
    events = same_for_all(scenes, reply["at"]["sequence"])
    assert kinds(events) == ["loggedOut"] * 4 + ["currentUserChanged"] + decision(policy, 0)[0]
    assert "current" not in events[4] or events[4]["current"] is None
    assert [scripted.grants(user) for user in users] == [0] * 4
    for scene in scenes:
        scene.close()


@pytest.mark.parametrize("round_", range(6))
def test_logging_all_out_is_done_or_not(start, scripted, round_):
    """Whenever the daemon dies."""
    daemon = start(notes=scripted)
    for user in ("ada", "ben", "cyd"):
        sign_in(daemon, user)
    scene = Watcher(daemon)
    before = place(daemon)
    with daemon.connect() as connection:
        connection.send("LogoutAll", {"app": "notes"})
        # A moment, not a wait for anything.
        time.sleep(random.Random(round_).uniform(0, 0.01))
        daemon.kill()
    daemon.start()
    left = daemon.call("ListAccounts")
    events = Watcher(daemon, after=scene.at).until(place(daemon))
    if left["accounts"]:
        assert len(left["accounts"]) == 3 and left["current"]["username"] == "cyd" and place(daemon) == before
    else:
        assert kinds(events) == ["loggedOut"] * 3 + ["currentUserChanged", "loginRequired"]
        # What the login host was not told by then, it is told now.
        eventually(lambda: not any(scripted.grants(user) for user in ("ada", "ben", "cyd")), what="all are revoked")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("policy, waits", [("follow", "selection"), ("select", "selection"), ("login", "login")])
def test_what_is_pending_stays(start, scripted, policy, waits, end):
    """Over the disconnect of every scene, and over the end of the daemon."""
    daemon = start(notes=scripted.configuration(AfterLogout=policy))
    accounts = {user: sign_in(daemon, user) for user in ("ada", "ben", "cyd")}
    scene = Watcher(daemon, scene="mine")
    at = daemon.call("Logout", account=accounts["cyd"]["id"], scene="mine")["at"]
    scene.until(place(daemon))
    asks = Waiting(daemon, scene="mine")
    assert asks.next()[0]["state"] in ("selecting", "waiting", "presenting")
    scene.close()
    # It ends with its scene.
    assert asks.error()[0] == "LoginCancelled"
    eventually(lambda: daemon.manager("GetStatus")["scenes"] == 0, what="no scenes")
    assert pending(daemon) == waits

    def restart():
        daemon.process.send_signal(end)
        daemon.process.wait(20)
        daemon.start()

    waiting = Waiting(daemon, "HandleLogout")
    waiting.next()
    restart()
    with pytest.raises((ConnectionError, CallFailed)):
        waiting.end()
    back = Watcher(daemon, scene="mine", after=scene.at)
    assert back.first["kind"] == "resumed" and back.first["at"]["epoch"] == at["epoch"]
    # A login that went with the daemon is told to have ended, and nothing else has happened.
    assert set(kinds(back.until(place(daemon)))) <= {"loginStarted", "loginEnded"}
    assert pending(daemon) == waits
    choosing = Waiting(daemon, "HandleLogout", scene="mine")
    progress = choosing.next()[0]
    if waits == "selection":
        assert progress["state"] == "selecting"
        assert [account["username"] for account in progress["accounts"]] == ["ada", "ben"]
    seen = len(back.events)
    daemon.call("SwitchAccount", account=accounts["ada"]["id"])
    assert choosing.end()["account"]["username"] == "ada"
    restart()
    assert pending(daemon) == "nothing"
    assert daemon.call("ListAccounts")["current"]["username"] == "ada"
    changes = [e for e in Watcher(daemon, after=scene.at).until(place(daemon)) if e["kind"] == "currentUserChanged"]
    assert [change["current"]["username"] for change in changes] == ["ada"] and seen <= len(back.events)


# MARK: Who presents


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


# MARK: Signed out while something is under way


@pytest.mark.parametrize("method", ["Logout", "LogoutAll", "LogoutUser"])
@pytest.mark.parametrize("under_way", ["login", "refresh"])
def test_what_comes_late_brings_nobody_back(start, scripted, under_way, method):
    """The login host has given new tokens out when the account goes; they arrive afterwards."""
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    scene = Watcher(daemon)
    granted = set(scripted.given)
    call, asked = logged_out_meanwhile(daemon, scripted, under_way, method, alice)
    (late,) = set(scripted.given) - granted
    if under_way == "login":
        name, parameters = call.error()
        assert (name, parameters["code"]) == ("LoginFailed", "signedOut")
    else:
        with pytest.raises(CallFailed, match="UnknownAccount"):
            call.reply()
    eventually(lambda: late in [form["token"] for form in scripted.revoked], what="the late tokens are revoked")
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")
    assert asked["token"] in granted and scripted.grants("alice") == 0
    assert daemon.call("ListAccounts")["accounts"] == []
    events = scene.until(place(daemon))
    assert "loggedIn" not in kinds(events) and kinds(events).count("loggedOut") == 1
    # And who signs in after that is in.
    sign_in(daemon, "alice")
    assert scripted.grants("alice") == 1
    scene.close()


def logged_out_meanwhile(daemon, scripted, under_way, method, account):
    """Sign out while the login host has a login's or a refresh's tokens ready; the call, and what was revoked first."""
    token = daemon.call("GetAccessToken")["token"]["value"]
    with scripted.holding("/token") as arrived:
        if under_way == "login":
            call = Waiting(daemon, "Login", loginHint=account["username"])
            uri = call.until("presenting")["authorizationUri"]
            callback = authorize(uri)
            # The browser waits for the end of the login.
            threading.Thread(target=get, args=[callback], daemon=True).start()
        else:
            call = daemon.connect()
            call.send("GetAccessToken", {"app": "notes", "rejected": token})
        assert arrived.wait(30)
        if method == "LogoutUser":
            assert daemon.manager("LogoutUser", uid=os.getuid())["accounts"] == 1
        else:
            daemon.call(method, **({"account": account["id"]} if method == "Logout" else {}))
        asked = scripted.revoked[0]
    return call, asked


@pytest.mark.parametrize("under_way", ["login", "cancelled login", "refresh"])
def test_a_stop_waits_for_what_comes_late(start, scripted, under_way):
    """A daemon that is told to stop still takes the tokens, lest they live on at the login host."""
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    granted = set(scripted.given)
    token = daemon.call("GetAccessToken")["token"]["value"]
    with scripted.holding("/token") as arrived:
        if "login" in under_way:
            call = Waiting(daemon, "Login", loginHint="alice")
            callback = authorize(call.until("presenting")["authorizationUri"])
            threading.Thread(target=get, args=[callback], daemon=True).start()
        else:
            call = daemon.connect()
            call.send("GetAccessToken", {"app": "notes", "rejected": token})
        assert arrived.wait(30)
        if under_way == "cancelled login":
            daemon.call("CancelLogin")
        else:
            daemon.call("Logout", account=alice["id"])
        (late,) = set(scripted.given) - granted
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_notified("STOPPING=1")
    assert daemon.process.wait(20) == 0
    daemon.start()
    eventually(lambda: late in [form["token"] for form in scripted.revoked], what="the late tokens are revoked")


def test_a_result_is_given_again_after_a_restart(start, scripted):
    scripted.offers_revocation = False
    daemon = start(notes=scripted)
    accounts = [sign_in(daemon, user) for user in ("ada", "ben")]
    results = [daemon.call("Logout", account=account["id"])["result"] for account in accounts]
    assert [result["remote"] for result in results] == ["unsupported"] * 2
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")
    for end in (daemon.stop, daemon.kill):
        end()
        daemon.start()
        again = [daemon.call("Logout", account=account["id"])["result"] for account in accounts]
        assert [(r["account"]["id"], r["remote"]) for r in again] == [(a["id"], "unsupported") for a in accounts]


# MARK: Apps that change


def test_an_app_that_is_removed_has_its_tokens_revoked(start, scripted):
    """As the client that they were given to, which its configuration does not name any more."""
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    granted = set(scripted.given)
    token = daemon.call("GetAccessToken")["token"]["value"]
    with scripted.holding("/token") as arrived, daemon.connect() as call:
        call.send("GetAccessToken", {"app": "notes", "rejected": token})
        assert arrived.wait(30)
        daemon.call("Logout", account=alice["id"])
        os.remove(os.path.join(daemon.configuration, "apps.d", "notes.conf"))
        assert daemon.manager("Reload")["apps"] == []
    (late,) = set(scripted.given) - granted
    eventually(lambda: late in [form["token"] for form in scripted.revoked], what="the late tokens are revoked")
    assert {form.get("client_id") for form in scripted.revoked} == {"scene"}


def test_what_a_removed_app_could_not_have_revoked_stays_queued(start, scripted):
    """Its client's secret and endpoints are gone with its configuration, which may come back."""
    scripted.offers_revocation = False
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    token = daemon.call("GetAccessToken")["token"]["value"]
    with scripted.holding("/token") as arrived, daemon.connect() as call:
        call.send("GetAccessToken", {"app": "notes", "rejected": token})
        assert arrived.wait(30)
        assert daemon.call("Logout", account=alice["id"])["result"]["remote"] == "unsupported"
        os.remove(os.path.join(daemon.configuration, "apps.d", "notes.conf"))
        daemon.manager("Reload")

    def queued():
        return [(entry["reason"], entry["attempts"]) for entry in daemon.manager("ListRevocations")["revocations"]]
    eventually(lambda: queued() == [("late", 1)], what="the late tokens are kept for revocation")


def test_an_app_that_is_changed_completes_its_login(start, scripted):
    daemon = start(notes=scripted)
    call = Waiting(daemon)
    uri = call.until("presenting")["authorizationUri"]
    daemon.configure("notes", scripted.configuration(ClientID="another"))
    daemon.manager("Reload")
    get(authorize(uri, "alice"))
    # Its ID token is for the client that asked.
    assert call.end()["account"]["username"] == "alice"


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


# MARK: Apart


def test_two_users_and_two_apps_never_meet(directory, scripted):
    os.chmod(directory, 0o711)
    # One listener for all of them.
    redirect = f"http://127.0.0.1:{free_port()}/callback"
    # Where another user may read it.
    script = shutil.copy(SCENE, f"{directory}/scene.py")
    apps = ["notes", "mail"]
    daemon = Daemon(
        f"{directory}/0", {app: scripted.configuration(app, RedirectURI=redirect) for app in apps}, instance="--system").start()
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    scenes = {
        (uid, app): Scene(daemon.socket, app, prefix=as_nobody if uid else (), script=script)
        for uid in (0, NOBODY) for app in apps}
    try:
        monitor = scenes[NOBODY, "mail"].call("org.scened.Manager.Monitor", more=True, as_scene=False, app=None)
        # Four logins at once, each of a user of its own.
        calls = {key: scene.log_in(loginHint=f"{key[1]}-{key[0]}") for key, scene in scenes.items()}
        screens = {key: call.wait_progress("presenting") for key, call in calls.items()}
        assert len({screen["loginScreen"] for screen in screens.values()}) == 4
        assert len(daemon.listening_ports()) == 1
        # One that is cancelled ends no other.
        scenes[NOBODY, "mail"].call("CancelLogin", as_scene=False).wait()
        assert calls[NOBODY, "mail"].wait_error() == "LoginCancelled"
        calls[NOBODY, "mail"] = scenes[NOBODY, "mail"].log_in(loginHint=f"mail-{NOBODY}")
        screens[NOBODY, "mail"] = calls[NOBODY, "mail"].wait_progress("presenting")
        for (uid, app), screen in screens.items():
            callback = authorize(screen["authorizationUri"])
            assert get_as(callback, user=NOBODY if uid == 0 else 0).split()[1:2] in ([], ["403"])
            assert not calls[uid, app].ended
            get_as(callback, user=uid)
        accounts = {key: call.wait()["progress"]["account"] for key, call in calls.items()}
        assert {key: a["username"] for key, a in accounts.items()} == {key: f"{key[1]}-{key[0]}" for key in scenes}

        # Nobody sees, names or ends what is another's.
        for key, scene in scenes.items():
            for other, account in accounts.items():
                if other == key:
                    continue
                for method in ("Logout", "SwitchAccount", "GetAccessToken"):
                    call = scene.call(method, as_scene=False, account=account["id"])
                    assert call.wait_error() == "UnknownAccount"
                call = scene.call("UpdateScene", as_scene=False, scene=scenes[other].id, activation="foreground")
                assert call.wait_error() == "UnknownScene"
            listed = scene.call("ListAccounts", as_scene=False).wait()
            assert [a["id"] for a in listed["accounts"]] == [accounts[key]["id"]]
        seen = scenes[NOBODY, "mail"].call("org.scened.Manager.ListScenes", as_scene=False, app=None).wait()["scenes"]
        assert {(s["uid"], s["app"]) for s in seen} == {(NOBODY, app) for app in apps}

        # All at once, and different things.
        changes = [
            scenes[0, "notes"].call("LogoutAll"), scenes[NOBODY, "notes"].call("Lock", as_scene=False),
            scenes[0, "mail"].call("Logout", account=accounts[0, "mail"]["id"]),
            scenes[NOBODY, "mail"].call("AddLoginHost", url="https://more.example")]
        for change in changes:
            change.wait()
        expected = {
            (0, "notes"): ["loggedOut", "currentUserChanged", "loginRequired"], (NOBODY, "notes"): ["locked"],
            (0, "mail"): ["loggedOut", "currentUserChanged", "loginRequired"], (NOBODY, "mail"): []}
        for (uid, app), scene in scenes.items():
            listed = scene.call("ListAccounts", as_scene=False).wait()
            scene.wait_cursor(listed["at"]["sequence"])
            cancelled = ["loginStarted", "loginEnded"] if (uid, app) == (NOBODY, "mail") else []
            assert kinds(scene.events) == [
                "snapshot", *cancelled, "loginStarted", "loggedIn", "currentUserChanged", "loginEnded",
                *expected[uid, app]]
            assert kinds(scene.events)[0] == "snapshot" and not scene.events[0]["snapshot"]["accounts"]
            names = {e[m]["username"] for e in scene.events for m in ("account", "current", "previous") if e.get(m)}
            assert names == {f"{app}-{uid}"}

        # The administrator signs one user out of one app; no other user may.
        call = scenes[NOBODY, "mail"].call("org.scened.Manager.LogoutUser", as_scene=False, uid=0)
        assert call.wait_error() == "org.scened.Manager.AccessDenied"
        assert daemon.manager("LogoutUser", uid=NOBODY, app="mail") == {"accounts": 1}
        scenes[NOBODY, "mail"].wait_event("loggedOut")
        eventually(lambda: "loggedOut" in [r["event"]["kind"] for r in monitor.replies], what="the monitor shows it")
        assert {(r["uid"], r["app"]) for r in monitor.replies} == {(NOBODY, app) for app in apps}
        listed = scenes[NOBODY, "notes"].call("ListAccounts", as_scene=False).wait()
        assert [a["id"] for a in listed["accounts"]] == [accounts[NOBODY, "notes"]["id"]]
    finally:
        for scene in scenes.values():
            scene.close()
        assert daemon.close() == 0, daemon.stderr()
