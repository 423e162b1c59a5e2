"""A rotated refresh token survives what happens between the login host and the disk; where it cannot, each scene is told
why, and a sign-in helps."""

import contextlib
import threading

import pytest
from calls import Waiting, Watcher, authorize, kinds, place, same_for_all, sign_in
from faulty_idp import ABSENT
from faulty_line import FaultyLine, answer, cuts_the_answer, drops_the_answer
from scene import CallFailed
from scenes import eventually
from visitor import get


def then(instead):
    """Does what is asked at the host, and answers this."""
    def does(line, connection):
        line.forward(connection)
        connection.sendall(instead)
    return does


LOST = {
    "dropped": drops_the_answer, "cut": cuts_the_answer,
    "502": then(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"),
    "HTML": then(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"),
    "an empty object": then(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
}


@pytest.fixture
def behind(start, faulty):
    """A daemon with alice in it, and a line to the login host."""
    faulty.line = FaultyLine(faulty._server.server_port)
    faulty.metadata = {"token_endpoint": faulty.line.url}
    daemon = start(notes=faulty)
    sign_in(daemon, "alice")
    yield daemon
    faulty.line.close()


def token(daemon, **parameters):
    return daemon.call("GetAccessToken", **parameters)["token"]["value"]


def fails(daemon, **parameters):
    with pytest.raises(CallFailed) as failure:
        daemon.call("GetAccessToken", **parameters)
    return failure.value


def account(daemon):
    (account,) = daemon.call("ListAccounts")["accounts"]
    return account


def recovers(daemon, host, old):
    """With a refresh token that is good, at the first try."""
    def fresh():
        with contextlib.suppress(CallFailed):
            return token(daemon, rejected=old)
    assert host.is_good(eventually(fresh, 60, "a fresh token")) and host.reused == []
    assert account(daemon)["state"] == "active"


def signed_out_for(daemon, host, scenes, reason, old, kinds_before=("accountChanged",)):
    """Every scene is told once, and why; who signs in again is in."""
    eventually(lambda: account(daemon)["state"] == "loginRequired", 60, "a sign-in is required")
    events = same_for_all(scenes, place(daemon))
    assert kinds(events) == [*kinds_before, "loginRequired"] and events[-1]["reason"] == reason
    assert events[-1]["account"]["username"] == "alice"
    for _ in range(2):
        failure = fails(daemon, rejected=old)
        assert failure.name == "InteractionRequired" and failure.parameters["reason"] == reason
    host.line.heal() if hasattr(host, "line") else None
    host.at_refresh = {}
    sign_in(daemon, "alice")
    assert account(daemon)["state"] == "active" and host.is_good(token(daemon))
    assert host.is_good(token(daemon, rejected=token(daemon)))
    for scene in scenes:
        scene.close()


@pytest.mark.parametrize("loss", LOST)
def test_a_lost_answer_that_is_forgiven(behind, faulty, loss):
    scene = Watcher(behind)
    old = token(behind)
    faulty.line.break_with(LOST[loss])
    assert fails(behind, rejected=old).name in ("LoginHostUnavailable", "LoginFailed")
    faulty.line.heal()
    states = [event["account"]["state"] for event in scene.until(scene.at["sequence"] + 2)]
    assert states == ["degraded", "active"]
    recovers(behind, faulty, old)
    scene.close()


@pytest.mark.parametrize("loss", LOST)
def test_a_lost_answer_that_is_not_forgiven(behind, faulty, loss):
    """The host revokes the whole family of a refresh token that is used twice."""
    faulty.forgives, faulty.revokes_families = False, True
    scenes = [Watcher(behind) for _ in range(3)]
    old = token(behind)
    faulty.line.break_with(LOST[loss])
    assert fails(behind, rejected=old).name in ("LoginHostUnavailable", "LoginFailed")
    faulty.line.heal()
    signed_out_for(behind, faulty, scenes, "refreshInterrupted", old)
    assert len(faulty.reused) == 1


@pytest.mark.parametrize("forgives", [True, False], ids=["forgiven", "not forgiven"])
def test_killed_while_the_answer_is_on_its_way(behind, faulty, forgives):
    faulty.forgives, faulty.revokes_families = forgives, not forgives
    old = token(behind)
    with faulty.holding("/token") as arrived, behind.connect() as call:
        call.send("GetAccessToken", {"app": "notes", "rejected": old})
        assert arrived.wait(30)
        behind.kill()
    behind.start()
    scenes = [Watcher(behind) for _ in range(2)]
    if forgives:
        assert faulty.is_good(token(behind, rejected=old)) and faulty.reused == []
        assert all(scene.until(place(behind)) == [] for scene in scenes)
        return
    assert fails(behind, rejected=old).parameters["reason"] == "refreshInterrupted"
    signed_out_for(behind, faulty, scenes, "refreshInterrupted", old, ())


def test_a_refusal_out_of_the_blue_has_another_reason(behind, faulty):
    """An account that was disabled at its host, say."""
    scenes = [Watcher(behind) for _ in range(2)]
    old = token(behind)
    faulty.instead = {"/token": (400, {"error": "invalid_grant", "error_description": "disabled"})}
    assert fails(behind, rejected=old).parameters["reason"] == "grantRefused"
    faulty.instead = {}
    signed_out_for(behind, faulty, scenes, "grantRefused", old, ())


def test_no_refresh_token_at_the_sign_in(start, faulty):
    faulty.answer, faulty.lifetime = {"refresh_token": ABSENT}, 2
    daemon = start(notes=faulty)
    sign_in(daemon, "alice")
    scenes = [Watcher(daemon) for _ in range(2)]
    old = token(daemon, minimumValiditySeconds=1)

    def ends():
        with contextlib.suppress(CallFailed):
            return token(daemon, minimumValiditySeconds=1) and None
        return True
    eventually(ends, 30, "the token's end")
    faulty.answer, faulty.lifetime = {}, 300
    signed_out_for(daemon, faulty, scenes, "noRefreshToken", old, ())
    assert faulty.refreshes == 1


# What else a refresh may bring.

UNUSABLE = {
    "an unknown token_type": {"answer": {"token_type": "mac"}},
    "no access_token": {"answer": {"access_token": ABSENT}},
    "an ID token for somebody else": {"claims": {"aud": "other"}},
    "an ID token that is not signed": {"header": {"alg": "none"}, "sign": lambda _: b""},
    "an ID token of another access token": {"claims": {"at_hash": "x"}},
}


@pytest.mark.parametrize("fault", UNUSABLE)
def test_the_refresh_token_of_an_answer_that_cannot_be_used(behind, faulty, fault):
    """The one before it is spent: a host that forgives nothing would sign the user out."""
    faulty.forgives, faulty.revokes_families = False, True
    scene = Watcher(behind)
    old = token(behind)
    vars(faulty).update(UNUSABLE[fault])
    failure = fails(behind, rejected=old)
    assert failure.name == "LoginFailed", failure
    assert failure.parameters["code"] in ("invalid_token_response", "invalid_id_token")
    # It goes on so for a while, over a restart too; and what lives is handed out.
    eventually(lambda: faulty.refreshes >= 2, 30, "it tries again")
    assert token(behind) == old and account(behind)["state"] == "degraded"
    assert behind.stop() == 0
    behind.start()
    vars(faulty).update(answer={}, claims={}, header={}, sign=None)
    recovers(behind, faulty, old)
    scene.close()


@pytest.mark.parametrize("claim", ["sub", "iss"])
@pytest.mark.parametrize("rotates", [True, False], ids=["rotating", "not rotating"])
def test_anothers_tokens_are_revoked(behind, faulty, claim, rotates):
    """They are no business of ours. The account stays, with what it had."""
    faulty.rotates_refresh_tokens = rotates
    # A host that forgets the one token that it is told of, and not what belongs to it.
    faulty.revokes_families = False
    faulty.revokes_grants = False
    old, granted = token(behind), set(faulty.given)
    access = set(faulty._access)
    faulty.claims = {claim: "https://another.example"}
    failure = fails(behind, rejected=old)
    assert failure.name == "LoginFailed" and f"its {claim}" in failure.parameters["description"]
    (new_refresh,), (new_access,) = set(faulty.given) - granted, set(faulty._access) - access
    wanted = {new_access, new_refresh} if rotates else {new_access}
    eventually(lambda: wanted <= {form["token"] for form in faulty.revoked}, 30, "they are revoked")
    assert not granted & {form["token"] for form in faulty.revoked}
    assert token(behind) == old
    faulty.claims = {}
    recovers(behind, faulty, old)
    assert new_access not in behind.stderr() and new_refresh not in behind.stderr()


BAD_LOGINS = {
    "another nonce": {"claims": {"nonce": "x"}}, "another audience": {"claims": {"aud": "x"}},
    "no signature": {"header": {"alg": "none"}, "sign": lambda _: b""}, "no ID token": {"answer": {"id_token": ABSENT}},
    "no token_type": {"answer": {"token_type": ABSENT}}, "access_token null": {"answer": {"access_token": None}},
    "an access token alone": {"answer": {"id_token": ABSENT, "refresh_token": ABSENT}},
}


@pytest.mark.parametrize("fault", BAD_LOGINS)
def test_the_tokens_of_a_login_that_fails_are_revoked(start, faulty, alice, fault):
    """Nobody has them, and at the host they would live on."""
    vars(faulty).update(BAD_LOGINS[fault])
    daemon = start(notes=faulty)
    with pytest.raises(CallFailed, match="LoginFailed"):
        daemon.try_sign_in(alice)
    hints = {"access_token"} if "refresh_token" in faulty.answer else {"refresh_token"}
    if faulty.answer.get("access_token", "") is not None:
        hints.add("access_token")
    eventually(lambda: {form["token_type_hint"] for form in faulty.revoked} == hints, 30, "they are revoked")
    assert {form["token"] for form in faulty.revoked} <= faulty.secrets
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")
    assert not any(secret in daemon.stderr() for secret in faulty.secrets)
    assert daemon.call("ListAccounts")["accounts"] == []


def test_they_are_revoked_when_the_host_can_be_told(start, faulty, alice):
    faulty.claims = {"nonce": "x"}
    faulty.instead = {"/revoke": (503, {})}
    daemon = start(notes=faulty)
    with pytest.raises(CallFailed, match="LoginFailed"):
        daemon.try_sign_in(alice)

    def queued():
        return [(entry["reason"], entry["attempts"]) for entry in daemon.manager("ListRevocations")["revocations"]]
    eventually(lambda: queued() == [("notVerified", 1)], 30, "queued")
    assert "notVerified" in daemon.scenectl("status").stdout
    assert daemon.stop() == 0
    assert queued_after_restart(daemon) == [("notVerified", 1)]


def queued_after_restart(daemon):
    daemon.start()
    return [(entry["reason"], entry["attempts"]) for entry in daemon.manager("ListRevocations")["revocations"]]


# Answers that come too late.

@pytest.mark.parametrize("late", ["invalid_grant", "invalid_client", "tokens", "503"])
def test_a_late_answer_does_not_count_against_a_newer_sign_in(start, faulty, late):
    """A refresh is under way when the user signs in again; its answer comes when that is done."""
    daemon = start(notes=faulty)
    first = sign_in(daemon, "alice")
    old = token(daemon)
    scenes = [Watcher(daemon) for _ in range(2)]
    asked, goes_on = threading.Event(), threading.Event()
    answers = faulty._token

    def slow(form):
        if form["grant_type"] != "refresh_token":
            return answers(form)
        answered = answers(form) if late == "tokens" else (503, {}) if late == "503" else (400, {"error": late})
        asked.set()
        assert goes_on.wait(60)
        return answered

    faulty._token = slow
    with daemon.connect() as call:
        call.send("GetAccessToken", {"app": "notes", "rejected": old})
        try:
            assert asked.wait(30)
            assert sign_in(daemon, "alice")["id"] == first["id"]
            # Who waits for the old grant's refresh has what it wants: a token other than the one refused.
            new = call.reply()[0]["token"]["value"]
        finally:
            goes_on.set()
    if late == "tokens":
        eventually(lambda: faulty.given[1] in [form["token"] for form in faulty.revoked], 30, "the late tokens' end")
    assert new != old and faulty.is_good(new)
    faulty._token = answers
    assert token(daemon) == new and account(daemon)["state"] == "active"
    assert faulty.is_good(token(daemon, rejected=new))
    assert kinds(same_for_all(scenes, place(daemon))) == ["loginStarted", "loggedIn", "loginEnded"]
    for scene in scenes:
        scene.close()


@pytest.mark.parametrize("method", ["Logout", "CancelLogin"])
def test_userinfo_that_comes_too_late(start, faulty, method):
    """The sign-in has tokens, and is asking who they are about, when it is over."""
    daemon = start(notes=faulty)
    alice = sign_in(daemon, "alice")
    granted = set(faulty.given)
    asked, goes_on = threading.Event(), threading.Event()
    userinfo = faulty._userinfo

    def slow(access):
        asked.set()
        assert goes_on.wait(60)
        return userinfo(access)

    faulty._userinfo = slow
    call = Waiting(daemon, "Login", loginHint="alice")
    callback = authorize(call.until("presenting")["authorizationUri"])
    browser = threading.Thread(target=get, args=[callback], daemon=True)
    browser.start()
    try:
        assert asked.wait(30)
        daemon.call(method, **({"account": alice["id"]} if method == "Logout" else {}))
    finally:
        goes_on.set()
    name, _ = call.error()
    assert name == ("LoginFailed" if method == "Logout" else "LoginCancelled")
    (late,) = set(faulty.given) - granted
    eventually(lambda: late in [form["token"] for form in faulty.revoked], 30, "the late tokens are revoked")
    assert len(daemon.call("ListAccounts")["accounts"]) == (0 if method == "Logout" else 1)
    browser.join(30)


# Tokens that live for no time.

@pytest.mark.parametrize("seconds", [0, -1, 1])
def test_short_lived_tokens_are_no_storm(start, faulty, seconds):
    """Of a host whose tokens end when they come, one is fetched each second at the most, however many ask."""
    faulty.answer = {"expires_in": seconds}
    daemon = start(notes=faulty)
    sign_in(daemon, "alice")
    seen = set()
    calls = 0
    with daemon.connect() as connection:
        while faulty.refreshes < 3:
            for _ in range(20):
                value = connection.call("GetAccessToken", app="notes")["token"]
                assert value["expiresInSeconds"] <= max(seconds, 0)
                seen.add(value["value"])
                calls += 1
    assert calls >= 60 and len(seen) <= 5 and faulty.reused == []
    # What a resource has refused is replaced at once.
    old = token(daemon)
    assert token(daemon, rejected=old) != old
