"""An ID token with each single thing wrong ends the login with a reason of its own, and leaves no account behind."""

import json
import time

import jose
import pytest
from faulty_idp import ABSENT, KEYS, OTHER, FaultyProvider
from scene import CallFailed

NOW = int(time.time())  # when the tests were collected, which may be a while ago
SECRET = "the client's secret"


def with_bit(part, flip):
    """A token with one bit of its `part` changed."""
    def change(token):
        parts = token.split(".")
        raw = bytearray(jose.unb64(parts[part]))
        raw[flip] ^= 1
        return ".".join([*parts[:part], jose.b64(bytes(raw)), *parts[part + 1:]])
    return change


def twice(name, value):
    return lambda claims: json.dumps(claims)[:-1] + f', "{name}": {json.dumps(value)}}}'


# What the host does, and what the login's description says.
FAULTS = {
    "iss of another": ({"claims": {"iss": "https://evil.example"}}, "of another issuer: its iss"),
    "iss with a slash more": ({"claims": {"iss": lambda iss: iss + "/"}}, "of another issuer: its iss"),
    "no iss": ({"claims": {"iss": ABSENT}}, "lacks iss"),
    "no aud": ({"claims": {"aud": ABSENT}}, "lacks aud"),
    "aud of another": ({"claims": {"aud": "other"}}, "another client: its aud"),
    "aud without us": ({"claims": {"aud": ["other", "more"], "azp": "scene"}}, "another client: its aud"),
    "several aud without azp": ({"claims": {"aud": ["scene", "other"]}}, "lacks azp"),
    "azp of another": ({"claims": {"azp": "other"}}, "another client: its azp"),
    "exp in the past": ({"claims": {"exp": NOW - 61}}, "has expired: its exp"),
    "no exp": ({"claims": {"exp": ABSENT}}, "lacks exp"),
    "exp as text": ({"claims": {"exp": str(NOW + 300)}}, "no time: exp"),
    "no iat": ({"claims": {"iat": ABSENT}}, "lacks iat"),
    "iat in the future": ({"claims": {"iat": NOW + 3600}}, "from the future: its iat"),
    "nbf in the future": ({"claims": {"nbf": NOW + 3600}}, "not valid yet: its nbf"),
    "no nonce": ({"claims": {"nonce": ABSENT}}, "lacks nonce"),
    "nonce of another": ({"claims": {"nonce": "other"}}, "another login: its nonce"),
    "no sub": ({"claims": {"sub": ABSENT}}, "lacks sub"),
    "empty sub": ({"claims": {"sub": ""}}, "empty sub"),
    "long sub": ({"claims": {"sub": "s" * 256}}, "more than 255 bytes"),
    "sub as a number": ({"claims": {"sub": 7}}, "no text: sub"),
    "sub with control characters": ({"claims": {"sub": "al\x1b[2Jice"}}, "not plain ASCII"),
    "at_hash of another": ({"claims": {"at_hash": jose.at_hash("another token", "RS256")}}, "its at_hash"),
    "no auth_time": ({"max_age": 300}, "lacks auth_time"),
    "auth_time too long ago": ({"max_age": 300, "claims": {"auth_time": NOW - 3600}}, "too long ago: its auth_time"),
    "auth_time 0": ({"max_age": 300, "claims": {"auth_time": 0}}, "too long ago: its auth_time"),
    "alg none": ({"header": {"alg": "none"}, "sign": lambda _: b""}, "not signed"),
    "alg nOnE": ({"header": {"alg": "nOnE"}, "sign": lambda _: b""}, "not signed"),
    "alg none with a signature": ({"header": {"alg": "none"}}, "not signed"),
    "no alg": ({"header": {"alg": ABSENT}}, "names no algorithm"),
    "HS256 with the client's secret": (
        {"header": {"alg": "HS256"}, "sign": jose.mac(SECRET.encode())}, "allowed: HS256"),
    "HS256 with the public key": (
        {"header": {"alg": "HS256"}, "sign": jose.mac(KEYS["RS256"].public_pem())}, "allowed: HS256"),
    "ES256K": ({"header": {"alg": "ES256K"}}, "allowed: ES256K"),
    "no kid among several": (
        {"header": {"kid": ABSENT}, "published": [KEYS["RS256"].jwk(), OTHER.jwk(kid="o")]}, "kid is missing"),
    "kid of no key": ({"header": {"kid": "other"}}, "does not publish"),
    "kid as a number": ({"header": {"kid": 7}}, "kid that is no string"),
    "kid of a key for something else": ({"published": [KEYS["RS256"].jwk(use="enc")]}, "does not publish"),
    "kid of a key with another algorithm": ({"header": {"alg": "PS256"}}, "does not publish"),
    "no key at all": ({"published": []}, "does not publish"),
    "another key under the same kid": ({"published": [OTHER.jwk()]}, "signature"),
    "typ of an access token": ({"header": {"typ": "at+jwt"}}, "its typ"),
    "typ of a logout token": ({"header": {"typ": "logout+jwt"}}, "its typ"),
    "crit": ({"header": {"crit": ["exp"]}}, "critical"),
    "b64 false": ({"header": {"crit": ["b64"], "b64": False}}, "critical"),
    "encrypted": ({"whole_token": lambda _: jose.b64('{"alg":"RSA-OAEP","enc":"A128GCM"}') + ".a.b.c.d"}, "encrypted"),
    "nothing like a token": ({"whole_token": lambda _: "opaque"}, "no signed JWT"),
    "a claim twice": ({"claims_text": twice("sub", "sub-eve")}, "twice"),
    "claims that are an array": ({"claims_text": lambda claims: json.dumps([claims])}, "has no claims"),
    "huge": ({"claims": {"padding": "p" * 70_000}}, "larger than 64 KiB"),
    "a bit of the signature": ({"whole_token": with_bit(2, 100)}, "signature"),
    "a bit of the claims": ({"whole_token": with_bit(1, 30)}, "signature"),
    "no signature": ({"whole_token": lambda token: token.rpartition(".")[0] + "."}, "signature"),
    "none": ({"answer": {"id_token": ABSENT}}, "no ID token"),
}
CODES = {"none": "id_token_missing", "huge": "invalid_token_response"}


def prepared(host, directory, max_age=None, **switches):
    vars(host).update(switches)
    with open(f"{directory}/secret", "w") as file:
        file.write(SECRET)
    keys = {"DefaultMaxAge": max_age} if max_age else {}
    return host.configuration(ClientSecretFile=f"{directory}/secret", **keys)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault(start, faulty, alice, directory, fault):
    switches, words = FAULTS[fault]
    daemon = start(notes=prepared(faulty, directory, **switches))
    with daemon.scene() as scene:
        scene.id
        with pytest.raises(CallFailed) as failure:
            daemon.try_sign_in(alice)
        told = failure.value
        code = CODES.get(fault, "invalid_id_token")
        assert told.name == "LoginFailed" and told.parameters["code"] == code
        assert words in told.parameters["description"]
        assert scene.wait_event("loginEnded")["reason"] == code
        assert scene.of_kind("loggedIn") == [] and scene.of_kind("currentUserChanged") == []
    assert daemon.call("ListAccounts")["accounts"] == [] and faulty.of("/userinfo") == []
    for secret in faulty.secrets:
        assert secret not in json.dumps(told.parameters) + daemon.stderr()


@pytest.mark.parametrize("algorithm", KEYS)
def test_each_algorithm(start, faulty, alice, directory, algorithm):
    others = [key.jwk(kid=name) for name, key in KEYS.items() if name != algorithm]
    switches = {"key": KEYS[algorithm], "published": [*others, KEYS[algorithm].jwk()]}
    daemon = start(notes=prepared(faulty, directory, **switches))
    assert daemon.try_sign_in(alice)["subject"] == "sub-alice"


def seconds_away(seconds):
    return lambda _: int(time.time()) + seconds


@pytest.mark.parametrize("claims", [
    {"exp": seconds_away(-15), "iat": seconds_away(30), "nbf": seconds_away(30)}, {"at_hash": ABSENT},
    {"aud": ["scene"]}, {"auth_time": 0}, {"aud": ["scene", "other"], "azp": "scene"}, {"sub": "s" * 255},
    {"padding": "p" * 40_000}, {"auth_time": None},
], ids=["clocks that differ by less than a minute", "no at_hash", "aud as an array", "auth_time 0, which nobody asked for",
        "several aud with azp", "the longest sub", "large", "auth_time null"])
def test_in_order(start, faulty, alice, directory, claims):
    daemon = start(notes=prepared(faulty, directory, claims=claims))
    assert daemon.try_sign_in(alice)["subject"] in ("sub-alice", "s" * 255)


def test_max_age_is_asked_for(start, faulty, alice, directory):
    daemon = start(notes=prepared(faulty, directory, max_age=300, claims={"auth_time": seconds_away(-120)}))
    daemon.try_sign_in(alice)
    assert faulty.of("/authorize")[0]["max_age"] == "300"


def test_keys_rotated_between_authorization_and_exchange(start, faulty, alice):
    """They were in the cache by then: they are fetched once more, and not again for a key that is nobody's."""
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    assert len(faulty.of("/jwks")) == 1
    with daemon.scene() as scene:
        login = scene.log_in("Login", loginHint="bob")
        callback = alice.authorize(alice.open(login.wait_progress("presenting")["loginScreen"]))
        faulty.rotate()
        alice.deliver(callback)
        assert login.wait()["progress"]["account"]["subject"] == "sub-bob"
    assert len(faulty.of("/jwks")) == 2
    faulty.header = {"kid": "nobody's"}
    for _ in range(3):
        with pytest.raises(CallFailed):
            daemon.try_sign_in(alice, loginHint="carol")
    assert len(faulty.of("/jwks")) == 2, "asked again within the minute"


def test_a_refresh_without_id_token_keeps_the_old_one(start, faulty, alice):
    faulty.identifies_at_refresh = False
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    before = daemon.call("GetIdentity")
    old = daemon.call("GetAccessToken")["token"]["value"]
    assert daemon.call("GetAccessToken", rejected=old)["token"]["value"] != old
    assert daemon.call("GetIdentity") == before
    faulty.identifies_at_refresh = True
    old = daemon.call("GetAccessToken")["token"]["value"]
    daemon.call("GetAccessToken", rejected=old)
    assert daemon.call("GetIdentity")["idToken"] != before["idToken"]


@pytest.mark.parametrize("switches", [
    {"claims": {"exp": NOW - 3600, "iat": NOW - 3900}}, {"claims": {"iat": NOW + 3600, "exp": NOW + 3900}},
    {"header": {"kid": "not published yet"}},
], ids=["our clock is an hour ahead", "our clock is an hour behind", "a key that is not published yet"])
def test_a_refresh_is_not_lost_for_its_id_token(start, faulty, alice, switches):
    """The host has rotated the refresh token: without the new one, the user would be signed out."""
    daemon = start(notes=faulty)
    daemon.try_sign_in(alice)
    before = daemon.call("GetIdentity")
    vars(faulty).update(switches)
    for _ in range(3):
        old = daemon.call("GetAccessToken")["token"]["value"]
        new = daemon.call("GetAccessToken", rejected=old)["token"]["value"]
        assert new != old and faulty.is_good(new)
    assert faulty.refreshes == 3 and faulty.reused == []
    # Who the user is, is known from before.
    assert daemon.call("GetIdentity") == before


# Two login hosts in one app (RFC 9700, section 4.4): neither may pass for the other.

@pytest.fixture
def other():
    provider = FaultyProvider()
    yield provider
    provider.stop()


def test_mix_up(start, faulty, other, alice):
    """The host that the user chose sends them on to the other one, to get at the code of that one."""
    daemon = start(notes=faulty.configuration() + f"[LoginHost]\nURL={other.issuer}\n")
    with daemon.scene() as scene:
        login = scene.log_in("Login", loginHost=faulty.issuer)
        sent = alice.open(login.wait_progress("presenting")["loginScreen"])
        callback = alice.authorize(sent.replace(faulty.issuer, other.issuer))
        alice.deliver(callback)
        # The other host says that it is another (RFC 9207): its code goes nowhere, and the login goes on.
        assert not login.ended and faulty.of("/token") == other.of("/token") == []
        alice.deliver(alice.authorize(sent))
        assert login.wait()["progress"]["account"]["issuer"] == faulty.issuer
    assert other.of("/token") == []


def test_mix_up_with_a_host_that_does_not_say_who_it_is(start, faulty, other, alice):
    """Its redirect URI tells then (RFC 9700, section 4.4.2.2): it sends nobody to the first one's."""
    for host in (faulty, other):
        host.metadata, host.callback = {"authorization_response_iss_parameter_supported": False}, {"iss": ABSENT}
    daemon = start(notes=faulty.configuration() + f"[LoginHost]\nURL={other.issuer}\n"
                   "RedirectURI=http://127.0.0.1/callback/other\n")
    with daemon.scene() as scene:
        login = scene.log_in("Login", loginHost=faulty.issuer)
        sent = alice.open(login.wait_progress("presenting")["loginScreen"])
        sent_on = sent.replace(faulty.issuer, other.issuer).replace("%2Fcallback", "%2Fcallback%2Fother")
        callback = alice.authorize(sent_on)
        assert "/callback/other?" in callback
        assert alice.deliver(callback).status >= 400
        assert not login.ended and faulty.of("/token") == other.of("/token") == []
        alice.deliver(alice.authorize(sent))
        assert login.wait()["progress"]["account"]["issuer"] == faulty.issuer
    assert daemon.try_sign_in(alice, loginHost=other.issuer)["issuer"] == other.issuer
    assert other.of("/token")[0]["redirect_uri"].endswith("/callback/other")


def test_each_host_has_its_own_accounts(start, faulty, other, alice):
    daemon = start(notes=faulty.configuration() + f"[LoginHost]\nURL={other.issuer}\n")
    for host in (faulty, other):
        assert daemon.try_sign_in(alice, loginHost=host.issuer)["issuer"] == host.issuer
    accounts = daemon.call("ListAccounts")["accounts"]
    assert {(a["issuer"], a["subject"]) for a in accounts} == {(h.issuer, "sub-alice") for h in (faulty, other)}
    # A token of one host, be it signed by it, is none of the other's.
    faulty.claims = {"iss": other.issuer}
    with pytest.raises(CallFailed, match="its iss"):
        daemon.try_sign_in(alice, loginHost=faulty.issuer)
    # Nor is the same key that both publish.
    assert len(daemon.call("ListAccounts")["accounts"]) == 2


@pytest.mark.parametrize("issuer", ["{}x", "{}/tenant", "{}?a=b", "{}//", "https://127.0.0.1", "", None])
def test_the_metadata_of_another_issuer(start, faulty, alice, issuer):
    faulty.metadata = {"issuer": ABSENT if issuer is None else issuer.format(faulty.issuer)}
    daemon = start(notes=faulty)
    with pytest.raises(CallFailed) as failure:
        daemon.try_sign_in(alice)
    assert failure.value.name == "LoginFailed" and failure.value.parameters["code"] == "issuer_mismatch"
    assert faulty.of("/authorize") == []


def test_an_issuer_with_a_slash_at_its_end(start, faulty, alice):
    """Its metadata is where that of the issuer without one would be, so there can be but one; all else is exact."""
    faulty.metadata = {"issuer": faulty.issuer + "/"}
    faulty.claims = faulty.callback = {"iss": faulty.issuer + "/"}
    daemon = start(notes=faulty)
    assert daemon.try_sign_in(alice)["issuer"] == faulty.issuer + "/"
    faulty.claims = {}
    with pytest.raises(CallFailed, match="its iss"):
        daemon.try_sign_in(alice, loginHint="bob")
