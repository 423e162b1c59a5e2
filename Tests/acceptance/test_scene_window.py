"""scene-window as a person in front of a terminal meets it."""

import os
import re
import signal
import subprocess

import pytest
from camera import qr_codes
from daemon import BINARIES
from scenes import eventually
from scripted_devices import Devices
from scripted_idp import ScriptedProvider
from terminal import Terminal

SCENE_WINDOW = os.path.join(BINARIES, "scene-window")
AWAY = "scened is away, reconnecting…"
SIZES = [(80, 24), (40, 12)]


@pytest.fixture
def daemon(start, dot):
    return start(notes=dot)


@pytest.fixture
def display(directory):
    """An environment with a display, whose browser writes down what it opens."""
    with open(f"{directory}/xdg-open", "w") as file:
        file.write(f'#!/bin/sh\necho "$@" >> {directory}/opened\n')
    os.chmod(f"{directory}/xdg-open", 0o755)
    return {"PATH": f"{directory}:{os.environ['PATH']}", "DISPLAY": ":0"}


@pytest.fixture
def window(display):
    """Open a window on a daemon, on a display; what it printed is kept for a failure."""
    windows = []

    def opened(daemon, *arguments, size=(80, 24), **environment):
        environment = {**daemon.environment, **display, **environment}
        terminal = Terminal([SCENE_WINDOW, "--app", "notes", *arguments], environment, *size)
        windows.append(terminal)
        return terminal

    yield opened
    for terminal in windows:
        terminal.close()


def address(terminal):
    """The login screen's, put together from the rows that it takes."""
    terminal.wait_shown("Waiting for you to sign in", "machine:")
    first = next(n for n, line in enumerate(terminal.lines) if line.endswith("machine:")) + 1
    rest = first
    while len(terminal.lines[rest]) == terminal.screen.columns:
        rest += 1
    return "".join(terminal.lines[first:rest + 1]).strip()


def is_signing_in(terminal):
    """It shows the login, or says that another does."""
    return "‹ Back" in terminal.text or "Signing in…" in terminal.text


def ended(terminal, code):
    """It has ended with this code and left the terminal as it was."""
    assert terminal.wait_ended() == code
    terminal.wait_output(b"\x1b[?1049l")
    assert terminal.output.rindex(b"\x1b[?25h") > terminal.output.rindex(b"\x1b[?25l")
    assert terminal.echoes


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "%dx%d" % size)
def test_through_a_day(daemon, window, alice, bob, size):
    terminal = window(daemon, "--title", "Editor", size=size)
    terminal.wait_shown("Editor", "scene ")
    alice.sign_in(address(terminal))
    terminal.wait_shown("Signed in as Alice Example", "alice · alice@example.com", "active", "No login is under way")

    terminal.type("t")
    terminal.wait_shown("Bearer token, lives", "s: Alice Example")

    terminal.type("l")
    bob.sign_in(address(terminal))
    terminal.wait_shown("Signed in as Bob Example")

    terminal.type("s")
    terminal.wait_shown("Choose an account", "> 1 Alice Example (alice)", "2 Bob Example (bob) · current")
    terminal.type("\r")
    terminal.wait_shown("Signed in as Alice Example")

    daemon.kill()
    terminal.wait_shown(AWAY)
    terminal.type("o")
    daemon.start()
    terminal.wait_gone(AWAY)
    terminal.wait_shown("Signed in as Alice Example")
    assert len(daemon.call("ListAccounts")["accounts"]) == 2, "a key that was pressed while scened was away did nothing"

    terminal.type("o")
    terminal.wait_shown("Signed in as Bob Example", "Alice Example signed out")
    terminal.wait_gone("Also")
    terminal.type("a")
    alice.sign_in(address(terminal))
    terminal.wait_shown("Signed in as Alice Example")
    terminal.type("q")
    ended(terminal, 0)


def test_several_windows(daemon, window, alice):
    """One shows the login screen, the others say so, and all are signed in; a logout reaches all."""
    windows = [window(daemon, "--title", title) for title in ("Editor", "Reader", "Search")]
    shows = lambda terminal: "in a browser on this" in terminal.text  # noqa: E731
    for terminal in windows:
        terminal.wait(lambda: shows(terminal) or "Signing in…" in terminal.text, "login")
    presenting = eventually(lambda: [terminal for terminal in windows if shows(terminal)], 10, "one presents")
    assert len(presenting) == 1
    scene = re.search(r"scene (\w{8})$", presenting[0].lines[0])[1]
    for terminal in windows:
        terminal.wait_shown("‹ Back" if terminal is presenting[0] else f"shown by scene {scene}")
    alice.sign_in(address(presenting[0]))
    for terminal in windows:
        terminal.wait_shown("Signed in as Alice Example")
    windows[1].type("o")
    for terminal in windows:
        terminal.wait(lambda: shows(terminal) or "Signing in…" in terminal.text, "login")  # noqa: B023
    # What came of the logout is told when the login host has answered, also on the login screen.
    windows[1].wait_shown("Alice Example signed out (")
    windows[2].type("c")
    for terminal in windows:
        terminal.wait_shown("Nobody is signed in", "the login was cancelled")
        terminal.wait_shown("Alice Example signed out")
    windows[0].type("l")
    alice.sign_in(address(windows[0]))
    for terminal in windows:
        terminal.wait_shown("Signed in as Alice Example")


def test_another_takes_the_login_screen_over(daemon, window, alice):
    first = window(daemon)
    address(first)
    second = window(daemon)
    second.wait_shown("Signing in…")
    first.type("q")
    alice.sign_in(address(second))
    second.wait_shown("Signed in as Alice Example")


def test_scened_restarts_during_a_login(daemon, window, alice):
    windows = [window(daemon), window(daemon)]
    for terminal in windows:
        terminal.wait(lambda: is_signing_in(terminal), "login")  # noqa: B023
    daemon.kill()
    for terminal in windows:
        terminal.wait_shown(AWAY)
    daemon.start()
    for terminal in windows:
        terminal.wait_gone(AWAY)
        terminal.wait(lambda: is_signing_in(terminal), "login")  # noqa: B023
    showing = lambda: [terminal for terminal in windows if "‹ Back" in terminal.text]  # noqa: E731
    (presenter,) = eventually(showing, 10, "one presents")
    alice.sign_in(address(presenter))
    for terminal in windows:
        terminal.wait_shown("Signed in as Alice Example")


def test_the_browser_opens_where_there_is_a_display(daemon, window, directory, alice):
    """Once for a login, and in the window that shows it."""
    windows = [window(daemon), window(daemon)]
    for terminal in windows:
        terminal.wait(lambda: is_signing_in(terminal), "login")  # noqa: B023
    (presenter,) = eventually(
        lambda: [terminal for terminal in windows if "‹ Back" in terminal.text], 10, "one presents")
    shown = address(presenter)
    eventually(lambda: os.path.exists(f"{directory}/opened"), 10, "a browser")
    alice.sign_in(shown)
    presenter.wait_shown("Signed in as Alice Example")
    with open(f"{directory}/opened") as file:
        assert file.read() == shown + "\n"


HEADLESS = {"DISPLAY": ""}


def code_shown(terminal):
    terminal.wait_shown("and enter the code", "Waiting for you to sign in")
    return re.search(r"enter the code  (\S+)", terminal.text)[1]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "%dx%d" % size)
def test_signs_in_by_a_code_where_there_is_no_browser(start, scripted, window, size):
    devices = Devices(scripted)
    daemon = start(notes=scripted)
    terminal = window(daemon, size=size, **HEADLESS)
    code = code_shown(terminal)
    assert terminal.lines[1].startswith(" ‹ Back") and "Log In" in terminal.lines[1]
    assert scripted.issuer + "/device" in terminal.text.replace("\n", "")
    if size == (80, 24):
        complete = f"{scripted.issuer}/device?user_code={code}"
        terminal.wait(lambda: qr_codes(terminal) == [complete], f"picture of {complete}")
    devices.approve(code)
    terminal.wait_shown("Signed in as Alice")
    terminal.type("q")
    ended(terminal, 0)


def test_falls_back_to_a_browser(start, scripted, window, alice):
    """The login host has no code for another device; two windows ask at once."""
    daemon = start(notes=scripted)
    windows = [window(daemon, **HEADLESS), window(daemon, **HEADLESS)]
    (presenter,) = eventually(
        lambda: [terminal for terminal in windows if "in a browser on this" in terminal.text], 20, "one presents")
    alice.sign_in(address(presenter))
    for terminal in windows:
        terminal.wait_shown("Signed in as Alice")


@pytest.fixture
def other():
    """A second login host."""
    provider = ScriptedProvider()
    yield provider
    provider.stop()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "%dx%d" % size)
def test_another_login_host(start, scripted, other, window, size):
    """It is added on the screen, selected, and the login goes on there; then removed."""
    here, there = Devices(scripted), Devices(other)
    daemon = start(notes=scripted)
    terminal = window(daemon, size=size, **HEADLESS)
    former = code_shown(terminal)
    terminal.type("ha")
    terminal.wait_shown("Add a login host")
    # Letters are letters here, whatever they do elsewhere.
    for letters in ("ftp:/", "/cq", "\r\r"):
        terminal.type(letters)
        terminal.wait_shown(letters.strip())
    terminal.wait_shown("cannot be a login host")
    # What comes at once with an address would be a part of it.
    terminal.type("\t\x15")
    terminal.wait_gone("ftp://cq")
    terminal.type(other.issuer)
    terminal.wait_shown(other.issuer)
    terminal.type("\rOther\r")
    terminal.wait_shown("Other is added")
    terminal.type("\r")
    terminal.wait(lambda: there.codes and former not in terminal.text, "another code")
    code = code_shown(terminal)
    assert other.issuer in terminal.text.replace("\n", "")
    there.approve(code, "bob")
    terminal.wait_shown("Signed in as Bob")
    terminal.wait_shown("login ended: signedIn")
    assert len(here.codes) == 1 and daemon.call("ListAccounts")["current"]["issuer"] == other.issuer

    terminal.type("l")
    code_shown(terminal)
    terminal.type("h")
    terminal.wait_shown("Login hosts", "Other")
    terminal.type("d")
    terminal.type("y")
    terminal.wait_gone("Other")
    terminal.type("\x1b")
    # The first is selected, and the login goes on there.
    terminal.wait(lambda: len(here.codes) == 2, "a code of the first login host")
    here.approve(code_shown(terminal))
    terminal.wait_shown("Signed in as Alice")


@pytest.mark.parametrize("key", ["\x1b", "b", "c"])
def test_going_back_cancels_the_login(daemon, window, key):
    windows = [window(daemon), window(daemon)]
    (presenter,) = eventually(
        lambda: [terminal for terminal in windows if "‹ Back" in terminal.text], 10, "one presents")
    for terminal in windows:
        terminal.wait(lambda: is_signing_in(terminal), "login")  # noqa: B023
    presenter.type(key)
    for terminal in windows:
        terminal.wait_shown("the login was cancelled", "Nobody is signed in")


def test_what_the_administrator_hides_is_not_there(start, dot, window):
    screen = "[LoginScreen]\nTitle=Welcome\nShowsSettingsIcon=no\nNavigationBarColor=#0dc3bb\n"
    terminal = window(start(notes=dot.configuration() + screen))
    address(terminal)
    assert "Welcome" in terminal.lines[1] and "hosts" not in terminal.text
    cell = terminal.screen.buffer[1][0]
    assert cell.bg not in ("default", "black"), cell
    terminal.type("h")
    terminal.type("\x0c")
    address(terminal)


def test_choosing_after_a_logout(start, dot, window, alice, bob):
    daemon = start(notes=dot.configuration("notes", AfterLogout="select"))
    daemon.sign_in(alice)
    daemon.sign_in(bob)
    windows = [window(daemon), window(daemon)]
    for terminal in windows:
        terminal.wait_shown("Signed in as Bob Example")
    windows[0].type("o")
    for terminal in windows:
        terminal.wait_shown("Choose an account", "> 1 Alice Example (alice)")
    windows[1].type("1")
    for terminal in windows:
        terminal.wait_shown("Signed in as Alice Example")


def test_locked(daemon, window, alice):
    daemon.sign_in(alice)
    terminal = window(daemon)
    terminal.wait_shown("Signed in as Alice Example")
    daemon.call("Lock")
    terminal.wait_shown("The session is locked")
    terminal.type("t")
    terminal.wait_shown("the session is locked")
    daemon.call("Unlock")
    terminal.wait_gone("The session is locked")
    terminal.wait_shown("Signed in as Alice Example", "unlocked")


def test_resizing(daemon, window, alice):
    daemon.sign_in(alice)
    terminal = window(daemon)
    terminal.wait_shown("Signed in as Alice Example", "Events")
    terminal.resize(39, 11)
    terminal.wait_shown("Too small: scene-window needs 40x12")
    terminal.resize(40, 12)
    terminal.wait_shown("Signed in as Alice Example")
    assert "Events" not in terminal.text
    terminal.resize(120, 40)
    terminal.wait_shown("Signed in as Alice Example", "Events")


def test_waits_for_scened(daemon, window, alice):
    daemon.sign_in(alice)
    daemon.kill()
    terminal = window(daemon)
    terminal.wait_shown("connecting to scened…")
    daemon.start()
    terminal.wait_shown("Signed in as Alice Example")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(daemon, window, number):
    terminal = window(daemon)
    address(terminal)
    assert not terminal.echoes
    terminal.process.send_signal(number)
    ended(terminal, 128 + number)


def test_a_crash_leaves_the_terminal_as_it_was(daemon, window):
    terminal = window(daemon, SWIFT_BACKTRACE="enable=no")
    address(terminal)
    terminal.process.send_signal(signal.SIGSEGV)
    ended(terminal, -signal.SIGSEGV)


def test_control_keys_and_pasted_text(daemon, window, alice):
    daemon.sign_in(alice)
    terminal = window(daemon)
    terminal.wait_shown("Signed in as Alice Example")
    terminal.type("\x1b[200~oq\x1b[201~t")
    terminal.wait_shown("Bearer token")
    terminal.type("\x03")
    ended(terminal, 130)
    assert len(daemon.call("ListAccounts")["accounts"]) == 1


def test_stops_and_goes_on(daemon, window, alice):
    daemon.sign_in(alice)
    # A shell that could continue it makes a stop possible.
    terminal = Terminal(
        ["/bin/bash", "-ic", f"{SCENE_WINDOW} --app notes; echo stopped; fg; echo ended"], daemon.environment)
    try:
        terminal.wait_shown("Signed in as Alice Example")
        terminal.type("\x1a")
        terminal.wait_output(b"stopped")
        assert terminal.output.count(b"\x1b[?1049l") == 1
        terminal.wait(lambda: terminal.output.count(b"\x1b[?1049h") >= 2, "the window again")
        terminal.wait_shown("Signed in as Alice Example")
        terminal.type("q")
        terminal.wait_output(b"ended")
    finally:
        terminal.close()


def test_no_colours_where_none_are_wanted(daemon, window, alice):
    daemon.sign_in(alice)
    colourful, plain = window(daemon), window(daemon, NO_COLOR="1")
    for terminal in (colourful, plain):
        terminal.wait_shown("Signed in as Alice Example")
    assert re.search(rb"\x1b\[\d+m\w", colourful.output)
    assert not re.search(rb"\x1b\[\d+m\w", plain.output)


def test_without_a_terminal(daemon, display, alice):
    with subprocess.Popen(
            [SCENE_WINDOW, "--app", "notes"], env={**daemon.environment, **display}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("To sign in, open in your browser: "):
                alice.sign_in(line.rsplit(" ", 1)[1].rstrip("\n"))
            # What the login brought and what the history tells come by two ways.
            said = "\n".join(lines)
            if "the current user is Alice Example" in said and "Alice Example signed in" in said:
                break
        process.terminate()
        assert process.wait(10) == 128 + signal.SIGTERM
        assert not any("\x1b" in line for line in lines)
        assert process.stderr.read() == ""


@pytest.mark.parametrize("arguments, environment, code, said", [
    (["--frobnicate"], {}, 64, "--frobnicate"),
    (["superfluous"], {}, 64, "superfluous"),
    ([], {}, 64, "--app NAME"),
    (["--app", "nowhere"], {}, 78, "nowhere"),
])
def test_what_cannot_be_done_is_said(daemon, arguments, environment, code, said):
    result = subprocess.run(
        [SCENE_WINDOW, *arguments], env={**daemon.environment, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=60)
    assert result.returncode == code and said in result.stderr and result.stdout == "", result


def test_help_has_the_exit_codes_and_an_example():
    result = subprocess.run([SCENE_WINDOW, "--help"], capture_output=True, text=True, timeout=30)
    assert result.returncode == 0 and "scene-window --app notes" in result.stdout
    for code in (64, 69, 77, 78, 130):
        assert re.search(rf"\b{code}\b", result.stdout)


def test_the_same_scene_again(daemon, window, alice):
    daemon.sign_in(alice)
    first = window(daemon, "--id", "editor-1", "--title", "Editor")
    first.wait_shown("scene editor-1")
    first.type("q")
    ended(first, 0)
    eventually(lambda: not daemon.manager("ListScenes")["scenes"], 10, "no scene")
    again = window(daemon, "--id", "editor-1")
    again.wait_shown("scene editor-1")
    again.type("q")
    ended(again, 0)
