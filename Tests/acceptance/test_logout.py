"""A logout in one scene reaches every scene and the login host."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request

import pytest
from scenes import eventually


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
