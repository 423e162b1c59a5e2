"""The login screen looks as the app's configuration says, in the page's computed styles, and all can use it."""

import contextlib
import os
import select
import socket
import subprocess

import pytest
from daemon import SCENED
from faulty_idp import FaultyProvider
from login_screen import DISCOVERY, choose, host, judge, login, picture, violations
from visitor import get

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="40" height="20" fill="teal"/></svg>'


WAY_ON = b'<meta http-equiv="refresh" content="0;url=wait">'


@pytest.fixture
def screen(start, faulty, window):
    """A window with the login screen that these keys of [LoginScreen] make."""
    with contextlib.ExitStack() as stack:
        def opened(*keys, **look):
            text = faulty.configuration() + "[LoginScreen]\n" + "\n".join(keys) + "\n"
            one = window(**look)
            stack.enter_context(login(start(notes=text), one))
            return one
        yield opened


def test_the_defaults(screen):
    window = screen()
    assert window.run("document.querySelector('.bar .title').innerText") == "Log In"
    assert window.has(".settings svg") and not window.has("button.back") and not window.has(".logo")
    assert window.style(".bar", "backgroundColor") == "rgb(255, 255, 255)"
    assert window.style(".bar", "fontSize") == "18px"
    window.look("wide", dark=True)
    assert window.style(".bar", "backgroundColor") == "rgb(31, 36, 40)"
    assert window.style("body", "backgroundColor") == "rgb(20, 23, 26)"


@pytest.mark.parametrize("key, selector, name, value", [
    ("NavigationBarColor=#0dc3bb", ".bar", "backgroundColor", "rgb(13, 195, 187)"),
    ("NavigationBarColor=hsl(120 100% 25% / 50%)", ".bar", "backgroundColor", "rgba(0, 128, 0, 0.5)"),
    ("NavigationBarColor=navy", ".bar .title", "color", "rgb(255, 255, 255)"),
    ("NavigationBarColor=#0dc3bb", ".settings", "color", "rgb(0, 0, 0)"),
    ("NavigationBarTextColor=rebeccapurple", ".bar .title", "color", "rgb(102, 51, 153)"),
    ("NavigationBarTextColor=rgb(10, 20, 30)", ".settings", "color", "rgb(10, 20, 30)"),
    ("NavigationBarFont=Helvetica 21", ".bar .title", "fontSize", "21px"),
    ("NavigationBarFont=Helvetica 48", ".settings", "fontSize", "18px"),  # The title's alone
    ("NavigationBarFont=Open Sans, serif 12", ".bar .title", "fontFamily",
     '"Open Sans", serif, system-ui, sans-serif'),
    # What tries to get out of the style sheet is left out of it.
    ("NavigationBarColor=red; } body { display: none", "body", "display", "flex"),
    ("NavigationBarFont=x; } body { display: none } a { font 16", "body", "display", "flex"),
])
def test_each_key_of_the_bar(screen, key, selector, name, value):
    assert screen(key).style(selector, name) == value


def test_title_and_hidden_parts(screen):
    window = screen("Title=Notes <b>&amp;", "ShowsSettingsIcon=no", "ShowsBackButton=yes")
    assert window.run("document.querySelector('.bar .title').innerText") == "Notes <b>&amp;"
    assert window.has("button.back") and not window.has(".settings")
    window.open(window.address + "hosts")
    window.shows("There is no page at this address.")


@pytest.mark.parametrize("keys, shows", [((), True), (("ShowsBackButton=auto",), True), (("ShowsBackButton=no",), False)])
def test_the_back_button_with_a_current_user(start, faulty, alice, window, keys, shows):
    daemon, window = start(notes="\n".join([faulty.configuration() + "[LoginScreen]", *keys, ""])), window()
    daemon.sign_in(alice)
    with login(daemon, window, "Login"):
        assert window.has("button.back") is shows
        screen = daemon.call("GetLoginScreen")["screen"]
        assert (screen["showsBackButton"], screen.get("backButtonAction")) == (shows, "cancel" if shows else None)


def test_without_the_bar(screen):
    window = screen("ShowsNavigationBar=no", "ShowsBackButton=yes")
    assert not window.has(".bar") and not window.has(".settings") and not window.has("button.back")
    window.shows("Sign in at Scripted")


def test_the_apps_own_files(screen, directory):
    for name, text in (("logo.svg", SVG), ("gear.svg", SVG), ("style.css", "h1 { letter-spacing: 3px }\n"
                       "body { background-image: url(http://127.0.0.1:9/outside.png) }")):
        with open(f"{directory}/{name}", "w") as file:
            file.write(text)
    window = screen(f"Logo={directory}/logo.svg", f"SettingsIcon={directory}/gear.svg", f"StyleSheet={directory}/style.css")
    loaded = "(i => i.complete && i.naturalWidth > 0)(document.querySelector('{}'))"
    window.wait(loaded.format(".logo"))
    window.wait(loaded.format(".settings img"))
    assert window.run("document.querySelector('.logo').alt") == "Notes"
    assert window.style("h1", "letterSpacing") == "3px"
    # It may change the page, and reach nothing else.
    assert any("outside.png" in complaint for complaint in window.complaints())


def test_the_apps_files_reach_nothing_and_run_nothing(screen, directory):
    """Nor do they when somebody else has written them."""
    with socket.socket() as outside:
        outside.bind(("127.0.0.1", 0))
        outside.listen()
        away = f"http://127.0.0.1:{outside.getsockname()[1]}"
        script = f"document.title = 'x'; fetch('{away}/script')"
        svg = SVG.replace("<rect", f"<style>@import url({away}/svg.css);</style><script>{script}</script>"
                          f'<image href="{away}/image.png"/><foreignObject><img xmlns="http://www.w3.org/1999/xhtml" '
                          f'src="{away}/html.png" onerror="{script}"/></foreignObject><rect onload="{script}"')
        style = (f"@import url({away}/more.css);\n@import '{away}/more.css';\n"
                 f"@font-face {{ font-family: Theirs; src: url({away}/font.woff) }}\n"
                 f"body {{ font-family: Theirs; background: url({away}/back.png); cursor: url({away}/cursor), auto }}\n"
                 f"input[value^=a] {{ background: url({away}/typed?a) }}\nh1::before {{ content: url({away}/content) }}\n"
                 "h1 { letter-spacing: 2px }\nbody { behavior: url(#x); -moz-binding: url(#x) }")
        for name, text in (("logo.svg", svg), ("gear.svg", svg), ("style.css", style)):
            with open(f"{directory}/{name}", "w") as file:
                file.write(text)
        window = screen(f"Logo={directory}/logo.svg", f"SettingsIcon={directory}/gear.svg",
                        f"StyleSheet={directory}/style.css")
        window.fill("#account", "a")
        for picture in (".logo", ".settings img"):
            window.wait(f"(i => i.complete && i.naturalWidth > 0)(document.querySelector('{picture}'))")
        assert window.style("h1", "letterSpacing") == "2px" and window.run("document.title") == "Log In"
        # By itself, it is no page.
        window.open(window.address + "logo")
        window.shows("This address can only be opened as a page of its own, not by a script or in a frame.")
        assert not select.select([outside], [], [], 0)[0], "something was asked of another address"


def test_names_are_read_as_they_are_written(start, faulty, window):
    """Neither markup nor marks of direction get out of a login host's name."""
    names = ["<b>Bold</b>", "safe\u202egnp.exe", "\u2066\u2067nested", "</bdi></button><h1>x", "שלום", "x" * 200, "'\"&amp;"]
    urls = [f"https://h{number}." + "long-name." * 24 + "example" for number in range(len(names))]
    daemon = start(notes=faulty.configuration() + "".join(map(host, urls, names)))
    assert [one["label"] for one in daemon.call("GetLoginScreen")["screen"]["loginHosts"][1:]] == names
    window = window(width="phone")
    with login(daemon, window):
        window.follow(".settings")
        shown = window.run("[...document.querySelectorAll('.hosts .name')].slice(1).map(e => e.innerText)")
        assert shown == ["<b>Bold</b>", "safegnp.exe", "nested", "</bdi></button><h1>x", "שלום", "x" * 200,
                         "'\"&amp;"]
        # What stands beside a name keeps its place, whatever its direction.
        assert window.run("[...document.querySelectorAll('.hosts .name bdi')].every(e => "
                          "getComputedStyle(e).unicodeBidi === 'isolate')")
        judge(window, "en-hosts-odd-names")


def test_without_the_screen(start, faulty, window):
    window, text = window(), faulty.configuration() + "[LoginScreen]\nShowsScreen=no\n"
    daemon = start(notes=text)
    with daemon.scene() as scene:
        call = scene.log_in()
        window.open(call.wait_progress("presenting")["loginScreen"])
        window.shows("You are signed in")
        assert call.wait()["progress"]["account"]["username"] == "alice"


def test_check_config_names_file_and_line(directory):
    os.makedirs(f"{directory}/apps.d")
    with open(f"{directory}/apps.d/notes.conf", "w") as file:
        file.write("[App]\nClientID=scene\n[LoginHost]\nURL=https://login.example.com\n[LoginScreen]\n"
                   "NavigationBarColor=#12\nNavigationBarFont=;\nLogo=/no\nShowsBackButton=perhaps\n"
                   "BackButtonAction=javascript:alert(1)\nBackButtonAction=identityProvider\n")
    told = subprocess.run([SCENED, "--check-config", "--config", directory], capture_output=True, text=True, timeout=30)
    lines = (told.stdout + told.stderr).splitlines()
    for line, words in enumerate(("is a colour of CSS", "is a family and a size", "cannot be read", "yes or no, or auto",
                                   "is auto, cancel, identityProvider, or an address", "needs IdentityProvider="), 6):
        assert any(f"notes.conf:{line}: " in text and words in text for text in lines), lines
    assert told.returncode != 0


# MARK: Other media

def test_with_forced_colours(screen):
    """As for readers who need strong contrast: what colour tells is told by lines, too."""
    window = screen("NavigationBarColor=navy", "NavigationBarTextColor=yellow")
    window.look("phone", False, forced_colors="active")
    assert window.run("matchMedia('(forced-colors: active)').matches")
    for selector in (".card", "input#account", "button.primary"):
        assert window.style(selector, "borderLeftStyle") == "solid", selector
    assert window.style(".bar", "backgroundColor") == window.style("body", "backgroundColor")
    assert window.style(".bar .title", "color") == window.style("h1", "color")
    picture(window, "forced-colours-screen")
    window.follow(".settings")
    assert window.style("button[aria-current]", "borderLeftColor") != window.style("input#address", "borderLeftColor")
    picture(window, "forced-colours-hosts")
    # axe-core looks at the colours that the page asks for.
    assert [found for found in violations(window) if found[0] != "color-contrast"] == []


def test_on_paper(screen):
    """Printers leave backgrounds out."""
    window = screen("NavigationBarColor=navy")
    window.look("wide", False, media="print")
    for selector in (".bar .title", "button.primary"):
        assert window.style(selector, "color") == "rgb(0, 0, 0)"
    assert window.style(".bar", "backgroundColor") == "rgba(0, 0, 0, 0)"
    picture(window, "print-screen")


# MARK: Every page, at two widths, dark and light

@pytest.fixture
def away():
    provider = FaultyProvider()
    yield provider
    provider.stop()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_page_can_be_used_by_all(start, faulty, away, window, directory, language):
    with open(f"{directory}/logo.svg", "w") as file:
        file.write(SVG)
    text = (faulty.configuration() + host(away.issuer, "A name so long that it needs another line, and one more")
            + f"[LoginScreen]\nNavigationBarColor=#0dc3bb\nLogo={directory}/logo.svg\n")
    daemon, windows, window = start(notes=text), window, window(language=language)

    def page(name):
        judge(window, f"{language}-{name}", "Notes", "https://own.example")

    with login(daemon, window) as (_, call):
        page("screen")
        window.follow(".settings")
        window.fill("#address", "ftp://x")
        window.follow("button[name=add]")
        page("hosts-refused")
        window.fill("#address", "https://own.example")
        window.follow("button[name=add]")
        page("hosts")
        away.instead[DISCOVERY] = (500, {})
        with away.holding(DISCOVERY):
            window.follow(f"button[name=select][value='{away.issuer}']")
            # Without its way on, which browsers take at once, and DevTools wait for.
            status, headers, text = get(window.address + "go", {"Accept-Language": language})
            assert status == 200 and text.count(WAY_ON) == 1
            window.show(window.address + "go", headers, text.replace(WAY_ON, b""))
            window.wait("document.querySelector('.working') !== null")
            page("preparing")
            # It moves for those who want that.
            for wish, name in (("no-preference", "working"), ("reduce", "none")):
                window.look("phone", False, prefers_reduced_motion=wish)
                assert window.style(".working", "animationName") == name
            waiting = window.address[:-2] + "wait"
        window.open(waiting)
        window.wait("document.querySelector('.alert') !== null")
        page("unreachable")
        del away.instead[DISCOVERY]
        window.open(window.address[:-4] + "nowhere")
        window.wait("document.querySelector('.failure') !== null")
        page("refused")
        window.call("Page.navigateToHistoryEntry", entryId=window.call("Page.getNavigationHistory")["entries"][-2]["id"])
        choose(window, faulty.issuer)
        window.fill("#account", "bob")
        faulty.user = "alice"
        window.follow("button.primary")
        window.wait("document.querySelector('.success') !== null")
        page("signed-in")
        call.wait()
    with login(daemon, window, "Login") as (_, call):
        page("screen-with-back")
        window.follow("button.back")
        page("cancelled")
        call.wait_error()
    with login(daemon, window, "Login") as (_, call):
        with faulty.holding("/token") as arrived:
            window.click("button.primary")
            assert arrived.wait(20)
            # In another window of the browser's.
            window = windows(language=language)
            window.open(call.wait_progress("presenting")["loginScreen"])
            window.wait("document.querySelector('.working') !== null")
            page("completing")
        call.wait()
    faulty.claims = {"sub": "carol", "preferred_username": "carol", "name": "Carol", "email": "carol@example.com"}
    faulty.userinfo = faulty.claims
    with login(daemon, window, "Login") as (_, call):
        # What the field takes from nobody's keyboard.
        window.run("document.querySelector('#account').value = 'a\\u0001b'")
        window.follow("button.primary")
        assert window.has("#account[aria-invalid=true]")
        page("invalid-account")
        window.fill("#account", "dave")
        window.click("button.primary")
        window.wait("document.querySelector('.success .alert') !== null")
        page("another-account")
        call.wait()
    # A browser that is given nothing to show stays where it is.
    away.metadata, away.instead["/nothing"] = {"authorization_endpoint": away.issuer + "/nothing"}, (204, b"")
    with login(daemon, window, "Login", loginHost=away.issuer) as (_, call):
        window.click("button.primary")
        window.wait("document.querySelector('a.go') !== null")
        page("going")
        daemon.call("CancelLogin")
        call.wait_error()
