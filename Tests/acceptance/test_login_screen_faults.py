"""Whatever goes wrong with a sign-in, its page says so in people's words, in their language, and what to do."""

import os
import socket
import urllib.parse

import pytest
from calls import authorize
from durable_changes import sign_in
from faulty_idp import ABSENT, FaultyProvider
from login_screen import DISCOVERY, choose, host, judge, login, signed_in, text
from provider import free_port
from test_unusable_state import fill, mounted
from visitor import form_token, get

LANGUAGES = pytest.mark.parametrize("language", ["en", "de"])


@pytest.fixture
def other():
    provider = FaultyProvider()
    yield provider
    provider.stop()


def callback(**changes):
    return lambda provider: provider.callback.update({"code": ABSENT, **changes})


def tokens(status, **answer):
    return lambda provider: provider.instead.update({"/token": (status, answer)})


REFUSALS = {
    "denied": (callback(error="access_denied"), "denied", "Access was denied at the login host.", None),
    "denied, with a reason": (callback(error="access_denied", error_description="Ask <b>Ada</b>."), "denied",
                              "sign in again in the app and allow the access", ("", "Ask <b>Ada</b>")),
    "expired": (tokens(400, error="invalid_grant"), "expired", "had expired, or was used already", None),
    "troubled": (callback(error="server_error", error_description="We <b>rest</b> now."), "host-troubled",
                 "cannot sign anybody in just now", ("", "We <b>rest</b> now")),
    "in words of its own": (callback(error="account_locked"), "refused", "The login host refused the sign-in.",
                            ("", "account_locked")),
    "the app": (tokens(401, error="invalid_client"), "app-refused", "does not accept this app", ("", "invalid_client")),
    "a scope": (callback(error="invalid_scope"), "app-refused", "Tell whoever set up the app", ("", "invalid_scope")),
    "no ID token": (lambda provider: provider.answer.update(id_token=ABSENT), "not-in-order", "is not in order",
                    ("en", "the token response has no ID token")),
    "another's ID token": (lambda provider: provider.claims.update(aud="another"), "not-in-order",
                           "nobody was signed in", ("en", "the ID token")),
    "neither code nor error": (callback(), "not-in-order", "tell whoever runs the login host",
                               ("en", "the callback carries neither code nor error")),
    "away": (tokens(503), "unreachable", "Scripted cannot be reached.", None),
}


@LANGUAGES
@pytest.mark.parametrize("case", REFUSALS)
def test_what_the_login_host_answers(start, faulty, window, case, language):
    prepare, kind, words, detail = REFUSALS[case]
    prepare(faulty)
    window = window(language=language)
    with login(start(notes=faulty), window) as (_, call):
        window.click("button.primary")
        fails_with(window, kind, language, words if language == "en" else None)
        marked = window.run("(e => e && [e.lang, e.innerText])(document.querySelector('main .quiet [lang]'))")
        assert marked is None if detail is None else (marked[0] == detail[0] and detail[1] in marked[1]), marked
        assert not window.has("main b")
        assert call.wait_error() == ("LoginHostUnavailable" if kind == "unreachable" else "LoginFailed")
        judge(window, f"{language}-{case.replace(' ', '-').replace(',', '')}")


def fails_with(window, kind, language, words=None):
    """The page that a login's browser ends on."""
    window.wait("document.querySelector('.failure [role=alert]') !== null", f"the page of {kind}")
    for key in (f"fault.{kind}.what", f"fault.{kind}.todo"):
        for part in text(language, key):
            window.shows(part)
    if words:
        window.shows(words)
    for key in ("failed.title", "close-window"):
        window.shows(*text(language, key))


def test_an_answer_of_another_login_host(start, faulty, window):
    faulty.callback = {"iss": "https://evil.example"}
    window = window()
    with login(start(notes=faulty), window) as (_, call):
        window.click("button.primary")
        fails_with(window, "foreign", "en", "not from the login host that was asked")
        assert not call.ended
        judge(window, "en-foreign")


@LANGUAGES
def test_a_login_host_that_cannot_be_reached(start, faulty, window, language):
    away = f"http://127.0.0.1:{free_port()}"
    daemon, window = start(notes=faulty.configuration() + host(away, "Away")), window(language=language)
    with login(daemon, window) as (_, call):
        choose(window, away)
        window.follow("button.primary")
        for part in text(language, "fault.unreachable.what") + text(language, "fault.unreachable.todo"):
            window.shows(part)
        # What the network said stands behind it, for those who can read it.
        assert "connect" in window.run("document.querySelector('.alert .quiet [lang=en]').innerText")
        judge(window, f"{language}-unreachable-at-first")
        window.follow("button.primary")  # Try again
        window.wait("document.querySelector('.alert') !== null")
        assert not call.ended
        choose(window, faulty.issuer)
        window.click("button.primary")
        window.wait("document.querySelector('.success') !== null")
        assert signed_in(call)["issuer"] == faulty.issuer


@LANGUAGES
def test_one_that_is_no_login_host(start, faulty, other, window, language):
    other.instead[DISCOVERY] = (200, {})
    daemon, window = start(notes=faulty.configuration() + host(other.issuer, "Shop")), window(language=language)
    with login(daemon, window) as (_, call):
        choose(window, other.issuer)
        window.follow("button.primary")
        for part in text(language, "fault.not-a-host.what") + text(language, "fault.not-a-host.todo"):
            window.shows(part)
        judge(window, f"{language}-not-a-host")
        # It gets better while the user looks.
        del other.instead[DISCOVERY]
        window.click("button.primary")
        window.wait("document.querySelector('.success') !== null")
        assert signed_in(call)["issuer"] == other.issuer


@LANGUAGES
def test_a_port_that_another_program_has(start, faulty, other, window, language):
    """The login host that was chosen needs it for its answers; the screen stays, and another can be chosen."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        app = (faulty.configuration() + host(other.issuer, "Other")
               + f"RedirectURI=http://127.0.0.1:{taken.getsockname()[1]}/back\n")
        daemon, window = start(notes=app), window(language=language)
        with login(daemon, window) as (_, call):
            choose(window, other.issuer)
            for part in text(language, "fault.machine.what"):
                window.shows(part)
            judge(window, f"{language}-machine")
            assert not call.ended
            choose(window, faulty.issuer)
            window.click("button.primary")
            window.wait("document.querySelector('.success') !== null")
            assert signed_in(call)["issuer"] == faulty.issuer


@LANGUAGES
def test_a_secret_that_cannot_be_read(start, faulty, window, directory, language):
    with open(f"{directory}/secret", "w") as file:
        file.write("secret")
    daemon, window = start(notes=faulty.configuration(ClientSecretFile=f"{directory}/secret")), window(language=language)
    with login(daemon, window) as (_, call):
        os.remove(f"{directory}/secret")
        window.click("button.primary")
        fails_with(window, "app-credential", language)
        assert call.wait_error() == "LoginFailed"
        judge(window, f"{language}-app-credential")


@LANGUAGES
def test_a_sign_in_that_takes_too_long(start, faulty, window, language):
    window = window(language=language)
    with login(start(notes=faulty), window, timeoutSeconds=4) as (_, call), faulty.holding("/token") as arrived:
        window.click("button.primary")
        assert arrived.wait(20)
        assert call.wait_error() == "LoginTimedOut"
        fails_with(window, "timed-out", language, "The sign-in took too long." if language == "en" else None)
        judge(window, f"{language}-timed-out")


@LANGUAGES
def test_what_cannot_be_stored(start, faulty, window, state, language):
    with mounted(state, "size=300k"):
        daemon, window = start(notes=faulty), window(language=language)
        with login(daemon, window) as (_, call):
            window.follow(".settings")
            fill(state)
            window.fill("#address", "https://own.example")
            window.follow("button[name=add]")
            for part in text(language, "invalid.storage"):
                window.shows(part)
            window.click("a.back")
            window.click("button.primary")
            fails_with(window, "storage", language)
            assert call.wait_error() == "StorageUnavailable"
            judge(window, f"{language}-storage")
            os.remove(f"{state}/filler")
        sign_in(daemon, "alice")
        assert daemon.stop() == 0


@LANGUAGES
def test_a_user_who_is_signed_out_meanwhile(start, faulty, alice, window, language):
    daemon, window = start(notes=faulty), window(language=language)
    account = daemon.sign_in(alice)
    with login(daemon, window, "Login") as (_, call):
        with faulty.holding("/token") as arrived:
            window.click("button.primary")
            assert arrived.wait(20)
            daemon.call("Logout", account=account["id"])
        fails_with(window, "signed-out", language)
        assert call.wait_error() == "LoginFailed"
        judge(window, f"{language}-signed-out")


@LANGUAGES
def test_a_login_that_is_cancelled_while_the_page_waits(start, faulty, window, language):
    window = window(language=language)
    daemon = start(notes=faulty)
    with login(daemon, window) as (_, call), faulty.holding("/token") as arrived:
        window.click("button.primary")
        assert arrived.wait(20)
        daemon.call("CancelLogin")
        window.shows(*text(language, "cancelled.title"))
        assert call.wait_error() == "LoginCancelled"


@LANGUAGES
def test_another_user_than_was_picked_in_the_other_app(start, faulty, alice, window, language):
    daemon = start(notes=faulty.configuration("notes", IdentityProviderFor="mail"),
                   mail=faulty.configuration("mail", IdentityProvider="notes"))
    account = daemon.sign_in(alice)
    window = window(language=language)
    with daemon.scene() as notes, daemon.scene("mail") as mail:
        assert notes.id and mail.id
        call = mail.log_in()
        asked = notes.wait_event("authorizationRequested")["request"]
        page = notes.call("AuthorizeApp", request=asked, decision="approve", account=account["id"]).wait()
        window.open(page["loginScreen"])
        window.fill("#account", "bob")
        window.click("button.primary")
        fails_with(window, "other-user", language)
        assert call.wait_error() == "LoginFailed"
        judge(window, f"{language}-other-user")


def unread(url, body=None):
    """A browser's request, of whose answer nothing has been read, and next to nothing can be on its way."""
    parts = urllib.parse.urlsplit(url)
    browser = socket.socket()
    browser.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    browser.connect((parts.hostname, parts.port))
    form = f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n" if body else ""
    browser.sendall(f"{'POST' if body else 'GET'} {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
                    f"{form}\r\n{body or ''}".encode())
    return browser


@pytest.mark.parametrize("end", ["signed in", "cancelled", "failed"])
def test_the_last_page_arrives_whole_when_its_address_is_gone(start, faulty, end):
    daemon = start(notes=faulty)
    sign_in(daemon, "bob")
    faulty.callback = {"code": ABSENT, "error": "access_denied"} if end == "failed" else {}
    with daemon.scene() as scene:
        call = scene.log_in("Login")
        page = call.wait_progress("presenting")
        if end == "cancelled":
            token = form_token(get(page["loginScreen"])[2].decode())
            browser = unread(page["loginScreen"] + "back", f"token={token}")
        else:
            browser = unread(authorize(page["authorizationUri"]))
        with browser, browser.makefile("rb") as answer:
            call.wait() if end == "signed in" else call.wait_error()
            daemon.wait_port_closed(urllib.parse.urlsplit(page["loginScreen"]).port)
            assert answer.read().endswith(b"</html>\n")
