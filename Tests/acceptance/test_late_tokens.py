"""Tokens that come when the account or the app that they are for has gone: nobody gets them, and they are revoked."""

import os
import signal
import threading

import pytest
from calls import Waiting, Watcher, authorize, kinds, place, sign_in
from scene import CallFailed
from scenes import eventually
from visitor import get


def begin(daemon, under_way):
    """A login of alice's or a refresh, up to the login host's answer, which is held back."""
    if under_way == "refresh":
        call = daemon.connect()
        token = daemon.call("GetAccessToken")["token"]["value"]
        call.send("GetAccessToken", {"app": "notes", "rejected": token})
    else:
        call = Waiting(daemon, "Login", loginHint="alice")
        callback = authorize(call.until("presenting")["authorizationUri"])
        # The browser waits for the end of the login.
        threading.Thread(target=get, args=[callback], daemon=True).start()
    return call


@pytest.mark.parametrize("method", ["Logout", "LogoutAll", "LogoutUser"])
@pytest.mark.parametrize("under_way", ["login", "refresh"])
def test_what_comes_late_brings_nobody_back(start, scripted, under_way, method):
    """The login host has given new tokens out when the account goes; they arrive afterwards."""
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    scene = Watcher(daemon)
    granted = set(scripted.given)
    with scripted.holding("/token") as arrived:
        call = begin(daemon, under_way)
        assert arrived.wait(30)
        if method == "LogoutUser":
            assert daemon.manager("LogoutUser", uid=os.getuid())["accounts"] == 1
        else:
            daemon.call(method, **({"account": alice["id"]} if method == "Logout" else {}))
        assert {form["token"] for form in scripted.revoked if form["token_type_hint"] == "refresh_token"} == granted
    (late,) = set(scripted.given) - granted
    if under_way == "login":
        name, parameters = call.error()
        assert (name, parameters["code"]) == ("LoginFailed", "signedOut")
    else:
        with pytest.raises(CallFailed, match="UnknownAccount"):
            call.reply()
    eventually(lambda: late in [form["token"] for form in scripted.revoked], what="the late tokens are revoked")
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")
    assert scripted.grants("alice") == 0
    assert daemon.call("ListAccounts")["accounts"] == []
    events = scene.until(place(daemon))
    assert "loggedIn" not in kinds(events) and kinds(events).count("loggedOut") == 1
    # And who signs in after that is in.
    sign_in(daemon, "alice")
    assert scripted.grants("alice") == 1
    scene.close()


@pytest.mark.parametrize("under_way", ["login", "cancelled login", "refresh"])
def test_a_stop_waits_for_what_comes_late(start, scripted, under_way):
    """A daemon that is told to stop still takes the tokens, lest they live on at the login host."""
    daemon = start(notes=scripted)
    alice = sign_in(daemon, "alice")
    granted = set(scripted.given)
    with scripted.holding("/token") as arrived:
        call = begin(daemon, under_way)
        assert arrived.wait(30)
        if under_way == "cancelled login":
            daemon.call("CancelLogin")
        else:
            daemon.call("Logout", account=alice["id"])
        (late,) = set(scripted.given) - granted
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_notified("STOPPING=1")
    assert daemon.process.wait(20) == 0
    call.close()
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
