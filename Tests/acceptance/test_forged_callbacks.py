"""Callbacks that nobody sent change nothing, and the login then completes."""

import urllib.parse

import pytest
from visitor import get, way_on


class UnderWay:
    """A login whose user is back from the provider, with the callback not yet delivered."""

    def __init__(self, daemon, visitor, **options):
        self.scene = daemon.scene()
        self.call = self.scene.log_in("Login", **options)
        screen = self.call.wait_progress("presenting")["loginScreen"]
        self.visitor = visitor
        self.callback = visitor.authorize(visitor.open(screen))
        self.parts = urllib.parse.urlsplit(self.callback)
        self.query = dict(urllib.parse.parse_qsl(self.parts.query))

    def altered(self, path=None, **changes):
        query = {k: v for k, v in {**self.query, **changes}.items() if v is not None}
        return self.parts._replace(path=path or self.parts.path, query=urllib.parse.urlencode(query)).geturl()

    def completes(self):
        assert not self.call.ended, self.call.error
        assert self.visitor.deliver(self.callback).status == 200
        account = self.call.wait()["progress"]["account"]
        self.scene.close()
        return account


@pytest.fixture
def daemon(start, dot):
    return start(notes=dot)


@pytest.mark.parametrize("forge", [
    lambda login: (login.altered(state="c29tZXRoaW5nIGVsc2U"), {}),
    lambda login: (login.altered(state=None), {}),
    lambda login: (login.altered(state=""), {}),
    lambda login: (login.altered(state="forged", error="access_denied", code=None), {}),
    lambda login: (login.callback + "&state=" + login.query["state"], {}),
    lambda login: (login.altered(iss="https://evil.example"), {}),
    lambda login: (login.altered(path="/elsewhere"), {}),
    lambda login: (login.altered(path="/callback/more"), {}),
    lambda login: (login.altered(path="/"), {}),
    lambda login: (login.callback, {"Host": "evil.example"}),
    lambda login: (login.callback, {"Host": f"evil.example:{login.parts.port}"}),
    lambda login: (login.callback, {"Host": ""}),
], ids=["another state", "no state", "empty state", "an error with another state", "two states", "another issuer",
        "another path", "a longer path", "no path", "another host", "another host with the port", "no host"])
def test_a_forged_callback(daemon, dot, alice, forge):
    login = UnderWay(daemon, alice)
    redeemed = len(dot.token_requests("authorization_code"))
    url, headers = forge(login)
    status, _, body = get(url, headers)
    # What has a login's state is answered with a page, which is not to say that anybody is signed in.
    assert status in (0, *range(400, 500)) or b"nothing has changed" in body.lower(), body
    assert login.query["code"].encode() not in body
    assert len(dot.token_requests("authorization_code")) == redeemed
    assert login.completes()["username"] == "alice"
    assert len(dot.token_requests("authorization_code")) == redeemed + 1


def test_a_forged_callback_leaves_the_typed_name(daemon, alice):
    scene = daemon.scene()
    screen = scene.log_in("Login").wait_progress("presenting")["loginScreen"]
    uri = alice.open(screen, "alice@example.com")
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))
    assert asked["login_hint"] == "alice@example.com"
    forged = urllib.parse.urlencode({"state": asked["state"], "code": "x", "iss": "https://evil.example"})
    get(f"{asked['redirect_uri']}?{forged}")
    assert way_on(get(screen + "go")[2].decode()) == uri
    scene.close()


def test_a_callback_without_the_issuer_that_was_announced(daemon, dot, alice):
    """It cannot be told apart from another's (RFC 9207): the code goes nowhere, and the login ends with a reason."""
    login = UnderWay(daemon, alice)
    redeemed = len(dot.token_requests("authorization_code"))
    get(login.altered(iss=None))
    assert login.call.wait_error() == "LoginFailed" and login.call.error_parameters["code"] == "issuer_mismatch"
    assert len(dot.token_requests("authorization_code")) == redeemed
    assert daemon.call("ListAccounts")["accounts"] == []
    login.scene.close()


def test_a_callback_replayed(daemon, dot, alice, bob):
    first = UnderWay(daemon, alice)
    first.completes()
    redeemed = len(dot.token_requests("authorization_code"))
    # Nobody listens any more, or whoever listens refuses it.
    assert get(first.callback)[0] in (0, 400, 403, 404, 410)
    # While the next login runs, the old callback belongs to none.
    second = UnderWay(daemon, bob)
    replayed = first.parts._replace(netloc=second.parts.netloc).geturl()
    status, _, body = get(replayed)
    assert status == 0 or status >= 400, body
    assert len(dot.token_requests("authorization_code")) == redeemed
    assert second.completes()["username"] == "bob"
    assert {a["username"] for a in daemon.call("ListAccounts")["accounts"]} == {"alice", "bob"}
    assert dot.userinfo(daemon.call("GetAccessToken")["token"]["value"]) == 200


def test_the_same_callback_twice_redeems_once(daemon, dot, alice):
    login = UnderWay(daemon, alice)
    redeemed = len(dot.token_requests("authorization_code"))
    assert login.completes()["username"] == "alice"
    get(login.callback)
    assert len(dot.token_requests("authorization_code")) == redeemed + 1


def test_a_login_screen_that_was_guessed(daemon, alice):
    login = UnderWay(daemon, alice)
    origin = f"http://{login.parts.netloc}"
    screen = urllib.parse.urlsplit(login.call.progress[-1].get("loginScreen") or
                                   login.call.wait_progress("presenting")["loginScreen"])
    assert len(screen.path.rstrip("/").rsplit("/", 1)[-1]) >= 22  # 128 bits
    for path in ("/", "/login", screen.path[:-4] + "AAAA", screen.path + "x"):
        status, headers, body = get(origin + path)
        assert (status == 0 or status >= 400) and not headers.get("Location"), path
    assert login.completes()["username"] == "alice"
