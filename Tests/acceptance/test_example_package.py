"""A package that depends on this one, as an app's author would write it: it builds, and signs in at a real provider."""

import os
import re
import signal
import subprocess

import pytest
from daemon import ROOT
from scenes import eventually
from terminal import Terminal

EXAMPLE = os.path.join(ROOT, "Tests", "example")
# Kept between runs, and with all of ours that it depends on.
SCRATCH = os.path.join(ROOT, ".build", "example")


@pytest.fixture(scope="module")
def notes():
    built = subprocess.run(["swift", "build", "--package-path", EXAMPLE, "--scratch-path", SCRATCH],
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return os.path.join(SCRATCH, "debug", "notes")


@pytest.fixture
def run(notes):
    """Run it in a terminal."""
    terminals = []

    def started(daemon, **environment):
        terminals.append(Terminal([notes], {**daemon.environment, **environment}, columns=120))
        return terminals[-1]

    yield started
    for terminal in terminals:
        terminal.close()


LEFT = b"\x1b[?1049l"


def address(terminal):
    """The login screen's, which nobody can guess."""
    return re.search(r"http://127\.0\.0\.1:\d+/\S{20,}/", terminal.text)[0]


def given_back(terminal, code):
    """It has ended with this code, and the terminal is as it was."""
    assert terminal.wait_ended() == code
    terminal.wait_output(LEFT)
    assert terminal.output.rindex(b"\x1b[?25h") > terminal.output.rindex(b"\x1b[?25l")
    assert terminal.echoes


@pytest.mark.timeout(500)
def test_signs_in_and_follows(run, start, dot, alice, bob):
    daemon = start(notes=dot)
    terminal = run(daemon)
    terminal.wait_shown("‹ Later", "Welcome to Notes", "Login hosts", "Waiting for you to sign in")
    assert not terminal.echoes
    alice.sign_in(address(terminal))
    # The program has its terminal again before it goes on.
    terminal.wait_output(LEFT)
    terminal.wait_output(b"signed in: Alice Example, with a Bearer token")
    assert terminal.echoes and terminal.output.index(LEFT) < terminal.output.index(b"signed in:")
    daemon.sign_in(bob)
    terminal.wait_output(b"current user: Bob Example")
    # Alice is left, and becomes the current user again.
    daemon.call("Logout")
    terminal.wait_output(b"loggedOut")
    terminal.wait_output(b"after the logout: success")
    assert b"Alice Example" in terminal.output.rsplit(b"current user:", 1)[1]
    # A restart is no event.
    daemon.kill()
    daemon.start()
    daemon.call("Lock")
    assert terminal.wait_ended() == 0
    said = terminal.output.split(LEFT)[1].decode()
    numbers = [int(number) for number in re.findall(r"^event (\d+):", said, re.MULTILINE)]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV])
def test_a_signal_gives_the_terminal_back(run, start, dot, number):
    """The program handles none of them: they do what they would do without a login screen."""
    terminal = run(start(notes=dot), SWIFT_BACKTRACE="enable=no")
    terminal.wait_shown("Waiting for you to sign in")
    if number == signal.SIGINT:
        terminal.type("\x03")
    else:
        terminal.process.send_signal(number)
    given_back(terminal, -number)


def test_going_back_ends_the_login(run, start, dot):
    daemon = start(notes=dot)
    terminal = run(daemon)
    terminal.wait_shown("‹ Later")
    terminal.type("b")
    terminal.wait_output(b"not signed in: loginCancelled")
    # The window stays, and may sign in later.
    daemon.call("Lock")
    given_back(terminal, 0)
    assert not daemon.call("GetLoginScreen")["screen"]["showsBackButton"]


def test_stops_and_goes_on(notes, start, dot, alice):
    """With Ctrl-Z, during the login and after it, as a shell's user does."""
    daemon = start(notes=dot)
    terminal = Terminal(["/bin/bash", "-ic", f"{notes}; echo stopped; fg; echo again; fg; echo ended"],
                        daemon.environment, columns=120)
    try:
        terminal.wait_shown("Waiting for you to sign in")
        shown = address(terminal)
        terminal.type("\x1a")
        terminal.wait_output(b"stopped")
        assert terminal.output.count(LEFT) == 1
        terminal.wait(lambda: terminal.output.count(b"\x1b[?1049h") >= 2, "the login screen again")
        terminal.resize(100, 30)
        terminal.wait_shown("Waiting for you to sign in")
        alice.sign_in(shown)
        terminal.wait_output(b"signed in: Alice Example")
        terminal.wait_output(b": snapshot")
        terminal.type("\x1a")
        terminal.wait_output(b"again")
        daemon.call("Lock")
        terminal.wait_output(b"ended")
        assert terminal.output.count(LEFT) == 2
    finally:
        terminal.close()


def test_what_was_typed_before_is_no_key(notes, start, dot, alice):
    """It was meant for the program; q would end the login."""
    daemon = start(notes=dot)
    terminal = Terminal(["/bin/sh", "-c", f"read go; exec {notes}"], daemon.environment, columns=120)
    try:
        terminal.type("go\rq")
        terminal.wait_shown("Waiting for you to sign in")
        alice.sign_in(address(terminal))
        terminal.wait_output(b"signed in: Alice Example")
    finally:
        terminal.close()


def watches_keys(pid):
    """Whether standard input is in an epoll set of the process (proc(5))."""
    directory = f"/proc/{pid}/fdinfo"
    texts = [open(os.path.join(directory, name)).read() for name in os.listdir(directory)]
    return any(re.search(r"^tfd: +0 ", text, re.MULTILINE) for text in texts)


def test_a_closed_terminal_leaves_the_login_to_others(notes, start, dot):
    """Also where the program outlives it for a while."""
    daemon = start(notes=dot)
    terminal = Terminal(["/bin/sh", "-c", f"trap '' HUP; {notes}; true"], daemon.environment, columns=120)
    try:
        terminal.wait_shown("Waiting for you to sign in")
        pid = int(subprocess.check_output(["pgrep", "-P", str(terminal.process.pid)]))
        assert watches_keys(pid)
        with daemon.scene() as scene:
            call = scene.log_in()
            call.wait_progress("waiting")
            terminal.hang_up()
            eventually(lambda: not watches_keys(pid), 10, "an end of the keyboard")
            # Whatever the program has asked for since is done.
            scene.call("GetLoginScreen", as_scene=False)
            os.kill(pid, signal.SIGKILL)
            call.wait_progress("presenting")
    finally:
        terminal.close()


def test_takes_no_terminal_that_is_not_its_own(notes, start, dot, alice):
    """Standard output goes elsewhere, or echo is off: the address is told."""
    daemon = start(notes=dot)
    terminal = Terminal(["/bin/sh", "-c", f"{notes} | cat"], daemon.environment, columns=120)
    try:
        terminal.wait_shown("To sign in, open this address in your browser:")
        assert terminal.echoes and LEFT not in terminal.output
        alice.sign_in(address(terminal))
        eventually(lambda: daemon.call("ListAccounts")["accounts"], 10, "an account")
    finally:
        terminal.close()
    daemon.call("LogoutAll")
    terminal = Terminal(["/bin/sh", "-c", f"stty -echo; {notes}"], daemon.environment)
    try:
        terminal.wait_shown("To sign in, open this address in your browser:")
        assert LEFT not in terminal.output
    finally:
        terminal.close()


def test_is_what_the_readme_shows():
    with open(os.path.join(ROOT, "README.md")) as file:
        readme = file.read()
    for name in ("main.swift", "NotesLogin.swift"):
        with open(os.path.join(EXAMPLE, "Sources", "notes", name)) as program:
            assert f"```swift\n{program.read()}```\n" in readme, name
