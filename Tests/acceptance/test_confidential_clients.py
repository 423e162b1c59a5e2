"""An app that shows its login host who it is: by a secret or by a key, at every endpoint alike."""

import base64
import json
import os
import subprocess
import time
import urllib.parse

import jose
import pytest
from cryptography.hazmat.primitives.serialization import PrivateFormat
from daemon import SCENED
from faulty_idp import KEYS
from scene import CallFailed
from scenes import eventually

# What both halves have to be form-encoded for, before the base64 (RFC 6749, section 2.3.1).
SECRET = "p:ä %&=+s3cret"


def write(directory, name, content, mode=0o600):
    path = os.path.join(directory, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    os.chmod(path, mode)
    return path


def use(daemon, host, visitor):
    """Sign in, refresh and sign out; the requests that the host's endpoints were sent."""
    account = daemon.try_sign_in(visitor)
    old = daemon.call("GetAccessToken")["token"]["value"]
    daemon.call("GetAccessToken", rejected=old)
    assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "revoked"
    requests = host.of("/token") + host.of("/revoke")
    assert len(requests) >= 3
    return requests


def nothing_told(daemon, *secrets):
    told = daemon.stderr() + "\n".join(daemon.notifications)
    with open(f"/proc/{daemon.process.pid}/cmdline") as cmdline:
        told += cmdline.read()
    for secret in secrets:
        assert secret not in told


def by_basic(request):
    assert not {"client_id", "client_secret", "client_assertion"} & request.keys()
    pair = base64.b64decode(request["Authorization"].removeprefix("Basic ")).decode()
    assert [urllib.parse.unquote_plus(half) for half in pair.split(":")] == ["scene", SECRET]


def by_post(request):
    assert request["Authorization"] is None and "client_assertion" not in request
    assert (request["client_id"], request["client_secret"]) == ("scene", SECRET)


def publicly(request):
    assert request["Authorization"] is None and not {"client_secret", "client_assertion"} & request.keys()
    assert request["client_id"] == "scene"


METHODS = "token_endpoint_auth_methods_supported"


@pytest.mark.parametrize(("listed", "chosen", "sent"), [
    (None, None, by_basic), (["client_secret_basic", "client_secret_post"], None, by_basic),
    (["client_secret_post"], None, by_post), (["none"], None, by_basic), (["private_key_jwt"], "auto", by_basic),
    (["client_secret_post"], "basic", by_basic), (["client_secret_basic"], "client_secret_post", by_post),
    (None, "none", publicly),
], ids=str)
def test_a_secret(start, faulty, alice, directory, listed, chosen, sent):
    faulty.metadata = {METHODS: listed}
    keys = {"ClientAuthentication": chosen} if chosen else {}
    daemon = start(notes=faulty.configuration(
        ClientSecretFile=write(directory, "secret", SECRET + "\n"), **keys))
    for request in use(daemon, faulty, alice):
        sent(request)
    nothing_told(daemon, SECRET, urllib.parse.quote(SECRET))


def pkcs8(key):
    return key.pem()


def traditional(key):
    return key.pem(PrivateFormat.TraditionalOpenSSL)


def jwk(key):
    return json.dumps(key.private_jwk())


@pytest.mark.parametrize(("algorithm", "form"), [
    ("RS256", pkcs8), ("RS256", traditional), ("RS256", jwk), ("PS256", jwk), ("ES256", pkcs8), ("ES256", traditional),
    ("ES256", jwk), ("ES384", pkcs8), ("ES512", jwk),
])
def test_a_key(start, faulty, alice, directory, algorithm, form):
    key, before = KEYS[algorithm], int(time.time())
    daemon = start(notes=faulty.configuration(
        ClientKeyFile=write(directory, "key", form(key)), ClientAuthentication="private_key_jwt", ClientKeyID="mine"))
    seen = set()
    for request in use(daemon, faulty, alice):
        assert request["Authorization"] is None and "client_secret" not in request
        assert request["client_id"] == "scene"
        assert request["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        header, claims = key.verify(request["client_assertion"])
        assert header == {"alg": algorithm, "kid": "mine", "typ": "JWT"}
        assert (claims["iss"], claims["sub"], claims["aud"]) == ("scene", "scene", faulty.issuer)
        assert before <= claims["iat"] <= time.time() and claims["iat"] < claims["exp"] <= claims["iat"] + 600
        assert claims["jti"] not in seen and len(claims["jti"]) >= 22
        seen.add(claims["jti"])
        nothing_told(daemon, request["client_assertion"])


def test_a_host_that_wants_another_algorithm_and_audience(start, faulty, alice, directory):
    faulty.metadata = {"token_endpoint_auth_signing_alg_values_supported": ["ES256", "PS256"]}
    audience = faulty.issuer + "/token"
    daemon = start(notes=faulty.configuration(ClientKeyFile=write(directory, "key", KEYS["RS256"].pem()))
                   + f"ClientAssertionAudience={audience}\n")
    checker = jose.Key("PS256")
    checker.private = KEYS["RS256"].private
    for request in use(daemon, faulty, alice):
        header, claims = checker.verify(request["client_assertion"])
        assert claims["aud"] == audience and "kid" not in header


def test_a_credential(start, faulty, alice, directory):
    """As LoadCredential= hands it over."""
    daemon = start(notes=faulty.configuration(ClientSecretFile="credential:notes"))
    # Started without: it is not taken for a public client.
    with pytest.raises(CallFailed, match="LoadCredential="):
        daemon.try_sign_in(alice)
    daemon.stop()
    os.mkdir(f"{directory}/credentials")
    write(f"{directory}/credentials", "notes", SECRET)
    daemon.environment["CREDENTIALS_DIRECTORY"] = f"{directory}/credentials"
    daemon.start()
    for request in use(daemon, faulty, alice):
        by_basic(request)


# What the file is, and what is said of it.
UNUSABLE = {
    "a secret that is missing": ("ClientSecretFile", None, "cannot be read: No such file or directory"),
    "an empty secret": ("ClientSecretFile", "", "is empty"),
    "a blank secret": ("ClientSecretFile", "\n", "is empty"),
    "a secret of two lines": ("ClientSecretFile", "a\nb\n", "more than the one line"),
    "a secret that is no text": ("ClientSecretFile", b"\xff\xfe", "UTF-8"),
    "a key that is missing": ("ClientKeyFile", None, "cannot be read: No such file or directory"),
    "an empty key": ("ClientKeyFile", "\n", "is empty"),
    "something else in place of a key": ("ClientKeyFile", "s3cret", "neither PEM nor a JWK"),
    "a public key": ("ClientKeyFile", KEYS["ES256"].public_pem(), "no private key"),
    "a public JWK": ("ClientKeyFile", json.dumps(KEYS["ES256"].jwk()), "public key"),
    "a key with a passphrase": ("ClientKeyFile", KEYS["ES256"].pem(password=b"x"), "passphrase"),
    "an old key with a passphrase": (
        "ClientKeyFile", KEYS["ES256"].pem(PrivateFormat.TraditionalOpenSSL, b"x"), "passphrase"),
    "an Ed25519 key": ("ClientKeyFile", KEYS["EdDSA"].pem(), "no RSA key"),
    "half a key": ("ClientKeyFile", KEYS["RS256"].pem()[:400], "no RSA key"),
}


def unusable(host, directory, case):
    key, content, words = UNUSABLE[case]
    path = f"{directory}/absent" if content is None else write(directory, "file", content)
    return host.configuration(**{key: path}), f"{key}={path}", words


@pytest.mark.parametrize("case", UNUSABLE)
def test_what_cannot_be_used_is_no_public_client(start, faulty, alice, directory, case):
    configuration, name, words = unusable(faulty, directory, case)
    daemon = start(notes=configuration)
    with pytest.raises(CallFailed) as failure:
        daemon.try_sign_in(alice)
    assert failure.value.name == "LoginFailed" and failure.value.parameters["code"] == "clientCredentialUnusable"
    assert failure.value.parameters["description"].startswith(name + " ")
    assert words in failure.value.parameters["description"]
    assert faulty.requests == [], "the login host was asked all the same"
    # It is in the journal from the start, and --check-config tells it with file and line.
    assert name in daemon.stderr()
    checked = subprocess.run(
        [SCENED, "--check-config", "--config", daemon.configuration], capture_output=True, text=True, timeout=30)
    line = configuration.splitlines().index(name) + 1
    assert checked.returncode == 78
    assert f"{daemon.configuration}/apps.d/notes.conf:{line}: {name} " in checked.stdout and words in checked.stdout
    nothing_told(daemon, "s3cret", "PRIVATE KEY")


def test_check_config_tells_who_else_may_read_it(faulty, directory):
    os.makedirs(f"{directory}/config/apps.d")
    path = write(directory, "secret", SECRET, 0o644)
    configuration = faulty.configuration(ClientSecretFile=path)
    write(f"{directory}/config/apps.d", "notes.conf", configuration)

    def check():
        return subprocess.run([SCENED, "--check-config", "--config", f"{directory}/config"], capture_output=True,
                              text=True, timeout=30)

    checked = check()
    assert checked.returncode == 78 and "is open to everybody: chmod o=" in checked.stdout
    os.chmod(path, 0o600)
    assert check().returncode == 0 and SECRET not in checked.stdout


def test_a_secret_that_goes_away_loses_nothing(start, faulty, alice, directory):
    """Tokens that live are handed out, a refresh says what is wrong, a revocation waits; a new secret counts at once."""
    path = write(directory, "secret", SECRET)
    daemon = start(notes=faulty.configuration(ClientSecretFile=path))
    account = daemon.try_sign_in(alice)
    bob = daemon.try_sign_in(alice, loginHint="bob")
    old = daemon.call("GetAccessToken")["token"]["value"]
    os.unlink(path)
    asked = len(faulty.of("/token"))
    with pytest.raises(CallFailed) as failure:
        daemon.call("GetAccessToken", rejected=old)
    assert failure.value.name == "LoginFailed" and failure.value.parameters["code"] == "clientCredentialUnusable"
    assert daemon.call("GetAccessToken")["token"]["value"] == old
    assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "queued"
    assert len(daemon.manager("ListRevocations")["revocations"]) == 1
    assert len(faulty.of("/token")) == asked and faulty.of("/revoke") == []
    # Another one counts at once.
    write(directory, "secret", "another")

    def refreshed():
        try:
            return daemon.call("GetAccessToken", account=bob["id"], rejected=old)["token"]["value"]
        except CallFailed:
            return None

    assert faulty.is_good(eventually(refreshed, 30, "a fresh token"))
    pair = base64.b64decode(faulty.of("/token")[-1]["Authorization"].removeprefix("Basic ")).decode()
    assert pair == "scene:another"


def test_a_secret_that_is_back_is_tried_at_the_reload(start, faulty, alice, directory):
    daemon = start(notes=faulty.configuration(ClientSecretFile=f"{directory}/secret"))

    def seconds_from_logout_to_revocation():
        write(directory, "secret", SECRET)
        account = daemon.try_sign_in(alice)
        os.unlink(f"{directory}/secret")
        begin, told = time.monotonic(), len(faulty.of("/revoke"))
        assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "queued"
        write(directory, "secret", SECRET)
        daemon.manager("Reload")
        eventually(lambda: len(faulty.of("/revoke")) > told, 60, "the tokens are revoked")
        return time.monotonic() - begin

    # By itself it is not tried before 5 seconds are over; a slow machine has several goes.
    assert any(seconds_from_logout_to_revocation() < 5 for _ in range(5))


def test_an_app_that_is_away_for_a_while_signs_nobody_out(start, faulty, alice, directory):
    """As while its package is upgraded: without the secret the host refuses, and that says nothing of the grant."""
    daemon = start(notes=faulty.configuration(ClientSecretFile=write(directory, "secret", SECRET)))
    daemon.try_sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    faulty.instead = {"/token": (503, {})}
    with pytest.raises(CallFailed, match="LoginHostUnavailable"):
        daemon.call("GetAccessToken", rejected=old)
    configuration = os.path.join(daemon.configuration, "apps.d", "notes.conf")
    os.rename(configuration, f"{directory}/away")
    assert daemon.stop() == 0
    faulty.instead = {"/token": (400, {"error": "invalid_grant"})}
    asked = len(faulty.of("/token"))
    # A degraded account is refreshed soon after a start.
    daemon.start()
    eventually(lambda: "the app is no longer configured" in daemon.stderr(), 30, "the refresh comes to nothing")
    assert len(faulty.of("/token")) == asked
    faulty.instead = {}
    os.rename(f"{directory}/away", configuration)
    daemon.manager("Reload")

    def refreshed():
        try:
            return daemon.call("GetAccessToken", rejected=old)["token"]["value"]
        except CallFailed as failure:
            assert failure.name == "LoginHostUnavailable"
    assert faulty.is_good(eventually(refreshed, 60, "a fresh token"))


@pytest.mark.parametrize("error", ["{}", "your secret {} is wrong"])
def test_a_host_that_repeats_the_secret(start, faulty, alice, directory, error):
    daemon = start(notes=faulty.configuration(
        ClientSecretFile=write(directory, "secret", SECRET), ClientAuthentication="post"))
    faulty.instead = {"/token": (401, {"error": "invalid_client", "error_description": error.format(SECRET)})}
    with pytest.raises(CallFailed) as failure:
        daemon.try_sign_in(alice)
    assert failure.value.parameters["code"] == "invalid_client"
    nothing_told(daemon, SECRET)
    assert SECRET not in json.dumps(failure.value.parameters, ensure_ascii=False)
