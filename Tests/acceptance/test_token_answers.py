"""What a token endpoint may answer: what passes is waited out, what is not in order is named, nobody is signed out."""

import json

import pytest
from faulty_idp import ABSENT
from scene import CallFailed
from scenes import eventually

HTML = b"<!DOCTYPE html><title>Welcome to the WLAN</title><p>Accept the terms"
GOOD = {"access_token": "a" * 20, "token_type": "Bearer", "expires_in": 300}


def whole(body, status=200, **headers):
    """This body in place of an answer."""
    return {"instead": {"/token": (status, body, {name.replace("_", "-"): value for name, value in headers.items()})}}


def change(**members):
    return {"answer": members}


# A captive portal, a proxy, a line that breaks: it may be all right the next time.
PASSING = {
    "HTML": whole(HTML, Content_Type="text/html"), "HTML said to be JSON": whole(HTML), "nothing": whole(b""),
    "JSON that breaks off": whole(json.dumps(GOOD)[:-20].encode()),
    "JSON that breaks off in a member": whole(b'{"access_token":"a","scope":{"x":{}'),
    "a body that breaks off": whole(json.dumps(GOOD).encode(), Content_Length="9999"),
    "10 MB": whole(b" " * (10 << 20)), "10 MB of JSON": whole(json.dumps({**GOOD, "x": "y" * (10 << 20)}).encode()),
    "a redirect": whole(b"", 302, Location="http://127.0.0.1:9/"), "502": whole(HTML, 502), "503": whole(b"", 503),
    "429": whole(b"{}", 429), "404": whole(HTML, 404), "an array": whole(b"[]"),
    "a form": whole(b"access_token=a&token_type=bearer", Content_Type="application/x-www-form-urlencoded"),
}
# The host's own answer, and no good: what is wrong with it, in words.
FAULTY = {
    "an empty object": (whole(b"{}"), "access_token"),
    "no access_token": (change(access_token=ABSENT), "access_token"),
    "access_token null": (change(access_token=None), "access_token"),
    "access_token a number": (change(access_token=7), "access_token"),
    "access_token with a line break": (change(access_token="a\r\nX: y"), "access_token"),
    "access_token too long": (change(access_token="a" * 70_000), "access_token"),
    "no token_type": (change(token_type=ABSENT), "token_type is missing"),
    "an unknown token_type": (change(token_type="mac"), "neither Bearer nor DPoP"),
    "token_type a list": (change(token_type=["Bearer"]), "token_type"),
    "refresh_token not plain": (change(refresh_token="é"), "refresh_token"),
    "access_token twice": (whole(json.dumps(GOOD)[:-1].encode() + b',"access_token":"b"}'), "a name twice"),
    "nested deeply": (whole(b'{"x":' + b"[" * 100 + b"]" * 100 + b"}"), "nested too deeply"),
    "nested without end": (whole(b'{"x":' * 30_000 + b"1" + b"}" * 30_000), "nested too deeply"),
    "two objects": (whole(json.dumps(GOOD).encode() + b" {}"), "text after the value"),
    "single quotes": (whole(b"{'access_token':'a'}"), "no name"),
    "no UTF-8": (whole(b'{"access_token":"\xff"}'), "no UTF-8"),
}


def sign_in_fails(daemon, visitor):
    with pytest.raises(CallFailed) as failure:
        daemon.try_sign_in(visitor)
    assert daemon.call("ListAccounts")["accounts"] == []
    return failure.value


def refresh_fails(daemon, old):
    """The failure; and what was there before is there still."""
    with daemon.scene() as scene:
        scene.id
        with pytest.raises(CallFailed) as failure:
            daemon.call("GetAccessToken", rejected=old)
        scene.wait_event("accountChanged")
        assert scene.of_kind("loginRequired") == []
    (account,) = daemon.call("ListAccounts")["accounts"]
    assert account["state"] == "degraded"
    # Who has not been refused the token is given it, and who has been hears the same until it is tried again.
    assert daemon.call("GetAccessToken")["token"]["value"] == old
    with pytest.raises(CallFailed) as again:
        daemon.call("GetAccessToken", rejected=old)
    assert again.value.name == failure.value.name
    return failure.value


@pytest.mark.parametrize("fault", PASSING)
def test_what_passes(start, faulty, alice, fault):
    daemon = start(notes=faulty)
    vars(faulty).update(PASSING[fault])
    assert sign_in_fails(daemon, alice).name == "LoginHostUnavailable"
    vars(faulty).update(instead={}, answer={})
    daemon.try_sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    vars(faulty).update(PASSING[fault])
    assert refresh_fails(daemon, old).name == "LoginHostUnavailable"


@pytest.mark.parametrize("fault", FAULTY)
def test_what_is_not_in_order(start, faulty, alice, fault):
    switches, words = FAULTY[fault]
    daemon = start(notes=faulty)
    vars(faulty).update(switches)
    told = [sign_in_fails(daemon, alice)]
    vars(faulty).update(instead={}, answer={})
    daemon.try_sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    vars(faulty).update(switches)
    told.append(refresh_fails(daemon, old))
    for failure in told:
        assert failure.name == "LoginFailed" and failure.parameters["code"] == "invalid_token_response"
        assert words in failure.parameters["description"]
    assert words in daemon.stderr()


def test_once_it_is_in_order_again(start, faulty, alice):
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    faulty.answer = {"token_type": "mac"}
    refresh_fails(daemon, old)
    faulty.answer = {}

    def refreshed():
        try:
            return daemon.call("GetAccessToken", rejected=old)["token"]["value"]
        except CallFailed as failure:
            assert failure.name == "LoginFailed"
            return None

    assert faulty.is_good(eventually(refreshed, 30, "a fresh token"))
    eventually(lambda: daemon.call("ListAccounts")["accounts"][0]["state"] == "active", what="active")


@pytest.mark.parametrize("code", ["invalid_client", "unauthorized_client"])
def test_a_client_that_is_refused_signs_nobody_out(start, faulty, alice, code):
    """An app's expired secret, say: its user's grant is as good as before."""
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    faulty.instead = {"/token": (401, {"error": code, "error_description": "Client secret has expired"})}
    failure = refresh_fails(daemon, old)
    assert failure.name == "LoginFailed" and failure.parameters["code"] == code
    assert failure.parameters["description"] == "Client secret has expired"


@pytest.mark.parametrize(("members", "expected"), [
    ({"expires_in": "300"}, {"expiresInSeconds": range(1, 301)}),
    ({"expires_in": ABSENT}, {"expiresInSeconds": None}),
    ({"expires_in": None}, {"expiresInSeconds": None}), ({"expires_in": [300]}, {"expiresInSeconds": None}),
    ({"expires_in": 299.9}, {"expiresInSeconds": range(1, 300)}),
    ({"expires_in": "soon"}, {"expiresInSeconds": None}),
    ({"expires_in": 10 ** 30}, {"expiresInSeconds": range(2_000_000_000, 2 ** 31)}),
    ({"token_type": "bEARER"}, {"type": "Bearer"}), ({"token_type": "dpop"}, {"type": "DPoP"}),
    ({"scope": "openid files"}, {"scope": "openid files"}),
    ({"scope": ABSENT}, {"scope": "openid profile email offline_access"}),
    ({"unknown": {"more": [1, {"x": None}]}}, {"type": "Bearer"}),
], ids=str)
def test_what_is_untidy_and_works(start, faulty, alice, members, expected):
    daemon = start(notes=faulty)
    faulty.answer = members
    daemon.try_sign_in(alice)
    token = daemon.call("GetAccessToken")["token"]
    for name, value in expected.items():
        assert token.get(name) in value if isinstance(value, range) else token.get(name) == value


@pytest.mark.parametrize("seconds", [-1, 0, -10 ** 30])
def test_a_token_that_has_ended_when_it_comes(start, faulty, alice, seconds):
    """It is given out, as nothing better can be had, and is not told to live."""
    faulty.answer = {"expires_in": seconds}
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    token = daemon.call("GetAccessToken")["token"]
    assert token["expiresInSeconds"] == 0 and faulty.refreshes <= 1


def test_less_scope_at_a_refresh(start, faulty, alice):
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    old = daemon.call("GetAccessToken", scope="email")["token"]["value"]
    faulty.answer = {"scope": "openid"}
    assert daemon.call("GetAccessToken", rejected=old)["token"]["scope"] == "openid"
    with pytest.raises(CallFailed) as failure:
        daemon.call("GetAccessToken", scope="email")
    assert failure.value.name == "InteractionRequired" and failure.value.parameters["reason"] == "scopeNotGranted"


def test_a_refresh_without_a_refresh_token_keeps_the_old_one(start, faulty, alice):
    faulty.rotates_refresh_tokens = False
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    for _ in range(2):
        old = daemon.call("GetAccessToken")["token"]["value"]
        assert daemon.call("GetAccessToken", rejected=old)["token"]["value"] != old
    first, second = (asked for asked in faulty.of("/token") if asked["grant_type"] == "refresh_token")
    assert first["refresh_token"] == second["refresh_token"]
