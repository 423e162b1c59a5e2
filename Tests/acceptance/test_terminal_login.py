"""The login screen that scenectl draws in a terminal where there is no browser."""

import json
import os
import re
import signal
import subprocess

import pytest
from camera import qr_codes
from daemon import SCENECTL
from real_devices import approve, configured
from scenes import eventually
from scripted_devices import Devices
from scripted_idp import ScriptedProvider
from terminal import BEGIN, END, Terminal

SSH = {"SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"}
CANCELLED, INTERRUPTED, NO_DAEMON, TRY_AGAIN = 77, 130, 69, 75
SIZES = [(80, 24), (40, 12), (120, 40)]


@pytest.fixture
def other():
    """A second login host."""
    provider = ScriptedProvider()
    yield provider
    provider.stop()


@pytest.fixture
def daemon(start, scripted, other):
    return start(notes=scripted.configuration() + f"[LoginHost]\nURL={other.issuer}\nLabel=Other\n")


@pytest.fixture
def login():
    """`scenectl login` in a terminal; what it showed is kept for a failure."""
    opened = []

    def started(daemon, *arguments, size=(80, 24), **environment):
        terminal = Terminal([SCENECTL, "login", *arguments], {**daemon.environment, **environment}, *size)
        opened.append(terminal)
        return terminal

    yield started
    for terminal in opened:
        terminal.close()


def ended(terminal, code):
    """It has ended with this code and left the terminal as it was; what it printed then."""
    assert terminal.wait_ended() == code, terminal.text
    leaving = b"\x1b[?25h\x1b[?1049l"
    terminal.wait_output(leaving)
    assert terminal.output.rindex(b"\x1b[?25h") > terminal.output.rindex(b"\x1b[?25l")
    assert terminal.echoes
    eventually(lambda: code in (0, INTERRUPTED) or terminal.output.partition(leaving)[2].strip(), 5, "a last word")
    return terminal.output.rpartition(leaving)[2].decode()


def shown_code(terminal):
    terminal.wait_shown("Waiting for you to sign in…")
    return re.search(r"[0-9A-F]{4}-[0-9A-F]{4}", terminal.text)[0]


def scanned(terminal, *texts):
    terminal.wait(lambda: qr_codes(terminal) == list(texts), f"pictures of {texts}")


def address(terminal, heading):
    """Under the heading, put together from the rows that it takes."""
    terminal.wait_shown(heading)
    first = next(n for n, line in enumerate(terminal.lines) if heading in line) + 1
    rest = first
    while len(terminal.lines[rest]) == terminal.screen.columns:
        rest += 1
    return "".join(terminal.lines[first:rest + 1]).strip()


def hosts(daemon):
    return [(host["url"], host["selected"]) for host in daemon.call("GetLoginScreen")["screen"]["loginHosts"]]


# A code for another device


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"COLORTERM": "truecolor"}, {"TERM": "linux"}],
                         ids=["256 colours", "no colours", "all colours", "16 colours"])
def test_a_code_to_scan(daemon, scripted, login, environment):
    devices = Devices(scripted)
    terminal = login(daemon, **environment)
    code = shown_code(terminal)
    scanned(terminal, f"{scripted.issuer}/device?user_code={code}")
    for text in ("Log In", "⚙ Login hosts", "Sign in at Scripted", f"{scripted.issuer}/device",
                 "The code can be used for 5 min."):
        assert text in terminal.text, terminal.text
    devices.approve(code)
    assert "Signed in as Alice" in ended(terminal, 0)


def test_lines_where_nobody_types(daemon, scripted):
    """Standard input is no terminal: the screen stays as it is, and the picture is among the lines."""
    devices = Devices(scripted)
    terminal = Terminal(["/bin/sh", "-c", f"{SCENECTL} login </dev/null"], daemon.environment)
    try:
        terminal.wait_shown("and enter the code", "within 5 min", "Waiting for you to sign in… 0:01")
        code = re.search(r"enter the code  (\S+)", terminal.text)[1]
        scanned(terminal, f"{scripted.issuer}/device?user_code={code}")
        devices.approve(code)
        terminal.wait_shown("Signed in as Alice")
        assert terminal.wait_ended() == 0 and b"\x1b[?1049h" not in terminal.output
    finally:
        terminal.close()


@pytest.mark.parametrize("environment", [{"TERM": "dumb"}], ids=["dumb"])
def test_lines_on_a_terminal_that_cannot_be_drawn_on(daemon, scripted, login, environment):
    devices = Devices(scripted)
    terminal = login(daemon, **environment)
    terminal.wait_shown("and enter the code", "Waiting for you to sign in…")
    devices.approve(re.search(r"enter the code  (\S+)", terminal.text)[1])
    terminal.wait_shown("Signed in as Alice")
    assert terminal.wait_ended() == 0 and b"\x1b" not in terminal.output


def test_a_small_terminal_shows_the_code_alone(daemon, scripted, login):
    devices = Devices(scripted)
    terminal = login(daemon, "--device", size=(40, 12))
    code = shown_code(terminal)
    assert not re.search("[█▀▄]", terminal.text) and qr_codes(terminal) == []
    assert f"{scripted.issuer}/device?user_code={code}" in "".join(terminal.lines)
    devices.approve(code)
    ended(terminal, 0)


def test_an_address_too_long_to_be_scanned_there(daemon, scripted, login):
    Devices(scripted, verification_uri_complete="https://login.example.com/" + "x" * 400)
    terminal = login(daemon)
    shown_code(terminal)
    # Then the short one, if that fits; the code is to be typed.
    scanned(terminal, f"{scripted.issuer}/device")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "%dx%d" % size)
def test_with_a_real_provider(start, provider, login, size):
    daemon = start(notes=configured(provider))
    terminal = login(daemon, size=size)
    terminal.wait_shown("Waiting for you to sign in…")
    # Pictures and line breaks aside.
    words = re.sub(r"[█▀▄\s]", "", terminal.text)
    uri, code = re.search(r"onanydevice:?(http\S+?)andenterthecode(\S+?)or", words).groups()
    approve({"verificationUri": uri, "userCode": code})
    assert "Signed in as Alice" in ended(terminal, 0)
    assert daemon.call("ListAccounts")["current"]["displayName"].startswith("Alice")


def test_the_login_host_denies(daemon, scripted, login):
    Devices(scripted, ["authorization_pending", "access_denied"])
    terminal = login(daemon)
    shown_code(terminal)
    assert "denied" in ended(terminal, CANCELLED)


def test_another_window_shows_the_code_too(daemon, scripted, login):
    devices = Devices(scripted)
    with daemon.scene() as scene:
        code = scene.log_in(presentation="device").wait_progress("presenting")["userCode"]
        terminal = login(daemon, "--if-required")
        terminal.wait_shown("Another window shows this code too", code)
        # It is not this one's to cancel.
        terminal.type("q")
        ended(terminal, INTERRUPTED)
        devices.wait_polls(2)
        devices.approve(code)
        scene.wait_event("loggedIn")


# The address for a browser


def test_the_address_that_the_browser_ended_at(daemon, login, alice):
    terminal = login(daemon, "--no-browser", **SSH)
    uri = address(terminal, "Open in a browser on another machine:")
    assert address(terminal, "To sign in, open in a browser on this machine:").startswith("http://127.0.0.1:")
    terminal.type("\x1b[200~http://127.0.0.1:1/wrong\x1b[201~")
    terminal.wait_shown("No login waits for that address")
    terminal.type(f"\x1b[200~{alice.authorize(uri)}\r\n\x1b[201~")
    assert "Signed in as Alice" in ended(terminal, 0)


@pytest.mark.parametrize("way", ["typed", "pasted without a word"])
def test_where_the_terminal_does_not_tell_what_is_pasted(daemon, login, alice, way):
    terminal = login(daemon, "--no-browser", **SSH)
    ended_at = alice.authorize(address(terminal, "Open in a browser on another machine:"))
    if way == "typed":
        terminal.type("p")
        terminal.wait_shown("the whole address that the browser ended at")
        for character in ended_at:
            terminal.type(character)
        terminal.wait_shown(ended_at[-40:])
        terminal.type("\r")
    else:
        terminal.type(ended_at)
    assert "Signed in as Alice" in ended(terminal, 0)


def test_an_address_longer_than_the_screen(daemon, login, alice):
    terminal = login(daemon, "--no-browser", size=(40, 14), **SSH)
    terminal.wait_shown("v address")
    terminal.type("v")
    terminal.wait_shown("Open in a browser on this machine:")
    terminal.type("v")
    terminal.wait_gone("on this machine")
    uri = "".join(terminal.lines[1:-1] if "another machine" in terminal.text else terminal.lines[:-1])
    terminal.type(f"\x1b[200~{alice.authorize(uri)}\x1b[201~")
    ended(terminal, 0)
    # Else half of the address could have been on the screen.
    assert terminal.output.count(BEGIN) > 1 and terminal.output.count(END) >= terminal.output.count(BEGIN)


def test_without_a_device_flow_a_browser_does(daemon, login, alice):
    terminal = login(daemon)
    terminal.wait_shown("The login host has no device flow for this app; a browser is needed.")
    alice.sign_in(address(terminal, "To sign in, open in a browser on this machine:"))
    ended(terminal, 0)


# Login hosts


def test_another_host(daemon, scripted, other, login):
    """The login begins again there."""
    Devices(scripted)
    devices = Devices(other)
    terminal = login(daemon)
    first = shown_code(terminal)
    terminal.type("h")
    terminal.wait_shown("Choose where you sign in.", "> ● Scripted", "Other")
    terminal.type("j\r")
    terminal.wait_shown("Sign in at Other", f"{other.issuer}/device", "Waiting for you to sign in…")
    code = shown_code(terminal)
    assert code != first
    scanned(terminal, f"{other.issuer}/device?user_code={code}")
    devices.approve(code)
    assert f"Signed in as Alice (alice) at {other.issuer}" in ended(terminal, 0)
    assert hosts(daemon) == [(scripted.issuer, False), (other.issuer, True)]


def test_a_code_goes_with_its_host(daemon, scripted, other, login):
    """It is of no use at another one, however long that takes to answer."""
    Devices(scripted)
    devices = Devices(other)
    terminal = login(daemon)
    code = shown_code(terminal)
    with other.holding("/device"):
        terminal.type("hj\r")
        terminal.wait_shown("Sign in at Other", "Asking for a login…")
        assert code not in terminal.text and qr_codes(terminal) == []
    devices.approve(shown_code(terminal))
    ended(terminal, 0)


def test_another_host_without_a_device_flow(daemon, scripted, other, login, alice):
    Devices(scripted)
    terminal = login(daemon)
    shown_code(terminal)
    terminal.type("hj\r")
    terminal.wait_shown("Sign in at Other", "a browser is needed")
    alice.sign_in(address(terminal, "To sign in, open in a browser on this machine:"))
    assert f"at {other.issuer}" in ended(terminal, 0)


def test_a_host_of_ones_own(daemon, scripted, login):
    Devices(scripted)
    terminal = login(daemon)
    shown_code(terminal)
    terminal.type("ha")
    terminal.wait_shown("Add a login host")
    terminal.type("ftp://login.example.org\rMine\r")
    terminal.wait_shown("cannot be a login host")
    # What was typed is still there to be corrected.
    terminal.type("\t\x15login.example.org\r\r")
    terminal.wait_shown("Mine is added", "> ", "https://login.example.org")
    assert hosts(daemon)[-1] == ("https://login.example.org", False)
    terminal.type("k")
    terminal.wait_gone("d remove")
    terminal.type("d")
    terminal.wait_shown("it stays")
    terminal.type("jd")
    terminal.wait_shown("Remove Mine?")
    terminal.type("n")
    terminal.wait_shown("Choose where you sign in.")
    terminal.type("dy")
    terminal.wait_gone("Mine")
    assert len(hosts(daemon)) == 2
    terminal.type("\x1b")
    terminal.wait_shown("Sign in at Scripted")
    terminal.type("q")
    ended(terminal, INTERRUPTED)


def test_the_selected_host_is_removed(start, scripted, other, login):
    """Then the first one is, and the login goes on there."""
    devices = Devices(scripted)
    Devices(other)
    daemon = start(notes=scripted)
    daemon.call("AddLoginHost", url=other.issuer, label="Other")
    daemon.call("SelectLoginHost", url=other.issuer)
    terminal = login(daemon)
    terminal.wait_shown("Sign in at Other", other.issuer + "/device", "Waiting for you to sign in…")
    terminal.type("hdy\x1b")
    terminal.wait_shown("Sign in at Scripted", scripted.issuer + "/device", "Waiting for you to sign in…")
    devices.approve(shown_code(terminal))
    assert f"at {scripted.issuer}" in ended(terminal, 0)


def test_another_window_leaves_the_login_to_this_one(daemon, scripted, login):
    devices = Devices(scripted)
    first = login(daemon)
    code = shown_code(first)
    second = login(daemon, "--if-required")
    second.wait_shown("Another window shows this code too")
    first.type("q")
    ended(first, INTERRUPTED)
    second.wait_gone("Another window")
    second.wait_shown("Sign in at Scripted", code, "Waiting for you to sign in…")
    devices.approve(code)
    ended(second, 0)


def test_a_host_that_does_not_answer(daemon, scripted, login):
    """The user can pick another one, and need not start again."""
    devices = Devices(scripted)
    daemon.call("AddLoginHost", url="http://127.0.0.1:9", label="Away")
    terminal = login(daemon)
    shown_code(terminal)
    terminal.type("h")
    terminal.type("\x1b[F\r")
    terminal.wait_shown("Sign in at Away", "cannot be reached", "r try again")
    terminal.type("r")
    terminal.wait_shown("cannot be reached", "r try again")
    terminal.type("h\x1b[H\r")
    terminal.wait_shown("Sign in at Scripted", "Waiting for you to sign in…")
    devices.approve(shown_code(terminal))
    ended(terminal, 0)


def test_a_host_that_is_changed_elsewhere(daemon, scripted, other, login):
    Devices(scripted)
    terminal = login(daemon)
    shown_code(terminal)
    daemon.call("AddLoginHost", url="https://elsewhere.example", label="Elsewhere")
    terminal.type("h")
    terminal.wait_shown("Elsewhere")


BAR = {"Log In", "Notizen", "‹ Back", "⚙ Login hosts", "Esc back", "h hosts"}


@pytest.mark.parametrize("keys, shows", [
    ("ShowsNavigationBar=no", set()), ("ShowsSettingsIcon=no", {"Log In"}),
    ("Title=Notizen\nShowsBackButton=yes", BAR - {"Log In"})], ids=["no bar", "no gear", "back"])
def test_the_bar_is_as_configured(start, scripted, login, keys, shows):
    Devices(scripted)
    daemon = start(notes=f"{scripted.configuration()}[LoginScreen]\n{keys}\n")
    terminal = login(daemon)
    shown_code(terminal)
    terminal.wait_shown("q quit")
    assert {text for text in BAR if text in terminal.text} == shows
    terminal.type("hq")
    ended(terminal, INTERRUPTED)


def test_the_bars_colours(start, scripted, login):
    Devices(scripted)
    daemon = start(notes=scripted.configuration()
                   + "[LoginScreen]\nNavigationBarColor=#0dc3bb\nNavigationBarTextColor=navy\n")
    terminal = login(daemon, COLORTERM="truecolor")
    shown_code(terminal)
    bar = [terminal.screen.buffer[0][column] for column in range(80)]
    assert {cell.bg for cell in bar} == {"0dc3bb"} and {cell.fg for cell in bar} == {"000080"}
    plain = login(daemon, NO_COLOR="1")
    plain.wait_shown("Another window shows this code too")
    assert not re.search(rb"\x1b\[[0-9;]*m\w", plain.output)


# Ways out


def test_the_way_back(start, scripted, login):
    Devices(scripted)
    daemon = start(notes=scripted.configuration() + "[LoginScreen]\nShowsBackButton=yes\n")
    with daemon.scene() as scene:
        call = scene.log_in("LoginIfRequired", presentation="none")
        assert call.wait_error() == "InteractionRequired"
        terminal = login(daemon)
        shown_code(terminal)
        terminal.type("\x1b")
        assert "cancelled" in ended(terminal, CANCELLED)
        assert scene.wait_event("loginEnded")["reason"] == "cancelled"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_leaves_the_terminal_as_it_was(daemon, scripted, login, number):
    Devices(scripted)
    with daemon.scene() as scene:
        scene.id
        terminal = login(daemon)
        shown_code(terminal)
        assert not terminal.echoes
        terminal.process.send_signal(number)
        assert terminal.wait_ended() == (INTERRUPTED if number == signal.SIGINT else -number)
        terminal.wait_output(b"\x1b[?1049l")
        assert terminal.echoes
        assert scene.wait_event("loginEnded")["reason"] == "abandoned"


def test_control_c(daemon, scripted, login):
    Devices(scripted)
    terminal = login(daemon)
    shown_code(terminal)
    terminal.type("\x03")
    ended(terminal, INTERRUPTED)


def test_the_terminal_is_gone(daemon, scripted, login):
    """As when an ssh connection breaks."""
    Devices(scripted)
    with daemon.scene() as scene:
        scene.id
        terminal = login(daemon)
        shown_code(terminal)
        terminal.hang_up()
        assert terminal.wait_ended() == -signal.SIGHUP
        assert scene.wait_event("loginEnded")["reason"] == "abandoned"


def test_scened_goes_away(daemon, scripted, login):
    Devices(scripted)
    terminal = login(daemon)
    shown_code(terminal)
    daemon.kill()
    assert "closed the connection" in ended(terminal, NO_DAEMON)
    daemon.start()


def test_it_stops_and_goes_on(daemon, scripted):
    devices = Devices(scripted)
    terminal = Terminal(["/bin/bash", "-ic", f"{SCENECTL} login; echo stopped; fg; echo ended"], daemon.environment)
    try:
        code = shown_code(terminal)
        terminal.type("\x1a")
        terminal.wait_output(b"stopped")
        assert terminal.output.count(b"\x1b[?1049l") == 1
        terminal.wait(lambda: terminal.output.count(b"\x1b[?1049h") >= 2, "the screen again")
        devices.approve(code)
        terminal.wait_output(b"Signed in as Alice")
        terminal.wait_output(b"ended")
    finally:
        terminal.close()


def test_it_goes_on_in_the_background(daemon, scripted):
    """What a shell has set there for itself is not what is given back in the end."""
    Devices(scripted)
    terminal = Terminal(["/bin/dash", "-ic", f"{SCENECTL} login; echo stopped; read go; fg; echo ended"],
                        daemon.environment)

    def is_stopped(pid):
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"

    try:
        shown_code(terminal)
        pid = int(subprocess.check_output(["pgrep", "-P", str(terminal.process.pid)]))
        terminal.type("\x1a")
        terminal.wait_output(b"stopped\r\n")
        terminal.echo(False)
        os.kill(pid, signal.SIGCONT)
        eventually(lambda: is_stopped(pid), 10, "a job that waits for its terminal")
        terminal.echo(True)
        terminal.type("\r")
        terminal.wait(lambda: terminal.output.count(b"\x1b[?1049h") >= 2, "the screen again")
        terminal.type("q")
        terminal.wait_output(b"ended")
        assert terminal.echoes
    finally:
        terminal.close()


def test_resizing(daemon, scripted, login):
    Devices(scripted)
    terminal = login(daemon)
    code = shown_code(terminal)
    for size in [(20, 5), (40, 12), (120, 40), (8, 2), (80, 24)]:
        terminal.resize(*size)
        if size == (8, 2):
            terminal.wait_shown("Too")
        else:
            terminal.wait(lambda: code in terminal.text and "q quit" in terminal.text, "the code", 10)
    scanned(terminal, f"{scripted.issuer}/device?user_code={code}")


def test_going_back_asks_the_identity_provider_again(start, scripted, login, alice):
    daemon = start(notes=scripted.configuration(IdentityProviderFor="mail"),
                   mail=scripted.configuration("mail", IdentityProvider="notes"))
    account = daemon.sign_in(alice)["id"]
    with daemon.scene("notes") as notes:
        assert notes.id
        terminal = login(daemon, "--app", "mail", "--no-browser", "--local")
        terminal.wait_shown("‹ Back", "Waiting for you to sign in…")
        terminal.type("\x1b")
        terminal.wait_shown("The app notes asks you; waiting for it…")
        asked = notes.wait_event("authorizationRequested")["request"]
        page = notes.call("AuthorizeApp", request=asked, decision="approve", account=account).wait()
        alice.sign_in(page["loginScreen"])
    assert "Signed in as Alice" in ended(terminal, 0)


# Other states


def test_choosing_an_account(start, scripted, login, alice, bob):
    daemon = start(notes=scripted.configuration(AfterLogout="select"))
    for visitor in (alice, bob):
        scripted.user = visitor.user
        daemon.sign_in(visitor, loginHint=visitor.user)
    carol = daemon.sign_in(alice, loginHint="carol")
    daemon.call("Logout", account=carol["id"])
    terminal = login(daemon, "--if-required")
    terminal.wait_shown("Several accounts are signed in. Choose one:", "> 1 Alice (alice)", "2 Bob (bob)")
    terminal.type("\x1b[B\r")
    assert "Bob" in ended(terminal, 0)
    assert daemon.call("ListAccounts")["current"]["username"] == "bob"


def test_a_locked_session(daemon, scripted, login, alice):
    daemon.sign_in(alice)
    daemon.call("Lock")
    terminal = login(daemon, "--if-required")
    terminal.wait_shown("The session is locked; waiting for it to be unlocked…")
    daemon.call("Unlock")
    assert "Signed in as Alice" in ended(terminal, 0)


def test_no_screen_where_there_is_nothing_to_do(daemon, login, alice):
    daemon.sign_in(alice)
    terminal = login(daemon, "--if-required")
    terminal.wait_shown("Already signed in as Alice")
    assert terminal.wait_ended() == 0 and b"\x1b[?1049h" not in terminal.output


def test_a_thousand_hosts(start, scripted, login):
    Devices(scripted)
    text = "".join(f"[LoginHost]\nURL=https://h{n}.example\nLabel=Host {n}\n" for n in range(999))
    daemon = start(notes=scripted.configuration() + text)
    terminal = login(daemon)
    shown_code(terminal)
    terminal.type("h")
    terminal.wait_shown("1 of 1000")
    terminal.type("\x1b[F")
    terminal.wait_shown("> ", "Host 998", "1000 of 1000", "https://h998.example")


def test_json_is_for_scripts(daemon, scripted):
    devices = Devices(scripted)
    terminal = Terminal([SCENECTL, "login", "--json"], daemon.environment)
    try:
        terminal.wait(lambda: b'"userCode"' in terminal.output.partition(b"\n")[0], "the progress")
        line = terminal.output.decode().splitlines()[0]
        devices.approve(json.loads(line)["progress"]["userCode"])
        assert terminal.wait_ended() == 0 and b"\x1b[?1049h" not in terminal.output
    finally:
        terminal.close()


def test_what_it_prints_can_be_read_by_a_script(daemon, scripted):
    """The screen is drawn on standard error."""
    devices = Devices(scripted)
    terminal = Terminal(["/bin/sh", "-c", f"out=$({SCENECTL} login); echo \"<$out>\""], daemon.environment)
    try:
        devices.approve(shown_code(terminal))
        terminal.wait_output(b"<Signed in as Alice")
    finally:
        terminal.close()
    assert subprocess.run([SCENECTL, "accounts"], env=daemon.environment, capture_output=True).returncode == 0
