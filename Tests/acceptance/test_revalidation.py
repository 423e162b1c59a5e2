"""A user who is disabled at the login host is noticed at the next refresh, and everybody is told."""

import base64
import contextlib
import json
import os
import sqlite3
import time

import pytest
from calls import Watcher, kinds, place, same_for_all, sign_in
from answering_idp import Answer, AnsweringProvider
from scene import CallFailed
from scenes import eventually
from visitor import Visitor


@pytest.fixture
def host():
    provider = AnsweringProvider()
    yield provider
    provider.stop()


def refused(daemon, **parameters):
    """The reason that a refresh ends with."""
    token = daemon.call("GetAccessToken", **parameters)["token"]["value"]
    with pytest.raises(CallFailed) as failure:
        daemon.call("GetAccessToken", rejected=token, **parameters)
    assert failure.value.name == "InteractionRequired", failure.value
    return failure.value.parameters["reason"]


def told_to_all(daemon, account, scenes):
    """Each scene has the same one event, and what is shown to people says so."""
    (event,) = same_for_all(scenes, place(daemon))
    assert event["kind"] == "loginRequired" and event["account"]["id"] == account["id"]
    assert event["account"]["state"] == "loginRequired"
    (listed,) = daemon.call("ListAccounts")["accounts"]
    assert listed["id"] == account["id"] and listed["state"] == "loginRequired"
    shown = daemon.scenectl("accounts", "--app", "notes")
    assert shown.returncode == 0 and "login required" in shown.stdout, shown.stdout
    status = daemon.scenectl("status")
    assert status.returncode == 0 and "login required" in status.stdout, status.stdout
    # A scene that comes now is told with its first event.
    late = Watcher(daemon)
    assert late.snapshot["pending"] == "login" and late.snapshot["current"]["state"] == "loginRequired"
    late.close()
    return event["reason"]


@contextlib.contextmanager
def database(dot):
    with contextlib.closing(sqlite3.connect(os.path.join(dot.directory, "db.sqlite3"), timeout=20)) as connection:
        yield connection
        connection.commit()


@pytest.mark.parametrize("how", ["user deactivated, tokens deleted", "user deleted"])
def test_at_a_real_host(start, dot, how):
    """What an administrator does in django-oauth-toolkit's own pages, between two refreshes."""
    user = "dave"
    visitor = Visitor(user)
    daemon = start(notes=dot)
    account = daemon.sign_in(visitor)
    first = daemon.call("GetAccessToken")["token"]["value"]
    assert daemon.call("GetAccessToken", rejected=first)["token"]["value"] != first
    scenes = [Watcher(daemon) for _ in range(3)]
    with database(dot) as connection:
        (number,) = connection.execute("SELECT id FROM auth_user WHERE username = ?", [user]).fetchone()
        kept = connection.execute("SELECT * FROM auth_user WHERE id = ?", [number]).fetchone()
        for table in ("refreshtoken", "accesstoken", "grant", "idtoken"):
            connection.execute(f"DELETE FROM oauth2_provider_{table} WHERE user_id = ?", [number])
        if how == "user deleted":
            connection.execute("DELETE FROM auth_user WHERE id = ?", [number])
        else:
            connection.execute("UPDATE auth_user SET is_active = 0 WHERE id = ?", [number])
    try:
        assert refused(daemon) == "grantRefused"
        assert told_to_all(daemon, account, scenes) == "grantRefused"
    finally:
        with database(dot) as connection:
            connection.execute("DELETE FROM auth_user WHERE id = ?", [number])
            connection.execute(f"INSERT INTO auth_user VALUES ({', '.join('?' * len(kept))})", kept)
    # Back again, they are who they were.
    assert daemon.sign_in(Visitor(user))["id"] == account["id"]
    (listed,) = daemon.call("ListAccounts")["accounts"]
    assert listed["state"] == "active"
    assert dot.userinfo(daemon.call("GetAccessToken")["token"]["value"]) == 200
    for scene in scenes:
        scene.close()


@pytest.mark.parametrize("status, body", [
    (400, {"error": "invalid_grant", "error_description": "The user account has been disabled."}),
    (400, {"error": "invalid_grant", "error_description": "AADSTS50057: The user account is disabled."}),
    (400, {"error": "invalid_grant", "error_description": "expired access/refresh token"}),
    (400, {"error": "invalid_grant"}),
    (401, {"error": "invalid_grant"}),
    (403, {"error": "invalid_grant", "error_description": "user is blocked"}),
    (403, {"error": "access_denied"}),
    (400, {"error": "interaction_required", "error_description": "AADSTS50076: multi-factor authentication"}),
    (400, {"error": "inactive_user"}),
    (400, {"error": "account_disabled"}),
    (200, {"error": "invalid_grant"}),
    (400, ""),
], ids=str)
def test_as_hosts_say_it(start, host, status, body):
    daemon = start(notes=host)
    account = sign_in(daemon, "alice")
    scenes = [Watcher(daemon) for _ in range(3)]
    host.faults["token"] = lambda asked: Answer(status, body)
    assert refused(daemon) == "grantRefused"
    assert told_to_all(daemon, account, scenes) == "grantRefused"
    # The administrator finds the host's own words.
    if isinstance(body, dict):
        eventually(lambda: body["error"] in daemon.stderr(), what="the code in the journal")
        assert body.get("error_description", "") in daemon.stderr()
    # Nobody is asked again until somebody signs in.
    asked = len(host.asked)
    with pytest.raises(CallFailed, match="InteractionRequired"):
        daemon.call("GetAccessToken")
    assert len(host.asked) == asked
    for scene in scenes:
        scene.close()


def test_without_any_caller(start, host):
    """The early refresh in the background notices it, before anybody asks."""
    host.lifetime = 12
    daemon = start(notes=host)
    account = sign_in(daemon, "alice")
    scenes = [Watcher(daemon) for _ in range(2)]
    daemon.call("GetAccessToken", minimumValiditySeconds=1)
    host.faults["token"] = lambda asked: Answer(400, {"error": "invalid_grant"})
    events = scenes[0].until(scenes[0].at["sequence"] + 1)
    assert kinds(events) == ["loginRequired"] and events[0]["account"]["id"] == account["id"]
    scenes[1].until(scenes[0].at["sequence"])
    for scene in scenes:
        scene.close()


def test_signing_in_again(start, host):
    """The same user is the same account with another grant, and the old one is revoked; another user is another."""
    daemon = start(notes=host)
    account = sign_in(daemon, "alice")
    host.faults["token"] = lambda asked: Answer(400, {"error": "invalid_grant"})
    assert refused(daemon) == "grantRefused"
    host.faults.clear()
    (old,) = host.given
    scene = Watcher(daemon)
    assert sign_in(daemon, "alice")["id"] == account["id"]
    eventually(lambda: old in [asked["token"] for asked in host.revoked], what="the old grant is revoked")
    assert host.grants("alice") == 1
    (listed,) = daemon.call("ListAccounts")["accounts"]
    assert listed["state"] == "active"
    other = sign_in(daemon, "bob")
    assert other["id"] != account["id"] and other["subject"] != account["subject"]
    assert len(daemon.call("ListAccounts")["accounts"]) == 2
    assert host.grants("alice") == 1 and host.grants("bob") == 1
    assert kinds(scene.until(place(daemon))) == [
        "loginStarted", "loggedIn", "loginEnded", "loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
    scene.close()


def claims_of(id_token):
    part = id_token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def identity(daemon):
    reply = daemon.call("GetIdentity")
    signed = claims_of(reply["idToken"])
    # What the login host has signed is told as it signed it.
    assert {name: reply["claims"].get(name) for name in signed} == signed
    return reply["idToken"], reply["claims"]


def test_who_the_user_is_as_last_signed(start, host):
    daemon = start(notes=host)
    sign_in(daemon, "alice")
    first, claims = identity(daemon)
    assert "nonce" in claims and claims["email"] == "alice@example.com"

    def refresh():
        daemon.call("GetAccessToken", rejected=daemon.call("GetAccessToken")["token"]["value"])

    eventually(lambda: time.time() >= claims["iat"] + 1, what="another second")
    refresh()
    second, later = identity(daemon)
    assert second != first and later["iat"] > claims["iat"] and later["exp"] > claims["exp"]
    # The nonce belonged to the first; userinfo's address, which is not asked for again, to the user.
    assert "nonce" not in later and later["email"] == "alice@example.com"

    def without(asked):
        status, answer = super(AnsweringProvider, host)._token(asked)
        return Answer(status, {name: value for name, value in answer.items() if name != "id_token"})

    host.faults["token"] = without
    refresh()
    assert identity(daemon) == (second, later)
    daemon.kill()
    daemon.start()
    assert identity(daemon) == (second, later)
