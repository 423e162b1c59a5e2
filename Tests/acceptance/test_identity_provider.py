"""Two apps of one user: the second signs in through the first, its identity provider, without a password."""

import contextlib
import os
import urllib.parse

import pytest
from calls import Watcher
from daemon import Daemon
from provider import free_port
from scene import CallFailed
from scenes import eventually
from visitor import Visitor, get


def configurations(provider, secret=None, **keys):
    """Notes is the identity provider of mail; with a secret, mail is a client of its own."""
    client = {"ClientID": "scene-server", "ClientSecretFile": secret} if secret else {}
    return {"notes": provider.configuration("notes", IdentityProviderFor="mail"),
            "mail": provider.configuration("mail", IdentityProvider="notes", **client, **keys)}


@pytest.fixture
def apps(start, scripted, alice):
    """A daemon with alice signed in to notes."""
    daemon = start(**configurations(scripted))
    daemon.sign_in(alice)
    return daemon


@contextlib.contextmanager
def connected(daemon, *apps):
    """Scenes of these apps, all of them there."""
    with contextlib.ExitStack() as stack:
        scenes = [stack.enter_context(daemon.scene(app)) for app in apps]
        for scene in scenes:
            assert scene.id
        yield scenes


def request(scene, count=1):
    return scene.wait_event("authorizationRequested", count)["request"]


def account(daemon, app="notes"):
    return daemon.call("ListAccounts", app=app)["accounts"][0]["id"]


def approve(scene, request, account):
    return scene.call("AuthorizeApp", request=request, decision="approve", account=account)


def deny(scene, request, **words):
    return scene.call("AuthorizeApp", request=request, decision="deny", **words)


@pytest.mark.timeout(120)
def test_the_second_app_signs_in_without_a_password(start, provider, alice, directory):
    secret = f"{directory}/secret"
    with open(secret, "w") as file:
        file.write("scene-server-secret")
    daemon = start(**configurations(provider, secret))
    signed_in = daemon.sign_in(alice)
    # From here on she has her session at the login host, and no password.
    alice._browser.user = alice._browser.password = None
    with connected(daemon, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        waiting = login.wait_progress("waiting")
        assert waiting["identityProvider"] == "notes" and "loginScreen" not in waiting
        event = notes.wait_event("authorizationRequested")
        assert event["requestingApp"] == "mail" and event["presenter"] == notes.id
        page = approve(notes, event["request"], signed_in["id"]).wait()
        sent = urllib.parse.parse_qs(urllib.parse.urlsplit(page["authorizationUri"]).query)
        assert sent["client_id"] == ["scene-server"] and sent["code_challenge_method"] == ["S256"]
        alice.sign_in(page["loginScreen"])
        progress = login.wait()["progress"]
        assert progress["state"] == "signedIn"
        assert (progress["account"]["issuer"], progress["account"]["displayName"]) == (
            signed_in["issuer"], signed_in["displayName"])
        assert not any(progress.get("loginScreen") for progress in login.progress)

        # A grant of its own: each lives on without the other.
        tokens = [daemon.call("GetAccessToken", app=app)["token"]["value"] for app in ("notes", "mail")]
        assert tokens[0] != tokens[1]
        assert [provider.userinfo(token) for token in tokens] == [200, 200]
        assert notes.wait_event("authorizationEnded")["reason"] == "approved"
        daemon.call("Logout", app="notes", account=signed_in["id"])
        assert daemon.call("ListAccounts", app="mail")["current"]["id"] == progress["account"]["id"]
        assert not mail.of_kind("loggedOut") and not notes.of_kind("loggedIn")
    codes = provider.token_requests("authorization_code")
    assert len({code.form["code_verifier"] for code in codes[-2:]}) == 2


def test_denied(apps):
    with connected(apps, "notes", "mail", "mail") as (notes, mail, other):
        login = mail.log_in()
        asked = request(notes)
        assert deny(notes, asked).wait() == {}
        assert login.wait_error() == "LoginFailed" and login.error_parameters == {"code": "access_denied"}
        assert other.wait_event("loginEnded")["reason"] == "access_denied"
        assert notes.wait_event("authorizationEnded")["reason"] == "denied"
        again = mail.log_in()
        deny(notes, request(notes, 2), code="account_unusable", description="Ask the office.").wait()
        assert again.wait_error() == "LoginFailed"
        assert again.error_parameters == {"code": "account_unusable", "description": "Ask the office."}
        # The provider's own session has seen nothing of a login.
        assert not notes.of_kind("loginStarted") and not notes.of_kind("loginEnded")


def test_an_answer_counts_once(apps, alice):
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        asked, who = request(notes), account(apps)
        page = approve(notes, asked, who).wait()
        for replayed in (approve(notes, asked, who), deny(notes, asked)):
            assert replayed.wait_error() == "UnknownRequest" and replayed.error_parameters == {"request": asked}
        alice.sign_in(page["loginScreen"])
        assert login.wait()["progress"]["state"] == "signedIn"
        apps.call("LogoutAll", app="mail")
        mail.log_in()
        assert request(notes, 2) != asked
        assert approve(notes, asked, who).wait_error() == "UnknownRequest"
        apps.call("CancelLogin", app="mail")


def test_an_answer_of_a_wrong_scene(apps, scripted):
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        asked, who = request(notes), account(apps)
        # As the other app, and as that app's scene.
        assert approve(mail, asked, who).wait_error() == "UnknownRequest"
        with pytest.raises(CallFailed) as refused:
            apps.call("AuthorizeApp", app="notes", scene=mail.id, request=asked, decision="approve", account=who)
        assert refused.value.name == "UnknownScene"
        with pytest.raises(CallFailed) as refused:
            apps.call("AuthorizeApp", app="notes", request=asked, decision="approve", account=who)
        assert refused.value.name == "org.varlink.service.InvalidParameter"
        assert approve(notes, "made-up", who).wait_error() == "UnknownRequest"
        assert approve(notes, asked, "nobody").wait_error() == "UnknownAccount"
        assert not login.ended and scripted.authorizations == 1
        deny(notes, asked).wait()
        assert login.wait_error() == "LoginFailed"


@pytest.mark.parametrize("allowed", ["", "other"])
def test_who_may_not_ask_signs_in_alone(start, scripted, alice, allowed):
    texts = configurations(scripted)
    texts["notes"] = scripted.configuration("notes", IdentityProviderFor=allowed)
    daemon = start(**texts)
    daemon.sign_in(alice)
    with connected(daemon, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        alice.sign_in(login.wait_progress("presenting")["loginScreen"])
        assert login.wait()["progress"]["state"] == "signedIn"
        assert not notes.of_kind("authorizationRequested")


def test_without_a_scene_the_login_is_local(apps, alice):
    with apps.scene("mail") as mail:
        login = mail.log_in()
        shown = login.wait_progress("presenting")
        assert shown["reason"] == "noIdentityProviderScene"
        alice.sign_in(shown["loginScreen"])
        assert login.wait()["progress"]["state"] == "signedIn"


@pytest.fixture
def startable(directory, scripted):
    """A daemon whose notes has a unit, and no session yet; systemctl does as the test says, and notes its words."""
    texts = configurations(scripted)
    texts["notes"] = scripted.configuration("notes", IdentityProviderFor="mail", IdentityProviderUnit="notes@1.service")
    path = f"{directory}/bin"
    os.mkdir(path)

    def systemctl(status):
        with open(f"{path}/systemctl", "w") as file:
            file.write(f'#!/bin/sh\necho "$@" >> {path}/words\nexit {status}\n')
        os.chmod(f"{path}/systemctl", 0o755)

    def started():
        with contextlib.suppress(FileNotFoundError), open(f"{path}/words") as file:
            return file.read().splitlines()

    daemon = Daemon(f"{directory}/0", texts, environment={"PATH": f"{path}:{os.environ['PATH']}"})
    try:
        daemon.start()
        yield daemon, systemctl, started
    finally:
        assert daemon.close() == 0


def test_the_provider_is_started(startable, alice):
    daemon, systemctl, started = startable
    systemctl(0)
    with connected(daemon, "mail", "mail") as (mail, other):
        logins = [mail.log_in(), other.log_in()]
        assert logins[0].wait_progress("waiting")["identityProvider"] == "notes"
        assert eventually(started, what="the unit started") == ["--user --no-block start -- notes@1.service"]
        with connected(daemon, "notes") as [notes]:
            asked = request(notes)
            daemon.sign_in(alice)
            page = approve(notes, asked, account(daemon)).wait()
            alice.sign_in(page["loginScreen"])
            for login in logins:
                assert login.wait()["progress"]["state"] == "signedIn"
        assert len(started()) == 1


def test_the_provider_cannot_be_started(startable, alice):
    daemon, systemctl, started = startable
    systemctl(1)
    with connected(daemon, "mail") as [mail]:
        login = mail.log_in()
        shown = login.wait_progress("presenting")
        assert started() and shown["reason"] == "noIdentityProviderScene"
        alice.sign_in(shown["loginScreen"])
        assert login.wait()["progress"]["state"] == "signedIn"


def test_the_asked_scene_goes(apps, alice):
    with connected(apps, "mail", "notes") as (mail, notes):
        login = mail.log_in()
        request(notes)
        notes.close()
        shown = login.wait_progress("presenting")
        assert shown["reason"] == "noIdentityProviderScene"
        alice.sign_in(shown["loginScreen"])
        assert login.wait()["progress"]["state"] == "signedIn"


def test_the_scene_that_was_to_open_the_login_screen_dies(apps, alice):
    with connected(apps, "mail", "notes") as (mail, notes):
        login = mail.log_in()
        page = approve(notes, request(notes), account(apps)).wait()
        notes.kill()
        shown = login.wait_progress("presenting")
        assert shown["loginScreen"] == page["loginScreen"] and shown["identityProvider"] == "notes"
        alice.sign_in(shown["loginScreen"])
        assert login.wait()["progress"]["state"] == "signedIn"


def test_the_login_is_over_before_the_answer(apps):
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in(timeoutSeconds=1)
        asked = request(notes)
        assert login.wait_error() == "LoginTimedOut"
        assert notes.wait_event("authorizationEnded")["reason"] == "timedOut"
        assert approve(notes, asked, account(apps)).wait_error() == "UnknownRequest"
        assert apps.call("ListAuthorizations", app="notes") == {"requests": []}


def test_somebody_else_is_signed_in_at_the_login_host(apps, scripted):
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        page = approve(notes, request(notes), account(apps)).wait()
        bob = Visitor("bob")
        address = urllib.parse.urlsplit(bob.open(page["loginScreen"]))
        query = dict(urllib.parse.parse_qsl(address.query))
        assert query["login_hint"] == "alice" and query["id_token_hint"].count(".") == 2
        query["login_hint"] = "bob"
        _, headers, _ = get(address._replace(query=urllib.parse.urlencode(query)).geturl())
        bob.deliver(headers["Location"])
        assert login.wait_error() == "LoginFailed" and login.error_parameters["code"] == "otherAccount"
        assert apps.call("ListAccounts", app="mail")["accounts"] == []
        # What bob's sign-in gave is not left alive.
        eventually(lambda: not scripted.knows("bob"), what="the grant revoked")


def test_the_login_host_refuses(apps):
    """Its own code reaches who asked, and nobody else."""
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        page = approve(notes, request(notes), account(apps)).wait()
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(page["authorizationUri"]).query))
        answer = {"error": "account_selection_required", "state": query["state"]}
        get(query["redirect_uri"] + "?" + urllib.parse.urlencode(answer))
        assert login.wait_error() == "LoginFailed"
        assert login.error_parameters["code"] == "account_selection_required"
        assert [event["kind"] for event in notes.events] == [
            "snapshot", "authorizationRequested", "authorizationEnded"]


def test_an_unreachable_login_host_is_told_to_both(start, scripted, alice):
    texts = configurations(scripted)
    dead = f"http://127.0.0.1:{free_port()}"
    for name in texts:
        texts[name] += f"[LoginHost]\nURL={dead}\n"
    daemon = start(**texts)
    daemon.sign_in(alice)
    with connected(daemon, "notes", "mail") as (notes, mail):
        # Only accounts of the login host that mail asks for can be picked.
        login = mail.log_in(loginHost=dead)
        asked = request(notes)
        [open_request] = daemon.call("ListAuthorizations", app="notes")["requests"]
        assert open_request["request"] == asked and open_request["loginHosts"] == [dead]
        assert open_request["requestingApp"] == "mail" and 0 < open_request["expiresInSeconds"] <= 300
        answer = approve(notes, asked, account(daemon))
        assert answer.wait_error() == "UnknownLoginHost" and answer.error_parameters == {"url": scripted.issuer}
        deny(notes, asked).wait()
        login.wait_error()

        again = mail.log_in()
        asked = request(notes, 2)
        scripted.stop()
        answer = approve(notes, asked, account(daemon))
        # Its metadata is known, perhaps; then the login screen is up, and the user finds out.
        answer._scene._until(lambda: answer.ended, 30, "an answer")
        if answer.error:
            assert answer.error == "LoginHostUnavailable" and again.wait_error() == "LoginHostUnavailable"
        else:
            daemon.call("CancelLogin", app="mail")
            assert again.wait_error() == "LoginCancelled"


def test_without_the_provider_on_request(apps, alice):
    with connected(apps, "notes", "mail", "mail") as (notes, mail, other):
        first = mail.log_in()
        asked = request(notes)
        second = other.log_in(local=True)
        assert notes.wait_event("authorizationEnded")["reason"] == "cancelled"
        shown = first.wait_progress("presenting")
        alice.sign_in(shown["loginScreen"])
        for login in (first, second):
            assert login.wait()["progress"]["state"] == "signedIn"
        assert approve(notes, asked, account(apps)).wait_error() == "UnknownRequest"


def test_the_provider_begins(apps, alice):
    with connected(apps, "notes", "mail") as (notes, mail):
        page = notes.call("AuthorizeApp", requestingApp="mail", decision="approve", account=account(apps)).wait()
        login = mail.log_in()
        assert login.wait_progress("waiting")["identityProvider"] == "notes"
        alice.sign_in(page["loginScreen"])
        assert login.wait()["progress"]["account"]["username"] == "alice"
        assert mail.wait_event("currentUserChanged")["current"]["username"] == "alice"
        for app in ("notes", "maps"):
            refused = notes.call("AuthorizeApp", requestingApp=app, decision="approve", account=account(apps))
            assert refused.wait_error() == "AccessDenied"


def test_a_restart_ends_what_waits_for_an_answer(apps):
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        event = notes.wait_event("authorizationRequested")
        asked, seen = event["request"], event["at"]
        assert apps.stop() == 0
        assert login.wait_error() == "connection"
    apps.start()
    # A window that still asks the user is told.
    window = Watcher(apps, after=seen)
    [ended] = window.until(seen["sequence"] + 1)
    assert ended["kind"] == "authorizationEnded" and ended["reason"] == "abandoned"
    assert (ended["request"], ended["requestingApp"]) == (asked, "mail")
    window.close()
    with apps.scene("notes") as notes:
        assert apps.call("ListAuthorizations", app="notes") == {"requests": []}
        assert approve(notes, asked, account(apps)).wait_error() == "UnknownRequest"


def test_in_a_terminal(apps, alice):
    with connected(apps, "notes", "mail") as (notes, mail):
        login = mail.log_in()
        asked = request(notes)
        listed = apps.scenectl("authorize", "--app", "notes")
        assert listed.returncode == 0 and asked in listed.stdout and "mail" in listed.stdout
        answered = apps.scenectl("authorize", "--app", "notes", "alice")
        assert answered.returncode == 0, answered.stderr
        alice.sign_in(answered.stdout.split()[-1])
        assert login.wait()["progress"]["state"] == "signedIn"
        again = apps.scenectl("authorize", "--app", "notes", "--deny", "--request", asked)
        assert again.returncode == 1 and "waits for an answer" in again.stderr
        apps.call("LogoutAll", app="mail")
        begun = apps.scenectl("authorize", "--app", "notes", "--for", "mail", "alice")
        assert begun.returncode == 0, begun.stderr
        alice.sign_in(begun.stdout.split()[-1])
        assert mail.wait_event("loggedIn", 2)["account"]["username"] == "alice"
