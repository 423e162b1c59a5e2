"""A logout in one scene reaches every scene and the login host."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from scenes import eventually
from visitor import Visitor


@pytest.fixture(params=["dot, public client", "glewlwyd, confidential client"])
def host(request, directory):
    """A provider with revocation, and an app that uses it."""
    name = request.param.split(",")[0]
    provider = request.getfixturevalue(name)
    if name == "dot":
        return provider, provider.configuration()
    with open(f"{directory}/secret", "w") as file:
        file.write("scene-server-secret")
    return provider, provider.configuration(ClientID="scene-server", ClientSecretFile=f"{directory}/secret")


def refresh_works(provider, token):
    """Whether the provider still takes a refresh token, asked as the client would."""
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": "scene"}
    request = urllib.request.Request(provider.issuer + "/token/", urllib.parse.urlencode(form).encode())
    if provider.name == "glewlwyd":
        del form["client_id"]
        request = urllib.request.Request(provider.issuer + "/token/", urllib.parse.urlencode(form).encode())
        request.add_header("Authorization", "Basic c2NlbmUtc2VydmVyOnNjZW5lLXNlcnZlci1zZWNyZXQ=")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status == 200
    except urllib.error.HTTPError:
        return False


def test_everybody_hears_of_it_and_the_host_too(start, host, alice):
    provider, configuration = host
    daemon = start(notes=configuration)
    account = daemon.sign_in(alice)
    token = daemon.call("GetAccessToken")["token"]["value"]
    assert provider.userinfo(token) == 200
    granted = json.loads(provider.token_requests("authorization_code")[-1].answer)["refresh_token"]
    with daemon.scene() as one, daemon.scene() as two, daemon.scene() as three:
        scenes = [one, two, three]
        assert len({scene.id for scene in scenes}) == 3
        reply = one.call("Logout", account=account["id"], reason="the test says so").wait()
        assert reply["result"]["remote"] == "revoked" and reply["result"]["account"]["id"] == account["id"]
        for scene in scenes:
            event = scene.wait_event("loggedOut")
            assert event["account"]["id"] == account["id"] and event["reason"] == "the test says so"
            required = scene.wait_event("loginRequired")
            assert required["at"]["sequence"] > event["at"]["sequence"]
            changed = scene.wait_event("currentUserChanged")
            assert changed.get("current") is None and changed["previous"]["id"] == account["id"]
    if provider.name == "dot":
        assert provider.userinfo(token) == 401
    assert not refresh_works(provider, granted)
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")


def test_the_reason_by_default(start, scripted, alice):
    daemon = start(notes=scripted)
    account = daemon.sign_in(alice)
    with daemon.scene() as scene:
        scene.id
        daemon.call("Logout", account=account["id"])
        assert scene.wait_event("loggedOut")["reason"] == "signedOut"


def test_the_host_is_down(start, dot, alice):
    daemon = start(notes=dot)
    account = daemon.sign_in(alice)
    with daemon.scene() as scene:
        scene.id
        dot.proxy.stop()
        try:
            began = time.monotonic()
            reply = daemon.call("Logout", account=account["id"])
            assert time.monotonic() - began < 5
            assert reply["result"]["remote"] == "queued"
            assert scene.wait_event("loggedOut")["account"]["id"] == account["id"]
            assert daemon.call("ListAccounts")["accounts"] == []
            (waiting,) = daemon.manager("ListRevocations")["revocations"]
            assert waiting["app"] == "notes"
            # It is still to be told after a restart.
            daemon.stop()
            daemon.start()
            assert len(daemon.manager("ListRevocations")["revocations"]) == 1
            assert daemon.call("ListAccounts")["accounts"] == []
        finally:
            dot.proxy.start()


def signed_in(daemon, *users):
    accounts = {}
    for user in users:
        accounts[user] = daemon.sign_in(Visitor(user), loginHint=user)["id"]
    return accounts


@pytest.mark.parametrize("policy, users, then", [
    ("follow", ["alice"], "loginRequired"),
    ("follow", ["alice", "bob"], "currentUserChanged"),
    ("follow", ["alice", "bob", "carol"], "selectionRequired"),
    ("login", ["alice", "bob"], "loginRequired"),
    ("select", ["alice", "bob"], "selectionRequired"),
    ("none", ["alice", "bob"], None),
])
def test_what_the_policy_says(start, scripted, policy, users, then):
    daemon = start(notes=scripted.configuration(AfterLogout=policy))
    accounts = signed_in(daemon, *users)
    with daemon.scene() as scene:
        scene.id
        leaving = accounts[users[-1]]
        at = daemon.call("Logout", account=leaving)["at"]["sequence"]
        scene.wait_event("loggedOut")
        scene.wait_cursor(at)
        decisions = [e["kind"] for e in scene.events if e["kind"] in ("loginRequired", "selectionRequired")]
        assert decisions == ([then] if then in ("loginRequired", "selectionRequired") else [])
        (changed,) = scene.of_kind("currentUserChanged")
        current = daemon.call("ListAccounts").get("current")
        assert changed.get("current") == current
        assert (current and current["username"]) == ("alice" if then == "currentUserChanged" else None)


def test_a_background_account_leaves_the_current_user_alone(start, scripted):
    daemon = start(notes=scripted)
    accounts = signed_in(daemon, "alice", "bob")
    with daemon.scene() as scene:
        scene.id
        at = daemon.call("Logout", account=accounts["alice"])["at"]["sequence"]
        scene.wait_event("loggedOut")
        scene.wait_cursor(at)
        assert not scene.of_kind("currentUserChanged") and not scene.of_kind("loginRequired")
        assert daemon.call("ListAccounts")["current"]["username"] == "bob"


def test_logging_all_out_is_one_change(start, scripted):
    daemon = start(notes=scripted)
    signed_in(daemon, "alice", "bob", "carol")
    with daemon.scene() as scene:
        scene.id
        reply = daemon.call("LogoutAll")
        assert {r["account"]["username"] for r in reply["results"]} == {"alice", "bob", "carol"}
        scene.wait_event("loggedOut", 3)
        scene.wait_cursor(reply["at"]["sequence"])
        (changed,) = scene.of_kind("currentUserChanged")
        assert changed.get("current") is None and changed["previous"]["username"] == "carol"
        assert len(scene.of_kind("loginRequired")) == 1 and not scene.of_kind("selectionRequired")


def test_handle_logout_follows_the_policy(start, scripted, alice):
    daemon = start(notes=scripted)
    accounts = signed_in(daemon, "alice", "bob", "carol")
    with daemon.scene() as scene:
        scene.id
        daemon.call("Logout", account=accounts["carol"])
        handling = scene.call("HandleLogout", more=True)
        choice = handling.wait_progress("selecting")
        assert {account["username"] for account in choice["accounts"]} == {"alice", "bob"}
        daemon.call("SwitchAccount", account=accounts["bob"])
        assert handling.wait()["progress"]["account"]["username"] == "bob"
