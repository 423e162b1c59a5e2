"""What the OpenID Foundation's relying party test plans provoke, provoked here.

The rows are the modules of its conformance suite's plans: "basic" and "config" (certification), "refreshtoken", and
those of the comprehensive client plan that apply. To a client of the code flow these do not: webfinger, dynamic
registration, request_uri, form_post, c_hash and a missing at_hash (hybrid), third-party initiated login, access tokens
in a form's body. What a row must come to is what its module asks for.
"""

import json
import re
import string

import jose
import pytest
from faulty_idp import ABSENT, KEYS, OTHER
from scene import CallFailed
from scenes import eventually

# Signed in, with userinfo used; or refused with this in the description, and no account; or, after a login that is in
# order, a refresh that is refused so and signs nobody out.
SIGNS_IN = "signs in"


def refused(words, code="invalid_id_token"):
    return ("refused", code, words)


def refresh(outcome):
    return ("refresh", outcome)


def switch(**switches):
    return lambda host: vars(host).update(switches)


def wrong_signature(token):
    """With one bit of the signature flipped."""
    signed, _, signature = token.rpartition(".")
    raw = bytearray(jose.unb64(signature))
    raw[len(raw) // 2] ^= 1
    return signed + "." + jose.b64(bytes(raw))


def at_refresh(**switches):
    return lambda host: host.at_refresh.update(switches)


CONFIDENTIAL = {"ClientSecretFile": "{directory}/secret"}

# Module without "oidcc-client-", what the host does, what must happen, and further keys of the app's configuration.
MODULES = {
    # basic
    "test": (switch(), SIGNS_IN),
    "test-invalid-iss": (switch(claims={"iss": "https://evil.example"}), refused("its iss")),
    "test-missing-sub": (switch(claims={"sub": ABSENT}), refused("lacks sub")),
    "test-invalid-aud": (switch(claims={"aud": "invalid"}), refused("its aud")),
    "test-missing-iat": (switch(claims={"iat": ABSENT}), refused("lacks iat")),
    "test-kid-absent-single-jwks": (
        switch(header={"kid": ABSENT}, published=[KEYS["RS256"].jwk(kid=None)]), SIGNS_IN),
    # Some clients try all keys. We hold to Core, section 10.1: `kid` has to be there.
    "test-kid-absent-multiple-jwks": (
        switch(header={"kid": ABSENT}, published=[OTHER.jwk(kid=None), KEYS["RS256"].jwk(kid=None)]),
        refused("kid is missing")),
    "test-idtoken-sig-rs256": (switch(), SIGNS_IN),
    "test-idtoken-sig-none": (switch(header={"alg": "none", "kid": ABSENT}, sign=lambda _: b""), refused("not signed")),
    "test-invalid-sig-rs256": (switch(whole_token=wrong_signature), refused("signature")),
    # Core, section 5.3.2: what userinfo says must not be used.
    "test-userinfo-invalid-sub": (switch(userinfo={"sub": "sub-eve", "name": "Eve"}), "signs in without userinfo"),
    "test-nonce-invalid": (switch(claims={"nonce": "invalid"}), refused("its nonce")),
    "test-scope-userinfo-claims": (switch(), SIGNS_IN),
    "test-client-secret-basic": (switch(), SIGNS_IN, CONFIDENTIAL),
    # config
    "test-discovery-openid-config": (switch(), SIGNS_IN),
    "test-discovery-jwks-uri-keys": (switch(), SIGNS_IN),
    "test-discovery-issuer-mismatch": (
        switch(metadata={"issuer": "https://evil.example"}), refused("issuer", "issuer_mismatch")),
    "test-signing-key-rotation-just-before-signing": (switch(rotates=True), SIGNS_IN),
    "test-signing-key-rotation": (switch(), "signs in twice"),
    # refreshtoken; the last two are of an earlier version of the plan
    "test-refresh-token": (switch(), refresh(SIGNS_IN)),
    "test-refresh-token-invalid-issuer": (
        at_refresh(claims={"iss": "https://evil.example"}), refresh(refused("its iss"))),
    "test-refresh-token-invalid-sub": (at_refresh(claims={"sub": "sub-eve"}), refresh(refused("its sub"))),
    "test-refresh-token-invalid-aud": (at_refresh(claims={"aud": "invalid"}), refresh(refused("its aud"))),
    "test-refresh-token-invalid-azp": (
        at_refresh(claims={"aud": ["scene", "other"], "azp": "other"}), refresh(refused("its azp"))),
    # of the comprehensive plan
    "test-missing-aud": (switch(claims={"aud": ABSENT}), refused("lacks aud")),
    "test-invalid-athash": (switch(claims={"at_hash": "invalid"}), refused("its at_hash")),
    "test-invalid-sig-es256": (switch(key=KEYS["ES256"], whole_token=wrong_signature), refused("signature")),
    "test-invalid-sig-hs256": (
        switch(header={"alg": "HS256"}, sign=jose.mac(b"another secret")), refused("not allowed: HS256"), CONFIDENTIAL),
    "test-nonce": (switch(), SIGNS_IN),
    "test-userinfo-bearer-header": (switch(), SIGNS_IN),
    # A signed answer is one that we did not ask for: the login goes on without it.
    "test-userinfo-signed": (
        switch(instead={"/userinfo": (200, b"eyJhbGciOiJSUzI1NiJ9.e30.AAAA", {"Content-Type": "application/jwt"})}),
        "signs in without userinfo"),
    "test-aggregated-claims": (
        switch(userinfo={"_claim_names": {"address": "s"}, "_claim_sources": {"s": {"JWT": "eyJ.e30.AAAA"}}}),
        SIGNS_IN),
    "test-distributed-claims": (
        switch(userinfo={"_claim_names": {"credit_score": "s"},
                         "_claim_sources": {"s": {"endpoint": "http://127.0.0.1:9/"}}}), SIGNS_IN),
    "test-mtls-endpoint-aliases": (
        switch(metadata={"mtls_endpoint_aliases": {"token_endpoint": "http://127.0.0.1:9/"}}), SIGNS_IN),
    "test-ignores-unparseable-key-in-jwks": (
        switch(published=[{"kty": "unknown", "kid": "k"}, {"kty": "RSA", "kid": "k", "n": "%", "e": 3}, 7,
                          KEYS["RS256"].jwk()]), SIGNS_IN),
}


def prepare(host, directory, module):
    fault, outcome, *keys = MODULES[module]
    with open(f"{directory}/secret", "w") as file:
        file.write("the client's secret\n")
    if module == "test-discovery-jwks-uri-keys":
        host.metadata = {"jwks_uri": host.issuer + "/jwks?" + module}
    fault(host)
    return outcome, host.configuration(**{k: v.format(directory=directory) for k, v in dict(*keys).items()})


@pytest.mark.parametrize("module", MODULES)
def test_module(start, faulty, alice, directory, module):
    outcome, configuration = prepare(faulty, directory, module)
    daemon = start(notes=configuration)
    if outcome[0] == "refused":
        return is_refused(daemon, faulty, alice, *outcome[1:])
    if outcome[0] == "refresh":
        return is_refreshed(daemon, faulty, alice, outcome[1])
    account = daemon.try_sign_in(alice)
    assert account["issuer"] == faulty.issuer and account["subject"] == "sub-alice"
    # The e-mail address is in userinfo only.
    used = outcome != "signs in without userinfo"
    assert account.get("email") == ("alice@example.com" if used else None) and account["displayName"] == "Alice"
    asked_as_it_should(faulty, daemon, module)
    if outcome == "signs in twice":
        faulty.rotate()
        daemon.try_sign_in(alice, loginHint="bob")
        assert len(daemon.call("ListAccounts")["accounts"]) == 2 and len(faulty.of("/jwks")) == 2
    if module == "test-signing-key-rotation-just-before-signing":
        assert len(faulty.of("/jwks")) == 2


def asked_as_it_should(host, daemon, module):
    (authorization,), (redemption,) = host.of("/authorize"), host.of("/token")
    assert authorization["response_type"] == "code" and "openid" in authorization["scope"].split()
    assert authorization["code_challenge_method"] == "S256"
    for name in ("state", "nonce"):
        assert len(authorization[name]) >= 22
        assert set(authorization[name]) <= {*string.ascii_letters, *string.digits, *"-_"}
    assert redemption["grant_type"] == "authorization_code"
    (userinfo,) = host.of("/userinfo")
    assert userinfo["Authorization"] == "Bearer " + daemon.call("GetAccessToken")["token"]["value"]
    if module == "test-client-secret-basic":
        credentials = jose.base64.b64decode(redemption["Authorization"].removeprefix("Basic ")).decode()
        assert credentials == "scene:the%20client%27s%20secret" and "client_secret" not in redemption
    else:
        assert redemption["client_id"] == "scene" and redemption["Authorization"] is None


def is_refused(daemon, host, visitor, code, words):
    with daemon.scene() as scene:
        scene.id
        with pytest.raises(CallFailed) as failure:
            daemon.try_sign_in(visitor)
        assert failure.value.name == "LoginFailed" and failure.value.parameters["code"] == code
        assert words in failure.value.parameters["description"]
        assert scene.wait_event("loginEnded")["reason"] == code
    assert daemon.call("ListAccounts")["accounts"] == []
    assert host.of("/userinfo") == [], "the access token was used"
    if code == "issuer_mismatch":
        assert host.of("/authorize") == [] and host.of("/token") == []
    no_secret_is_told(host, json.dumps(failure.value.parameters), daemon)


def is_refreshed(daemon, host, visitor, outcome):
    account = daemon.try_sign_in(visitor)
    old = daemon.call("GetAccessToken")["token"]["value"]
    userinfo = len(host.of("/userinfo"))
    if outcome == SIGNS_IN:
        new = daemon.call("GetAccessToken", rejected=old)["token"]["value"]
        assert new != old and host.is_good(new)
        assert daemon.call("GetIdentity")["claims"]["sub"] == "sub-alice"
        return
    before = daemon.call("GetIdentity")
    with pytest.raises(CallFailed) as failure:
        daemon.call("GetAccessToken", rejected=old)
    assert failure.value.name == "LoginFailed" and failure.value.parameters["code"] == outcome[1]
    assert outcome[2] in failure.value.parameters["description"]
    # The user stays, with what the host said of them before; no new token is used or handed out.
    eventually(lambda: daemon.call("ListAccounts")["accounts"][0]["state"] == "degraded", what="degraded")
    assert daemon.call("ListAccounts")["current"]["id"] == account["id"]
    assert daemon.call("GetAccessToken")["token"]["value"] == old
    assert daemon.call("GetIdentity") == before
    assert len(host.of("/userinfo")) == userinfo
    no_secret_is_told(host, json.dumps(failure.value.parameters), daemon)


def no_secret_is_told(host, text, daemon):
    for secret in host.secrets:
        assert secret not in text and secret not in daemon.stderr()
    assert not re.search(r"eyJ[\w-]{8}", text + daemon.stderr())
