"""Apps of two scened instances that know nothing of each other, and talk through URLs of private schemes: one signs in
through the other, its identity provider."""

import os
import re
import subprocess
import time
import urllib.parse

import pytest
from calls import Waiting, Watcher, authorize, kinds, place, sign_in
from daemon import BINARIES, SCENECTL, Daemon
from descriptor_store import KeepingDaemon
from scene import CallFailed, call
from scenes import eventually
from users import MALLORY, VICTOR, connect

NOTES, MAIL = "com.example.notes", "com.example.scene"
REDIRECT = MAIL + ":/callback"
ASKER = {"RedirectURI": REDIRECT, "IdentityProvider": NOTES + ":"}
PROVIDER = {"MessageScheme": NOTES, "IdentityProviderFor": MAIL + ":"}


def split(url):
    """A message's address, and what it says."""
    address, query = url.split("?", 1)
    return address, dict(urllib.parse.parse_qsl(query))


def altered(url, kind=None, **changes):
    address, parts = split(url)
    if kind:
        address = address.rsplit("/", 1)[0] + "/" + kind
    parts = {key: value for key, value in {**parts, **changes}.items() if value is not None}
    return address + "?" + urllib.parse.urlencode(parts)


def handle(daemon, url, **parameters):
    return call(daemon.socket, "HandleResponse", url=url, **parameters)


def handled(daemon, url, **parameters):
    return handle(daemon, url, **parameters)["handled"]


def refused(daemon, times):
    """Why so many messages were refused, from the journal, which is written in its own time."""
    def reasons():
        return re.findall(r"Refused a response from pid \d+ of uid \d+: (.*?)\. MESSAGE_ID=", daemon.stderr())
    eventually(lambda: len(reasons()) >= times, what=f"{times} refusals in the journal")
    assert len(reasons()) == times
    return reasons()


class Pair:
    """Mail, which asks, and notes, where alice is signed in, each with a daemon of its own."""

    def __init__(self, start, scripted, asker=None, provider=None):
        self.asker = start(mail=scripted.configuration("mail", **{**ASKER, **(asker or {})}))
        self.provider = start(notes=scripted.configuration("notes", **{**PROVIDER, **(provider or {})}))
        self.account = sign_in(self.provider, "alice")
        self.notes, self.mail = Watcher(self.provider), Watcher(self.asker, "mail")

    def log_in(self, **options):
        """A login that asks, and the message that its scene is to open."""
        login = Waiting(self.asker, "Login", "mail", scene=self.mail.id, **options)
        progress = login.until("presenting")
        assert progress["identityProvider"] == NOTES + ":" and progress["loginScreen"].startswith("http://127.0.0.1:")
        return login, progress["identityProviderUri"]

    def requests(self):
        return self.provider.call("ListAuthorizations")["requests"]

    def answer(self, request, **decision):
        return self.provider.call("AuthorizeApp", scene=self.notes.id, request=request, **decision)

    def approve(self, request):
        """The login host's address, that notes' scene opens."""
        reply = self.answer(request, decision="approve", account=self.account["id"])
        assert set(reply) == {"authorizationUri"}
        return reply["authorizationUri"]

    def deny(self, request, **words):
        reply = self.answer(request, decision="deny", **words)
        assert set(reply) == {"message"}
        return reply["message"]

    def asked(self, url):
        assert handle(self.provider, url) == {"handled": True}
        [request] = self.requests()
        return request


@pytest.fixture
def pair(start, scripted):
    apps = Pair(start, scripted)
    yield apps
    apps.notes.close()
    apps.mail.close()


# MARK: authrequest


@pytest.mark.timeout(120)
def test_the_second_app_signs_in_without_a_password(start, provider, alice, directory):
    secret = f"{directory}/secret"
    with open(secret, "w") as file:
        file.write("scene-server-secret")
    client = {"ClientID": "scene-server", "ClientSecretFile": secret}
    asker = start(mail=provider.configuration("mail", **ASKER, **client))
    daemon = start(notes=provider.configuration("notes", **PROVIDER))
    signed_in = daemon.sign_in(alice)
    # From here on she has her session at the login host, and no password.
    alice._browser.user = alice._browser.password = None
    with daemon.scene("notes") as notes, asker.scene("mail") as mail:
        assert notes.id
        login = mail.log_in(loginHint="alice")
        asked = login.wait_progress("presenting")["identityProviderUri"]
        address, message = split(asked)
        assert address == NOTES + ":/idp/authrequest" and message["idp_sender"] == MAIL
        assert message["idp_scene"] == mail.id and 0 < int(message["idp_expires"]) - time.time() <= 300
        assert handle(daemon, asked) == {"handled": True}
        event = notes.wait_event("authorizationRequested")
        assert event["requestingApp"] == MAIL + ":"
        page = notes.call("AuthorizeApp", request=event["request"], decision="approve", account=signed_in["id"]).wait()
        sent = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page["authorizationUri"]).query))
        for name in ("client_id", "redirect_uri", "state", "nonce", "code_challenge", "code_challenge_method"):
            assert sent[name] == message[name]
        assert sent["client_id"] == "scene-server" and sent["login_hint"].startswith("alice")
        response = alice.authorize(page["authorizationUri"])
        assert response.startswith(REDIRECT + "?")
        assert handled(asker, response)
        account = login.wait()["progress"]["account"]
        assert (account["issuer"], account["displayName"]) == (signed_in["issuer"], signed_in["displayName"])
        # A grant of its own.
        tokens = [instance.call("GetAccessToken", app=app)["token"]["value"]
                  for instance, app in ((daemon, "notes"), (asker, "mail"))]
        assert tokens[0] != tokens[1] and [provider.userinfo(token) for token in tokens] == [200, 200]


def test_only_the_one_who_picks_is_asked_and_once(pair, scripted):
    login, asked = pair.log_in(loginHint="bob")
    request = pair.asked(asked)
    assert request["requestingApp"] == MAIL + ":" and request["loginHosts"] == [scripted.issuer]
    assert request["loginHint"] == "bob" and request["presenter"] == pair.notes.id
    # What a URL calls its request is no name of ours.
    assert request["request"] != split(asked)[1]["idp_request"]
    response = authorize(pair.approve(request["request"]))
    assert not pair.requests()
    with pytest.raises(CallFailed, match="UnknownRequest"):
        pair.approve(request["request"])
    assert handled(pair.asker, response)
    assert login.end()["account"]["username"] == "alice"
    # Nor does the same message ask again, or the response sign in again.
    assert not handled(pair.provider, asked) and not handled(pair.asker, response)
    assert refused(pair.provider, 1) == ["it was here before, or there are too many like it"]
    assert not pair.requests() and scripted.grants("alice") == 2


def now(seconds):
    return str(int(time.time()) + seconds)


@pytest.mark.parametrize("changes, reason", [
    ({"idp_sender": "com.example.evil", "redirect_uri": "com.example.evil:/cb"}, "no app takes it from this sender"),
    ({"redirect_uri": "com.example.evil:/cb"}, "its redirect URI is not of its sender's scheme"),
    ({"redirect_uri": "http://127.0.0.1:4711/cb"}, "its redirect URI is not of its sender's scheme"),
    ({"idp_expires": lambda: now(-1)}, "it has expired"),
    ({"idp_expires": lambda: now(700)}, "it has expired, or is to be good for longer than ten minutes"),
    ({"idp_nonce": None}, "its sender, request, nonce or expiry"),
    ({"idp_version": "2"}, "another version"),
    ({"code_challenge_method": "plain"}, "what it says is not in order"),
    ({"code_challenge": None, "code_challenge_method": None}, "what it says is not in order"),
    ({"idp_login_host": "https://evil.example"}, "a login host that the identity provider app does not have"),
    ({"idp_login_host": "javascript:alert(1)"}, "what it says is not in order"),
    ({"login_hint": "\x1b[31m"}, "what it says is not in order"),
    ({"state": "s" * 9000}, "no message that can be read"),
], ids=["sender", "another's redirect", "loopback redirect", "expired", "too long", "no nonce", "version", "plain",
        "no PKCE", "login host", "javascript", "control", "size"])
def test_what_is_not_in_order_asks_nobody(pair, changes, reason):
    """As a web page might have it."""
    login, asked = pair.log_in()
    changes = {key: value() if callable(value) else value for key, value in changes.items()}
    assert not handled(pair.provider, altered(asked, **changes))
    assert reason in refused(pair.provider, 1)[0]
    assert kinds(pair.notes.until(place(pair.provider))) == [] and not pair.requests()
    # It has not used up what the app has to ask.
    authorize(pair.approve(pair.asked(asked)["request"]))
    pair.asker.call("CancelLogin", app="mail")
    assert login.error()[0] == "LoginCancelled"


def test_a_code_for_somebody_elses_request_signs_nobody_in(pair, scripted):
    """Login CSRF: an attacker has alice's desktop ask with a request of their own, or brings a code of their own."""
    login, asked = pair.log_in()
    forged = altered(asked, state="chosen", nonce="chosen-too", code_challenge="x" * 43, idp_nonce="n" * 20,
                     idp_request="r" * 20)
    response = authorize(pair.approve(pair.asked(forged)["request"]))
    assert response.startswith(REDIRECT + "?") and not handled(pair.asker, response)
    assert refused(pair.asker, 1) == ["no login waits for it, or none any more"]
    # The response names the login's state: then it has to be of its verifier, too.
    assert handled(pair.asker, altered(response, state=split(asked)[1]["state"]))
    name, parameters = login.error()
    assert name == "LoginFailed" and parameters["code"] == "invalid_grant"
    assert pair.asker.call("ListAccounts", app="mail")["accounts"] == [] and not scripted.reused


def test_too_many_requests(pair):
    """A web page that opens one after the other."""
    login, asked = pair.log_in()
    for number in range(20):
        assert handled(pair.provider, altered(asked, idp_nonce=f"nonce-{number:010}")) is (number < 16)
    assert len(pair.requests()) == 16 and len(refused(pair.provider, 4)) == 4
    pair.asker.call("CancelLogin", app="mail")
    login.error()


def test_another_user_of_the_machine(instance, scripted):
    """Neither brings a message to another's session, nor is asked for another."""
    daemon = instance({"mail": scripted.configuration("mail", **ASKER), "notes": scripted.configuration(**PROVIDER)})
    with connect(daemon, VICTOR) as asking:
        replies = asking.stream("Login", app="mail")
        asked = next(r["progress"] for r in replies if r["progress"]["state"] == "presenting")["identityProviderUri"]
        error = altered(asked, "error", error="access_denied", idp_sender=NOTES).replace(NOTES + ":", MAIL + ":", 1)
        with connect(daemon, MALLORY) as other:
            # As far as it goes there, nobody of Mallory's is there to be asked.
            reply = other.call("HandleResponse", url=asked)
            assert reply["handled"] and "error=no_identity_provider_scene" in reply["open"]
            assert other.call("HandleResponse", url=error) == {"handled": False}
        assert "another user's login" in refused(daemon, 1)[0]
        with connect(daemon, VICTOR) as own:
            assert own.call("HandleResponse", url=error)["handled"] is True
        with pytest.raises(CallFailed, match="access_denied"):
            list(replies)


def test_the_scene_that_a_message_is_for(pair):
    login, asked = pair.log_in()
    assert not handled(pair.provider, asked, scene="nobody") and not pair.requests()
    assert handled(pair.provider, asked, scene=pair.notes.id)
    message = pair.deny(pair.requests()[0]["request"])
    bystander = Watcher(pair.asker, "mail")
    for scene in (bystander.id, "nobody"):
        assert not handled(pair.asker, message, scene=scene)
    assert handled(pair.asker, message, scene=pair.mail.id)
    assert login.error() == ("LoginFailed", {"code": "access_denied"})
    bystander.close()


# MARK: error


def test_denied(pair):
    login, asked = pair.log_in()
    message = pair.deny(pair.asked(asked)["request"], code="account_unusable", description="Ask the <b>office</b>.")
    address, parts = split(message)
    assert address == MAIL + ":/idp/error" and parts["idp_sender"] == NOTES
    forged = [
        altered(message, idp_nonce="n" * 20), altered(message, idp_request="r" * 20),
        altered(message, idp_sender="com.example.evil"), altered(message, idp_expires=now(-1)),
        altered(message, error=None), message.replace(MAIL + ":", "com.example.other:"),
    ]
    assert [handled(pair.asker, url) for url in forged] == [False] * len(forged)
    reasons = refused(pair.asker, len(forged))
    assert "has not the nonce of the request" in reasons[0] and "no login waits for an answer" in reasons[1]
    assert "not from the identity provider" in reasons[2] and "expired" in reasons[3]
    assert kinds(pair.mail.until(place(pair.asker, "mail"))) == ["loginStarted"]
    assert handled(pair.asker, message)
    assert login.error() == ("LoginFailed", {"code": "account_unusable", "description": "Ask the <b>office</b>."})
    # Once, and nothing of the next login's.
    again, _ = pair.log_in()
    assert not handled(pair.asker, message)
    pair.asker.call("CancelLogin", app="mail")
    assert again.error()[0] == "LoginCancelled"


def test_nobody_of_the_provider_is_there(pair, alice):
    login, asked = pair.log_in()
    pair.notes.close()
    eventually(lambda: not pair.provider.manager("ListScenes")["scenes"], what="the scene gone")
    reply = handle(pair.provider, asked)
    assert reply["handled"] and reply["open"].startswith(MAIL + ":/idp/error?")
    assert handled(pair.asker, reply["open"])
    progress = login.until("presenting")
    assert progress["reason"] == "noIdentityProviderScene" and "identityProviderUri" not in progress
    handled(pair.asker, authorize(progress["authorizationUri"], "alice"))
    assert login.end()["account"]["username"] == "alice"


def test_a_provider_that_cannot_be_started(start, scripted):
    pair = Pair(start, scripted, provider={"IdentityProviderDesktopEntry": "com.example.none.desktop"})
    login, asked = pair.log_in()
    pair.notes.close()
    eventually(lambda: not pair.provider.manager("ListScenes")["scenes"], what="the scene gone")
    reply = handle(pair.provider, asked)
    assert reply["handled"] and split(reply["open"])[1]["error"] == "no_identity_provider_scene"
    assert handled(pair.asker, reply["open"])
    assert login.until("presenting")["reason"] == "noIdentityProviderScene"
    pair.asker.call("CancelLogin", app="mail")
    assert login.error()[0] == "LoginCancelled"
    pair.mail.close()


def test_an_unreachable_login_host(pair, scripted):
    login, asked = pair.log_in()
    request = pair.asked(asked)
    pair.provider.stop()
    scripted.stop()
    pair.provider.start()
    # A restart has withdrawn what waited, and the login goes on without.
    assert pair.requests() == []
    with pytest.raises(CallFailed, match="UnknownScene|UnknownRequest"):
        pair.approve(request["request"])
    notes = Watcher(pair.provider)
    assert handle(pair.provider, altered(asked, idp_nonce="n" * 20)) == {"handled": True}
    reply = pair.provider.call("AuthorizeApp", scene=notes.id, request=pair.requests()[0]["request"],
                               decision="approve", account=pair.account["id"])
    assert split(reply["message"])[1]["error"] == "temporarily_unavailable"
    pair.asker.call("CancelLogin", app="mail")
    assert login.error()[0] == "LoginCancelled"
    notes.close()


# MARK: Without an answer


def test_the_local_login_is_there_all_the_while(pair):
    login, asked = pair.log_in()
    request = pair.asked(asked)
    local = Waiting(pair.asker, "LoginIfRequired", "mail", local=True)
    progress = login.until("presenting")
    assert "identityProviderUri" not in progress and "identityProvider" not in progress
    assert handled(pair.asker, authorize(progress["authorizationUri"], "bob"))
    assert login.end()["account"]["username"] == "bob" and local.end()["account"]["username"] == "bob"
    # What the provider sends now is late.
    assert not handled(pair.asker, authorize(pair.approve(request["request"])))
    for options in ({"local": True}, {"force": True}):
        own = Waiting(pair.asker, "Login", "mail", scene=pair.mail.id, **options)
        assert "identityProviderUri" not in own.until("presenting")
        pair.asker.call("CancelLogin", app="mail")
        own.error()


def test_a_restart_of_the_app_that_asks(directory, scripted):
    asker = KeepingDaemon(f"{directory}/asker", {"mail": scripted.configuration("mail", **ASKER)})
    asker.start()
    try:
        login = Waiting(asker, "LoginIfRequired", "mail")
        asked = login.until("presenting")["identityProviderUri"]
        asker.wait_notified("FDNAME=login-")
        asker.kill()
        login.close()
        asker.start()
        again = Waiting(asker, "LoginIfRequired", "mail")
        progress = again.until("presenting")
        # It goes on as a local one, and the response that was asked for still signs in; messages count no longer.
        assert "identityProviderUri" not in progress
        error = altered(asked, "error", error="access_denied", idp_sender=NOTES).replace(NOTES + ":", MAIL + ":", 1)
        assert not handled(asker, error)
        uri = altered(progress["authorizationUri"], login_hint="alice")
        assert split(uri)[1]["state"] == split(asked)[1]["state"]
        assert handled(asker, authorize(uri))
        assert again.end()["account"]["username"] == "alice"
    finally:
        assert asker.close() == 0


# MARK: authresponse, idpinit, idpauthcodeinit


def captured(pair, asked, kind="authresponse", **changes):
    """What a provider sends that has caught the login host's answer itself."""
    response = split(authorize(pair.approve(pair.asked(asked)["request"])))[1]
    envelope = {key: value for key, value in split(asked)[1].items()
                if key in ("idp_version", "idp_request", "idp_nonce", "idp_expires")}
    parts = {**envelope, "idp_sender": NOTES, **response, **changes}
    return f"{MAIL}:/idp/{kind}?" + urllib.parse.urlencode({k: v for k, v in parts.items() if v is not None})


def test_a_provider_that_catches_the_response(pair, scripted):
    login, asked = pair.log_in()
    message = captured(pair, asked)
    forged = [
        altered(message, idp_nonce="n" * 20), altered(message, idp_request="r" * 20), altered(message, state="s" * 20),
        altered(message, idp_sender="com.example.evil"), altered(message, iss="https://evil.example"),
        altered(message, idp_expires=now(-1)), altered(message, idp_expires=now(700)), altered(message, code=None),
        # Not asked for by the provider, so not its to begin.
        altered(message, "idpauthcodeinit"),
    ]
    assert [handled(pair.asker, url) for url in forged] == [False] * len(forged)
    assert refused(pair.asker, len(forged))[-1] == "the identity provider has not begun that login"
    assert handled(pair.asker, message)
    assert login.end()["account"]["username"] == "alice"
    assert not handled(pair.asker, message) and scripted.reused == []


def invitation(pair):
    reply = pair.provider.call("AuthorizeApp", scene=pair.notes.id, requestingApp=MAIL + ":", decision="approve",
                               account=pair.account["id"])
    assert set(reply) == {"message"} and split(reply["message"])[0] == MAIL + ":/idp/idpinit"
    return reply["message"]


def test_the_provider_begins(pair):
    message = invitation(pair)
    for url in (altered(message, idp_sender="com.example.evil"), altered(message, idp_expires=now(-1)),
                altered(message, idp_nonce=None)):
        assert handle(pair.asker, url) == {"handled": False}
    reply = handle(pair.asker, message)
    # The user is asked at the provider that the app has, whoever opened the message.
    assert reply["handled"] and split(reply["open"])[0] == NOTES + ":/idp/authrequest"
    assert split(reply["open"])[1]["login_hint"] == "alice"
    for again in (message, altered(message, idp_nonce="n" * 20)):
        assert handle(pair.asker, again) == {"handled": False}
    joined = Waiting(pair.asker, "LoginIfRequired", "mail", scene=pair.mail.id)
    assert joined.until("presenting")["identityProviderUri"] == reply["open"]
    assert handled(pair.asker, authorize(pair.approve(pair.asked(reply["open"])["request"])))
    assert joined.end()["account"]["username"] == "alice"


def test_the_provider_begins_and_brings_the_code(pair, scripted):
    """Bound to the app's own request: a code without one would sign a user in as somebody else."""
    unbound = altered(invitation(pair), "idpauthcodeinit", idp_request="r" * 20, state="chosen", code="of-an-attacker")
    assert handle(pair.asker, unbound) == {"handled": False}
    assert "no login waits for an answer" in refused(pair.asker, 1)[0]
    asked = handle(pair.asker, invitation(pair))["open"]
    message = captured(pair, asked, "idpauthcodeinit")
    assert not handled(pair.asker, altered(message, idp_nonce="n" * 20))
    assert handled(pair.asker, message)
    eventually(lambda: pair.asker.call("ListAccounts", app="mail").get("current"), what="somebody signed in")
    assert pair.asker.call("ListAccounts", app="mail")["current"]["username"] == "alice"


def test_who_cannot_be_invited(pair):
    login, _ = pair.log_in()
    assert handle(pair.asker, invitation(pair)) == {"handled": False}
    pair.asker.call("CancelLogin", app="mail")
    login.error()
    pair.asker.call("Lock", app="mail")
    assert handle(pair.asker, invitation(pair)) == {"handled": False}
    pair.asker.call("Unlock", app="mail")
    # Nobody takes it up.
    reply = handle(pair.asker, invitation(pair))
    assert reply["handled"] and reply["open"]
    pair.asker.call("CancelLogin", app="mail")
    eventually(lambda: kinds(pair.mail.until(place(pair.asker, "mail")))[-2:] == ["loginStarted", "loginEnded"],
               what="the login ended")


# MARK: Through a desktop


@pytest.fixture
def desktop(pair, directory):
    """Where each scheme belongs to the daemon of its app."""
    applications = f"{directory}/share/applications"
    os.makedirs(applications)
    for scheme, daemon in ((NOTES, pair.provider), (MAIL, pair.asker)):
        program = f"{directory}/open-{scheme}"
        with open(program, "w") as file:
            file.write(f'#!/bin/sh\nSCENED_SOCKET={daemon.socket} exec {SCENECTL} open "$1" >> {directory}/opened 2>&1\n')
        os.chmod(program, 0o755)
        with open(f"{applications}/{scheme}.desktop", "w") as file:
            file.write(f"[Desktop Entry]\nType=Application\nName={scheme}\nExec={program} %u\nTerminal=false\n"
                       f"MimeType=x-scheme-handler/{scheme};\n")
    subprocess.run(["update-desktop-database", applications], check=True, timeout=30)
    return {"XDG_DATA_HOME": f"{directory}/share", "XDG_DATA_DIRS": "/usr/share", "XDG_CONFIG_HOME": f"{directory}/xdg",
            "WAYLAND_DISPLAY": "none", "HOME": directory}


def test_in_two_terminals(pair, desktop):
    """Programs open each message as it comes, and the user says yes, or no."""
    for denies in (True, False):
        login = subprocess.Popen(
            [SCENECTL, "login", "--app", "mail"], env={**pair.asker.environment, **desktop}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        eventually(pair.requests, 30, "the provider asks")
        if denies:
            answer = pair.provider.scenectl("authorize", "--app", "notes", "--deny", environment=desktop)
            assert (answer.returncode, answer.stdout) == (0, "Denied.\n"), answer.stderr
            _, said = login.communicate(timeout=30)
            assert login.returncode == 77 and "denied" in said
            assert f"The app {NOTES} asks you. To sign in without it, open:" in said
        else:
            answer = pair.provider.scenectl("authorize", "--app", "notes", "--no-browser", "alice", environment=desktop)
            assert answer.returncode == 0, answer.stderr
            response = authorize(answer.stdout.split()[-1])
            subprocess.run(["xdg-open", response], env={**pair.asker.environment, **desktop}, stdin=subprocess.DEVNULL,
                           check=True, timeout=60)
            output, said = login.communicate(timeout=30)
            assert login.returncode == 0 and "Signed in as Alice (alice)" in output, said


def test_the_library(pair):
    """As apps of the Mobile SDK hand over what they were opened with."""
    login, asked = pair.log_in()
    probe = subprocess.Popen([os.path.join(BINARIES, "session-probe")], env=pair.provider.environment, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        print("configure notes", pair.provider.socket, file=probe.stdin, flush=True)
        for scene, answer in (("nobody", "false"), (pair.notes.id, "true"), (pair.notes.id, "false")):
            print("response", asked, scene, file=probe.stdin, flush=True)
            assert next(line.split()[1] for line in probe.stdout if line.startswith("response")) == answer
        assert handled(pair.asker, authorize(pair.approve(pair.requests()[0]["request"])))
        assert login.end()["account"]["username"] == "alice"
        probe.stdin.close()
        assert probe.wait(30) == 0
    finally:
        probe.kill()
        probe.stdout.close()
        probe.wait()


def test_nobody_has_the_scheme(pair, desktop, directory):
    os.unlink(f"{directory}/share/applications/{NOTES}.desktop")
    subprocess.run(["update-desktop-database", f"{directory}/share/applications"], check=True, timeout=30)
    login = subprocess.Popen(
        [SCENECTL, "login", "--app", "mail"], env={**pair.asker.environment, **desktop, "BROWSER": "/bin/false"},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = iter(login.stderr.readline, "")
    screen = next(line for line in said if line.startswith("  http://127.0.0.1:"))
    assert screen and any("No browser could be opened" in line for line in said)
    pair.asker.call("CancelLogin", app="mail")
    assert login.wait(30) == 77
    login.stdout.close()
    login.stderr.close()


def test_what_cannot_be_asked_is_named(directory, scripted):
    keys = {
        "loopback": {"IdentityProvider": NOTES + ":"},
        "nonsense": {"IdentityProvider": "notes:", "RedirectURI": REDIRECT},
        "itself": {"IdentityProvider": MAIL + ":", "RedirectURI": REDIRECT},
        "deaf": {"IdentityProviderFor": MAIL + ":"},
        "taken": {"MessageScheme": "https"},
        "entry": {"IdentityProviderDesktopEntry": "com.example.none.desktop"},
        "path": {"IdentityProviderDesktopEntry": "/etc/passwd.desktop"},
        "good": {**PROVIDER}, "better": {**ASKER}}
    daemon = Daemon(f"{directory}/0", {name: scripted.configuration(name, **value) for name, value in keys.items()})
    daemon.start()
    try:
        problems = {app["name"]: " ".join(app.get("problems", [])) for app in daemon.manager("ListApps")["apps"]}
    finally:
        assert daemon.close() == 0
    for name, text in {"loopback": "whose own RedirectURI= has a private scheme", "nonsense": "or a private scheme",
                       "itself": "not its own identity provider", "deaf": "add MessageScheme=",
                       "taken": "is a private scheme", "entry": "no desktop entry com.example.none.desktop",
                       "path": "the file name of a desktop entry"}.items():
        assert text in problems[name], (name, problems[name])
    assert problems["good"] == problems["better"] == ""
