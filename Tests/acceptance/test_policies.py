"""Who is next after a logout: every policy and every way to leave, as scenes see it."""

import random
import signal
import threading
import time

import pytest
from calls import Waiting, Watcher, kinds, pending, place, same_for_all, sign_in
from scene import CallFailed
from scenes import eventually

POLICIES = ["follow", "login", "select", "none"]


def decision(policy, left):
    """The events after those of the logout itself, and what is pending then."""
    if policy == "none" or (policy, left) == ("follow", 1):
        return [], "nothing"
    if policy == "login" or left == 0:
        return ["loginRequired"], "login"
    return ["selectionRequired"], "selection"


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
    daemon.call("SwitchAccount", account=accounts["ada"]["id"])
    assert choosing.end()["account"]["username"] == "ada"
    restart()
    assert pending(daemon) == "nothing"
    assert daemon.call("ListAccounts")["current"]["username"] == "ada"
    changes = [e for e in Watcher(daemon, after=scene.at).until(place(daemon)) if e["kind"] == "currentUserChanged"]
    assert [change["current"]["username"] for change in changes] == ["ada"]
