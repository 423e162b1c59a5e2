"""A user meets the login screen in a real browser: signs in through it, chooses where, goes back, meets what goes wrong."""

import json
import urllib.parse

import pytest
from faulty_idp import FaultyProvider
from login_screen import choose, consent, host, judge, login, sign_in_at_provider, signed_in
from provider import free_port
from scenes import eventually


@pytest.fixture
def other():
    provider = FaultyProvider()
    yield provider
    provider.stop()


@pytest.mark.parametrize("scripts", [True, False], ids=["with script", "script off"])
def test_a_user_signs_in_at_a_real_provider(start, dot, window, scripts):
    window = window(width="phone", scripts=scripts)
    with login(start(notes=dot), window) as (_, call):
        assert window.run("document.querySelector('h1').innerText") == "Sign in at Test"
        window.fill("#account", "alice")
        window.click("button.primary")
        sign_in_at_provider(window)
        window.shows("You are signed in as Alice Example. You can close this window.")
        assert signed_in(call)["username"] == "alice"
    assert dot.proxy.of("/o/authorize")[-1].query["login_hint"] == "alice"
    assert window.complaints() == []


def test_a_user_signs_in_by_keyboard_alone(start, dot, window):
    window = window()
    with login(start(notes=dot), window) as (_, call):
        # The way there and back again, too.
        window.tab_to(".settings")
        window.press("Enter")
        window.shows("Add a login host")
        window.tab_to("a.back")
        window.press("Enter")
        window.wait("document.querySelector('#account') !== null")
        window.tab_to("#account")
        window.type("alice")
        window.tab_to("button.primary")
        window.press("Enter")
        window.wait("document.querySelector('input[type=password]') !== null")
        for field, text in (("input[name=username]", "alice"), ("input[type=password]", "alice-pass-1")):
            window.tab_to(field, is_ours=False)
            window.type(text)
        window.press("Enter")
        consent(window, lambda button: (window.tab_to(button, is_ours=False), window.press("Enter")))
        window.shows("You are signed in as Alice Example.")
        assert signed_in(call)["username"] == "alice"


def test_login_hosts_by_keyboard_alone(start, faulty, other, alice, window):
    """Add one, go on there after all not, remove it, and go back to the current user; without script, too."""
    daemon, window = start(notes=faulty), window(scripts=False)
    daemon.sign_in(alice)

    def press(selector):
        window.wait(f"document.querySelector({json.dumps(selector)}) !== null")
        window.tab_to(selector)
        window.press("Enter")

    with login(daemon, window, "Login") as (_, call):
        press(".settings")
        window.shows("Add a login host")
        window.tab_to("#address")
        window.type(other.issuer)
        window.tab_to("#label")
        window.type("Mine")
        window.press("Enter")
        press(f"button[name=select][value={json.dumps(other.issuer)}]")
        window.shows("Sign in at Mine")
        press(".settings")
        press(f"button[name=remove][value={json.dumps(other.issuer)}]")
        window.wait("document.querySelectorAll('.hosts li').length === 1")
        press("a.back")
        window.shows("Sign in at Scripted")
        press("button.back")
        window.shows("Sign-in cancelled")
        assert call.wait_error() == "LoginCancelled"
    assert other.of("/authorize") == []


def test_a_user_chooses_another_login_host(start, faulty, other, window):
    daemon, window = start(notes=faulty.configuration() + host(other.issuer, "Sandbox")), window(width="phone")
    with login(daemon, window) as (scene, call), daemon.scene() as another:
        another.wait_event("snapshot")
        window.fill("#account", "bob")
        choose(window, other.issuer)
        window.shows("Sign in at Sandbox")
        for one in (scene, another):
            assert one.wait_event("loginHostChanged")["loginHost"] == other.issuer
        window.fill("#account", "bob")
        window.click("button.primary")
        window.shows("You are signed in as Bob.")
        account = signed_in(call)
        assert account["issuer"] == other.issuer and account["username"] == "bob"
    assert faulty.of("/authorize") == []
    assert daemon.call("GetLoginScreen")["screen"]["loginHosts"][1]["selected"]


@pytest.mark.parametrize("scripts", [True, False], ids=["with script", "script off"])
def test_a_login_host_that_takes_its_time(start, faulty, other, window, scripts):
    """The browser waits, and goes on by itself."""
    daemon, window = start(notes=faulty.configuration() + host(other.issuer, "Slow")), window(scripts=scripts)
    with login(daemon, window) as (_, call):
        with other.holding("/.well-known/openid-configuration") as arrived:
            choose(window, other.issuer)
            window.click("button.primary")
            assert arrived.wait(20) and not call.ended
        window.shows("You are signed in")
        assert signed_in(call)["issuer"] == other.issuer


def test_a_host_with_a_redirect_uri_of_its_own(start, faulty, other, window):
    port = free_port()
    app = faulty.configuration() + host(other.issuer, "Other") + f"RedirectURI=http://127.0.0.1:{port}/back\n"
    daemon, window = start(notes=app), window()
    with login(daemon, window) as (_, call):
        choose(window, other.issuer)
        window.shows("Sign in at Other")
        assert urllib.parse.urlsplit(window.address).port == port
        assert daemon.listening_ports() == [port]
        window.click("button.primary")
        window.shows("You are signed in")
        assert signed_in(call)["issuer"] == other.issuer
    assert other.of("/token")[0]["redirect_uri"] == f"http://127.0.0.1:{port}/back"


def test_a_user_adds_and_removes_a_login_host(start, faulty, other, window):
    daemon, window = start(notes=faulty), window()
    with login(daemon, window) as (scene, call):
        window.follow(".settings")
        for address in ("ftp://login.example.com", "http://login.example.com", "javascript:alert(1)", "a b"):
            window.fill("#address", address)
            window.follow("button[name=add]")
            window.shows("This is no address of a login host.")
            assert window.run("document.querySelector('#address').value") == address
        window.fill("#address", other.issuer + "/")
        window.fill("#label", "Mine <img src=x onerror=alert(1)>")
        window.click("button[name=add]")
        window.shows("Mine <img src=x onerror=alert(1)>")
        assert not window.has("main img") and not window.has(".alert")
        own = daemon.call("GetLoginScreen")["screen"]["loginHosts"][1]
        assert (own["url"], own["origin"], own["removable"]) == (other.issuer, "user", True)
        window.click(f"button[name=select][value={json.dumps(other.issuer)}]")
        window.shows("Sign in at Mine <img")
        window.follow(".settings")
        window.click(f"button[name=remove][value={json.dumps(other.issuer)}]")
        window.wait("document.querySelectorAll('.hosts li').length === 1")
        # The app's own cannot be removed; the first one is selected now, for everybody.
        assert not window.has("button[name=remove]")
        eventually(lambda: [e["loginHost"] for e in scene.events if e["kind"] == "loginHostChanged"]
                   == [other.issuer, faulty.issuer], 10, "both changes")
        window.click("a.back")
        window.shows("Sign in at Scripted")
        window.click("button.primary")
        window.shows("You are signed in")
        assert signed_in(call)["issuer"] == faulty.issuer
    assert other.of("/authorize") == []


def test_going_back_to_the_current_user(start, faulty, alice, window):
    daemon, window = start(notes=faulty), window(width="phone")
    with login(daemon, window) as (_, call):
        assert not window.has("button.back")
        window.click("button.primary")
        window.shows("You are signed in")
        signed_in(call)
    assert daemon.call("GetLoginScreen")["screen"]["showsBackButton"]
    with login(daemon, window, "Login") as (scene, call):
        joined = scene.log_in("Login")
        joined.wait_progress("presenting", "waiting")
        port = urllib.parse.urlsplit(window.address).port
        window.click("button.back")
        window.shows("Sign-in cancelled")
        window.shows("You can close this window.")
        assert call.wait_error() == joined.wait_error() == "LoginCancelled"
        daemon.wait_port_closed(port)
    assert len(faulty.of("/token")) == 1


def test_another_account_than_the_one_that_was_asked_for(start, dot, alice, window):
    window = window()
    with login(start(notes=dot), window) as (_, call):
        window.fill("#account", "bob")
        window.click("button.primary")
        sign_in_at_provider(window, "alice")
        window.shows("You asked for bob, and the login host signed in Alice Example.")
        window.shows("sign out at the login host too")
        assert signed_in(call)["username"] == "alice"


def test_a_page_elsewhere_cannot_press_its_buttons(start, faulty, window):
    """Not even one that knows the address and the form token."""
    window = window()
    with login(start(notes=faulty), window, "Login") as (_, call):
        screen = window.address
        token = window.run("document.querySelector('[name=token]').value")
        form = (f"<form method=post action='{screen}go'><input name=token value='{token}'><input name=account>"
                "</form><script>document.forms[0].submit()</script>")
        window.open("data:text/html," + urllib.parse.quote(form))
        window.shows("The form was sent from another page than the sign-in's own.")
        frame = f"<p>framed</p><iframe src='{screen}'></iframe>"
        window.open("data:text/html," + urllib.parse.quote(frame))
        window.shows("framed")
        assert not call.ended and faulty.of("/authorize") == []
        window.open(screen)
        window.click("button.primary")
        window.shows("You are signed in")
        signed_in(call)


def test_an_account_name_is_no_markup(start, faulty, window):
    window = window(language="de")
    with login(start(notes=faulty), window) as (_, call):
        name = '"><script>document.title="x"</script>&login_hint=b'
        window.fill("#account", name)
        window.click("button.primary")
        window.shows("Sie sind als")
        assert window.run("document.documentElement.lang") == "de"
        assert window.run("document.title") == "Angemeldet"
        assert signed_in(call)["username"] == name
    assert faulty.of("/authorize")[0]["login_hint"] == name


# MARK: Back to the identity provider

@pytest.fixture
def two_apps(start, faulty):
    """Mail signs in through notes."""
    def started(keys="", **more):
        return start(notes=faulty.configuration("notes", IdentityProviderFor="mail", **more),
                     mail=faulty.configuration("mail", IdentityProvider="notes") + "[LoginScreen]\n" + keys)
    return started


def shown_back(daemon, app="mail"):
    screen = daemon.call("GetLoginScreen", app=app)["screen"]
    return screen["showsBackButton"] and screen["backButtonAction"]


@pytest.mark.parametrize("keys", ["", "BackButtonAction=identityProvider\n"], ids=["by itself", "as configured"])
def test_going_back_to_the_identity_provider(two_apps, alice, window, keys):
    daemon, window = two_apps(keys), window(width="phone")
    account = daemon.sign_in(alice)
    assert shown_back(daemon) is False
    with daemon.scene("mail") as mail, daemon.scene() as notes:
        assert mail.id and notes.id
        assert shown_back(daemon) == "identityProvider"
        call = mail.log_in(local=True)
        window.open(call.wait_progress("presenting")["loginScreen"])
        former = urllib.parse.urlsplit(window.wait("location.href"))
        window.click("button.back")
        window.shows("Sign-in goes on elsewhere")
        window.shows("Notes is asking as whom you want to sign in. Go on there.")
        daemon.wait_port_closed(former.port)
        judge(window, "en-handed-back")
        asked = notes.wait_event("authorizationRequested")
        assert asked["requestingApp"] == "mail" and not call.ended
        page = notes.call("AuthorizeApp", request=asked["request"], decision="approve", account=account["id"]).wait()
        window.open(page["loginScreen"])
        window.click("button.primary")
        window.shows("You are signed in")
        assert signed_in(call)["username"] == "alice"
        assert [event["kind"] for event in mail.events].count("loginStarted") == 1
        # With a current user, back leads to them, unless the app wants it otherwise.
        assert shown_back(daemon) == ("identityProvider" if keys else "cancel")


def test_a_provider_that_nobody_can_ask_is_no_place_to_go_back_to(two_apps, window):
    daemon = two_apps("BackButtonAction=identityProvider\n")
    with daemon.scene("mail") as mail:
        call = mail.log_in()
        assert call.wait_progress("presenting")["reason"] == "noIdentityProviderScene"
        window = window()
        window.open(call.progress[-1]["loginScreen"])
        window.wait("document.querySelector('#account') !== null")
        assert not window.has("button.back")
        daemon.call("CancelLogin", app="mail")


def test_going_back_to_an_address_of_the_apps(start, faulty, window):
    """The login is cancelled, and the browser led there."""
    home = f"{faulty.issuer}/home"
    text = faulty.configuration() + f"[LoginScreen]\nShowsBackButton=yes\nBackButtonAction={home}\n"
    daemon = start(notes=text)
    for scripts in (True, False):
        one = window(scripts=scripts)
        with login(daemon, one) as (_, call):
            assert shown_back(daemon, "notes") == home
            one.click("button.back")
            one.wait(f"location.href === {json.dumps(home)}")
            assert call.wait_error() == "LoginCancelled"
    assert faulty.of("/authorize") == []


def test_going_back_to_a_private_scheme_leaves_a_link(start, faulty, window):
    text = faulty.configuration() + "[LoginScreen]\nShowsBackButton=yes\nBackButtonAction=com.example.notes:/home\n"
    window = window(language="de")
    with login(start(notes=text), window) as (_, call):
        window.click("button.back")
        window.shows("Anmeldung abgebrochen")
        assert window.run("document.querySelector('a.go').href") == "com.example.notes:/home"
        assert window.run("document.querySelector('a.go').innerText") == "Zurück zu Notes"
        assert call.wait_error() == "LoginCancelled"
        judge(window, "de-went-back")
