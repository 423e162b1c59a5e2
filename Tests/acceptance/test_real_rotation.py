"""Rotation at real providers, both of which revoke what a refresh token that is used twice belongs to."""

import json

import pytest
from calls import Watcher, kinds, place, same_for_all
from scene import CallFailed
from scenes import eventually


def test_from_sign_in_to_logout(start, provider, alice):
    daemon = start(notes=provider)
    begin = len(provider.proxy.requests)
    daemon.sign_in(alice)
    # Each refresh token is used once, and then its successor.
    for _ in range(3):
        old = daemon.call("GetAccessToken")["token"]["value"]
        new = daemon.call("GetAccessToken", rejected=old)["token"]["value"]
        assert new != old and provider.userinfo(new) == 200
    requests = [r for r in provider.proxy.requests[begin:] if r.path.endswith("/token") and r.status == 200]
    used = [r.form["refresh_token"] for r in requests[1:]]
    given = [json.loads(r.answer)["refresh_token"] for r in requests]
    assert used == given[:3] and len(set(given)) == 4

    # An answer is lost: there is one more try, and then each scene is told why a sign-in is required.
    scenes = [Watcher(daemon) for _ in range(2)]
    provider.proxy.drops = "/token"
    try:
        with pytest.raises(CallFailed, match="LoginHostUnavailable"):
            daemon.call("GetAccessToken", rejected=new)
    finally:
        provider.proxy.drops = None
    eventually(lambda: daemon.call("ListAccounts")["accounts"][0]["state"] == "loginRequired", 60, "a sign-in is required")
    events = same_for_all(scenes, place(daemon))
    assert kinds(events) == ["accountChanged", "loginRequired"] and events[-1]["reason"] == "refreshInterrupted"
    with pytest.raises(CallFailed, match="refreshInterrupted"):
        daemon.call("GetAccessToken")
    # It has seen the same one twice, and what it gave in between is good for nothing.
    lost, again = [r for r in provider.proxy.requests[begin:] if r.form.get("grant_type") == "refresh_token"][3:]
    assert lost.form["refresh_token"] == again.form["refresh_token"] == given[3] and again.status in (400, 401, 403)
    account = daemon.sign_in(alice)
    token = daemon.call("GetAccessToken")["token"]["value"]
    assert account["state"] == "active" and provider.userinfo(token) == 200
    result = daemon.call("Logout", account=account["id"])["result"]
    # Glewlwyd revokes for confidential clients only, which have a test of their own.
    assert result["remote"] == ("revoked" if provider.name == "dot" else "unsupported")
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], 30, "nothing left to revoke")
    if provider.name == "dot":
        assert provider.userinfo(token) == 401
    for scene in scenes:
        scene.close()
