"""A login host's error text that carries a token: it is told to nobody, in whatever form and wherever it stands."""

import base64
import json
import os
import subprocess
import urllib.parse

import pytest
from calls import Waiting, authorize, sign_in
from daemon import SCENECTL
from descriptor_store import KeepingDaemon
from answering_idp import Answer, AnsweringProvider
from scene import CallFailed
from scenes import eventually
from test_secrets import files, occurrences
from visitor import Visitor, get

CLIENT_SECRET = "cl13nt/s3cr3t+w&rd=%41"

# How a secret may stand in a text.
FORMS = {
    "raw": str,
    "in an address": lambda s: f"https://h.example/x?refresh_token={urllib.parse.quote(s, safe='')}&x=1",
    "percent-encoded": lambda s: "".join(f"%{byte:02x}" for byte in s.encode()),
    "percent-encoded twice": lambda s: "".join(f"%25{byte:02X}" for byte in s.encode()),
    "base64": lambda s: base64.b64encode(s.encode()).decode(),
    "base64url": lambda s: base64.urlsafe_b64encode(s.encode()).decode().rstrip("="),
    "hexadecimal": lambda s: s.encode().hex(),
    "behind control characters": lambda s: "\x1b[31m" + "\x00".join(s) + "\u202e",
    "with zero widths": lambda s: "\u200b".join(s),
    "in two lines": lambda s: s[:len(s) // 2] + "\n" + s[len(s) // 2:],
    "in a JWT": lambda s: "eyJhbGciOiJub25lIn0." + base64.urlsafe_b64encode(s.encode()).decode().rstrip("=") + ".c2ln",
}


@pytest.fixture
def host():
    provider = AnsweringProvider()
    yield provider
    provider.stop()


@pytest.fixture
def daemon(start, host, directory):
    with open(f"{directory}/secret", "w") as file:
        file.write(CLIENT_SECRET)
    return start(notes=host.configuration(ClientSecretFile=f"{directory}/secret"))


class Witness:
    """All that anybody is told: two scenes, a monitor, the callers, scenectl, the journal, the service manager."""

    def __init__(self, daemon):
        self.daemon, self.seen = daemon, {}
        self.streams = {"a scene": daemon.connect(), "another scene": daemon.connect(), "a monitor": daemon.connect()}
        for name, stream in self.streams.items():
            if name == "a monitor":
                stream.send("org.scened.Manager.Monitor", {}, more=True)
            else:
                stream.send("ConnectScene", {"app": "notes"}, more=True)
        self.streams["a scene"].receive()

    def add(self, where, content):
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        content = content.encode() if isinstance(content, str) else content
        self.seen[where] = self.seen.get(where, b"") + content + b"\n"

    def call(self, method, **parameters):
        """The outcome of a call, whatever it is; what it is meant to give out is not looked at."""
        try:
            return self.daemon.call(method, **parameters)
        except CallFailed as failure:
            self.add(f"the error of {method}", f"{failure.name} {json.dumps(failure.parameters)}")
            return failure

    def finish(self):
        daemon = self.daemon
        for verb in (["status"], ["status", "--json"], ["accounts"], ["accounts", "--json"], ["scenes"], ["apps"]):
            shown = daemon.scenectl(*verb, *([] if verb[0] in ("status", "scenes", "apps") else ["--app", "notes"]))
            self.add(f"scenectl {verb}", shown.stdout + shown.stderr)
        for method in ("GetStatus", "ListRevocations", "ListScenes", "ListApps", "GetMetrics"):
            self.add(method, daemon.manager(method))
        for name in ("environ", "cmdline", "comm"):
            with open(f"/proc/{daemon.process.pid}/{name}", "rb") as file:
                self.add(name, file.read())
        for name, stream in self.streams.items():
            stream.socket.setblocking(False)
            self.add(name, bytes(stream._received))
            while True:
                try:
                    received = stream.socket.recv(1 << 20)
                except BlockingIOError:
                    break
                self.add(name, received)
                if not received:
                    break
            stream.close()
        # Whatever was on its way to the log is there then.
        assert daemon.stop() == 0
        self.add("the journal", daemon.stderr())
        self.add("the service manager", "\n".join(daemon.notifications))
        for path, content in files(daemon.state):
            self.add(path, content)
        return self

    def shows_none_of(self, secrets):
        found = []
        for where, content in self.seen.items():
            found += occurrences(secrets, content, where)
            for secret in filter(None, secrets):
                # Neither all of it percent-encoded, nor half of it.
                parts = [FORMS[name](secret) for name in FORMS if name.startswith("percent-encoded")]
                parts += [part.upper() for part in parts]
                parts += [secret[:len(secret) // 2], secret[len(secret) // 2:]] if len(secret) >= 40 else []
                found += [f"{where}: part of {secret[:4]}" for part in parts if part.encode() in content]
        assert found == []


def carrying(host, asked, form):
    """Every secret that the request carried, as a text of the login host's."""
    names = ("code", "code_verifier", "refresh_token", "token", "client_secret")
    found = [asked[name] for name in names if asked.get(name)] if isinstance(asked, dict) else [asked]
    host.secrets.update(found)
    return "Sorry: " + " ".join(FORMS[form](secret) for secret in [*found, CLIENT_SECRET])


# Where a login host may say something in place of what it is asked for.
PLACES = {
    "error_description": lambda text: Answer(400, {"error": "invalid_grant", "error_description": text}),
    "error": lambda text: Answer(400, {"error": text, "error_description": "x"}),
    "error_uri": lambda text: Answer(400, {"error": "invalid_grant", "error_uri": text}),
    "other members": lambda text: Answer(400, {"error": "invalid_grant", text: text, "errors": [{"message": text}]}),
    "an error of the client": lambda text: Answer(401, {"error": "invalid_client", "error_description": text},
                                                  WWW_Authenticate="Basic realm=\"" + urllib.parse.quote(text) + "\""),
    "an error with 200": lambda text: Answer(200, {"error": "access_denied", "error_description": text}),
    "JSON with 500": lambda text: Answer(500, {"error": "server_error", "error_description": text}),
    "HTML with 400": lambda text: Answer(400, f"<html><title>{text}</title><p>{text}", Content_Type="text/html"),
    "HTML with 200": lambda text: Answer(200, f"<html><p>{text}", Content_Type="text/html"),
    "JSON that is broken": lambda text: Answer(200, '{"error": "' + text),
    "a redirect": lambda text: Answer(302, "", Location="http://127.0.0.1:1/?" + urllib.parse.quote(text)),
    "headers": lambda text: Answer(429, {"error": "slow_down"}, Retry_After=urllib.parse.quote(text),
                                   X_Error=urllib.parse.quote(text), WWW_Authenticate="Bearer error_description=\""
                                   + urllib.parse.quote(text) + "\""),
    "the token's type": lambda text: Answer(200, {"access_token": "", "token_type": text}),
    "an ID token": lambda text: Answer(200, {"access_token": "a" * 40, "token_type": "Bearer", "id_token": text}),
    "a lifetime": lambda text: Answer(400, {"error": "invalid_grant", "expires_in": text, "scope": text}),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_text(daemon, host, form):
    """At each end of a login, a refresh and a revocation: as the description, and as the code."""
    witness = Witness(daemon)
    for place in ("error_description", "error"):
        host.faults = {}
        account = sign_in(daemon, "alice")
        for endpoint in ("token", "revoke", "userinfo"):
            host.faults[endpoint] = lambda asked: PLACES[place](carrying(host, asked, form))
        old = daemon.call("GetAccessToken", account=account["id"])["token"]["value"]
        witness.call("GetAccessToken", rejected=old)
        witness.call("Logout", account=account["id"])
        log_in(daemon, witness, user="alice")
        # The callback's own error carries what a careless host has at hand.
        host.faults = {"authorize": lambda callback: {
            **{k: v for k, v in callback.items() if k != "code"},
            "error": FORMS[form](callback["code"]) if place == "error" else "access_denied",
            "error_description": "Sorry: " + FORMS[form](callback["code"]), "error_uri": FORMS[form](callback["code"])}}
        log_in(daemon, witness, user="alice")
    witness.finish().shows_none_of(host.secrets | {CLIENT_SECRET})
    # The host's words as such are told, and the lines for those who look for faults were looked at too.
    errors = b"".join(content for where, content in witness.seen.items() if where.startswith("the error"))
    assert b"Sorry" in errors or b"[removed]" in errors
    assert b"<4>" in witness.seen["the journal"]


def log_in(daemon, witness, user):
    login = Waiting(daemon, "Login", loginHint=user)
    page = get(authorize(login.until("presenting")["authorizationUri"]))
    witness.add("the browser's page", str(page[1]).encode() + page[2])
    try:
        return login.end()
    except CallFailed as failure:
        witness.add("the error of Login", f"{failure.name} {json.dumps(failure.parameters)}")


@pytest.mark.parametrize("place", PLACES)
def test_each_place_of_a_text(daemon, host, place):
    witness = Witness(daemon)
    account = sign_in(daemon, "alice")
    answer = lambda asked: PLACES[place](carrying(host, asked, "raw"))  # noqa: E731
    host.faults = {"token": answer, "userinfo": answer, "revoke": answer}
    old = daemon.call("GetAccessToken")["token"]["value"]
    before = len(host.asked)
    failure = witness.call("GetAccessToken", rejected=old)
    again = isinstance(failure, CallFailed) and failure.name == "LoginHostUnavailable" and place != "headers"
    if again:
        # It is tried again by itself, and told at another level.
        eventually(lambda: len(host.asked) >= before + 2, 30, "another try")
    log_in(daemon, witness, user="bob")
    witness.call("Logout", account=account["id"])
    witness.finish().shows_none_of(host.secrets | {CLIENT_SECRET})
    journal = witness.seen["the journal"]
    assert not again or b"<7>Tokens could not be refreshed" in journal
    assert b"signed out" in journal and (b"<4>" in journal or place in ("the token's type", "an ID token"))


def test_no_trace_in_what_is_kept_over_a_restart(directory, host):
    """The verifier of a login under way is in one memory file, for the next process, and in nothing else."""
    daemon = KeepingDaemon(f"{directory}/0", {"notes": host.configuration()}).start()
    try:
        login = Waiting(daemon, "Login", loginHint="alice")
        uri = login.until("presenting")["authorizationUri"]
        eventually(lambda: [n for n, _ in daemon.kept if n.startswith("login-")], what="the login is kept")

        def read(number):
            with open(f"/proc/self/fd/{number}", "rb") as file:
                return file.read()

        kept = {name: read(number) for name, number in daemon.kept if name.startswith(("login-", "marks"))}
        # Its name does not lead anywhere, and others may not open it.
        assert all(os.readlink(f"/proc/self/fd/{n}").startswith("/memfd:") for k, n in daemon.kept if k in kept)
        get(authorize(uri))
        assert login.end()["account"]["username"] == "alice"
        eventually(lambda: [n for n, _ in daemon.kept if n.startswith("login-")] == [], what="it is kept no more")
        (verifier,) = [asked["code_verifier"] for asked in host.asked if "code_verifier" in asked]
        state = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(uri).query))["state"]
        holders = [name for name, content in kept.items() if verifier.encode() in content]
        assert len(holders) == 1 and holders[0].startswith("login-")
        assert occurrences({verifier, state}, kept["marks"], "marks") == []
        after = {name: read(number) for name, number in daemon.kept if name == "marks"}
        content = b"".join(after.values()) + "\n".join(daemon.notifications).encode() + daemon.stderr().encode()
        content += b"".join(content for _, content in files(daemon.state))
        assert occurrences(host.secrets | {state}, content, "what is left") == []
    finally:
        assert daemon.close() == 0, daemon.stderr()


def test_none_in_a_browsers_arguments_or_environment(start, host, directory):
    """All users of the machine can read the arguments of xdg-open, and its own user its environment."""
    host.metadata["end_session_endpoint"] = host.issuer + "/end"
    daemon = start(notes=host)
    with open(f"{directory}/xdg-open", "w") as script:
        script.write(f"#!/bin/sh\n{{ tr '\\0' ' ' </proc/self/environ; env; echo \"$0 $@\"; }} >>{directory}/seen\n")
    os.chmod(f"{directory}/xdg-open", 0o755)
    environment = {"DISPLAY": ":0", "PATH": f"{directory}:{os.environ['PATH']}"}
    program = subprocess.Popen(
        [SCENECTL, "login", "--app", "notes"], env={**daemon.environment, **environment}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not (line := program.stderr.readline()).startswith("  http"):
            assert line
        Visitor("alice").sign_in(line.strip())
        assert program.wait(30) == 0
    finally:
        program.kill()
        program.communicate()
    shown = daemon.scenectl("logout", "--app", "notes", "--browser", environment=environment)
    assert shown.returncode == 0 and not shown.stderr
    seen = eventually(lambda: os.path.exists(f"{directory}/seen") and open(f"{directory}/seen", "rb").read(),
                      what="the browser is opened")
    assert line.strip().encode() in seen and b"/end?" in seen
    assert len(host.secrets) >= 5 and occurrences(host.secrets, seen, "xdg-open") == []
