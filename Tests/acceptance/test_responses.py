"""Login hosts' responses that come as URLs: of an app's private scheme, through the desktop, or pasted."""

import os
import subprocess
import urllib.parse

import pytest
from calls import Waiting, Watcher, authorize, kinds, place
from chromium import Chromium
from daemon import BINARIES, ROOT
from descriptor_store import KeepingDaemon
from scene import call
from scenes import eventually
from users import MALLORY, VICTOR, connect
from visitor import get, leave_screen

SCHEME = "com.example.notes"
REDIRECT = SCHEME + ":/callback"


@pytest.fixture
def daemon(start, scripted):
    keys = {"RedirectURI": REDIRECT}
    return start(notes=scripted.configuration(**keys), mail=scripted.configuration("mail", **keys))


class UnderWay:
    """A login of a scene whose user is back from the login host, with the response not yet delivered."""

    def __init__(self, daemon, app="notes", user="alice"):
        self.scene = Watcher(daemon, app)
        self.call = Waiting(daemon, "Login", app, scene=self.scene.id)
        self.progress = self.call.until("presenting")
        self.response = authorize(self.progress["authorizationUri"], user)
        assert self.response.startswith(REDIRECT + "?")

    def altered(self, **changes):
        address, query = self.response.split("?")
        parts = {**dict(urllib.parse.parse_qsl(query)), **changes}
        return address + "?" + urllib.parse.urlencode({k: v for k, v in parts.items() if v is not None})

    def end(self):
        account = self.call.end()["account"]
        self.scene.close()
        return account


def handled(daemon, url, **parameters):
    return call(daemon.socket, "HandleResponse", url=url, **parameters)["handled"]


def refuses(daemon, times):
    """The journal, which is written in its own time, names so many."""
    def named():
        return daemon.stderr().count("Refused a response")
    eventually(lambda: named() >= times, what=f"{times} refusals in the journal")
    assert named() == times


# MARK: Through the desktop


@pytest.fixture
def desktop(daemon):
    """A desktop where the installation has registered the scheme."""
    prefix = os.path.join(daemon.directory, "installed")
    applications = os.path.join(prefix, "share", "applications")
    environment = {**daemon.environment, "XDG_DATA_HOME": os.path.join(prefix, "share"), "XDG_DATA_DIRS": "/usr/share",
                   "XDG_CONFIG_HOME": os.path.join(daemon.directory, "xdg"),
                   # Without a display, xdg-open looks for browsers in a terminal only. Nothing connects to it.
                   "WAYLAND_DISPLAY": "none"}

    def install(*arguments):
        subprocess.run([os.path.join(ROOT, "systemd", "install"), "--user-only", "--prefix", prefix, *arguments],
                       env=environment, stdin=subprocess.DEVNULL, check=True, timeout=60)
    install("--from", BINARIES, "--scheme", "Org.Example.Other")
    # An upgrade keeps what was registered.
    install("--from", BINARIES, "--scheme", SCHEME)
    entries = sorted(name for name in os.listdir(applications) if name.endswith(".desktop"))
    assert entries == [f"scened-open-{scheme}.desktop" for scheme in (SCHEME, "org.example.other")]
    for entry in entries:
        subprocess.run(["desktop-file-validate", os.path.join(applications, entry)], check=True, timeout=30)
    yield environment
    install("--uninstall")
    assert not os.path.exists(applications)


@pytest.mark.parametrize("opener", [["xdg-open"], ["gio", "open"]], ids=lambda words: words[0])
def test_the_desktop_completes_the_login_that_a_response_names(daemon, desktop, scripted, opener):
    """What a browser does with a redirect to a scheme that is not its own."""
    answer = subprocess.run(["xdg-mime", "query", "default", f"x-scheme-handler/{SCHEME}"], env=desktop, timeout=30,
                            capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == f"scened-open-{SCHEME}.desktop"
    notes, mail = UnderWay(daemon), UnderWay(daemon, "mail", "bob")
    for login, user in ((mail, "bob"), (notes, "alice")):
        subprocess.run([*opener, login.response], env=desktop, stdin=subprocess.DEVNULL, check=True, timeout=60)
        assert login.end()["username"] == user
        # The other one's scene has heard of nothing.
        if login is mail:
            assert kinds(notes.scene.until(place(daemon))) == ["loginStarted"]
    refuses(daemon, 0)
    assert scripted.reused == []


@pytest.fixture
def browser(desktop):
    """It may open the scheme without asking the user first, whom nobody could see answer."""
    if os.geteuid() != 0:
        pytest.skip("only root may set a browser's policies")
    policies = {"AutoLaunchProtocolsFromOrigins": [{"protocol": SCHEME, "allowed_origins": ["*"]}]}
    browser = Chromium(desktop, policies)
    yield browser
    browser.stop()


@pytest.mark.parametrize("scripts", [True, False], ids=["with script", "script off"])
def test_a_browser_hands_the_response_to_the_login_it_names(daemon, browser, scripted, scripts):
    """From the login screen by way of the login host, whose redirect it meets itself, to the scene."""
    scenes = [Watcher(daemon, app) for app in ("notes", "mail")]
    notes, mail = (Waiting(daemon, "Login", app, scene=scene.id) for app, scene in zip(("notes", "mail"), scenes))
    pages = {call: call.until("presenting")["loginScreen"] for call in (notes, mail)}
    for call, user in ((mail, "bob"), (notes, "alice")):
        window = browser.window(scripts=scripts)
        window.open(pages[call])
        window.fill("#account", user)
        window.click("button.primary")
        account = call.end()["account"]
        assert (account["username"], account["issuer"]) == (user, scripted.issuer)
        if call is mail:
            assert kinds(scenes[0].until(place(daemon))) == ["loginStarted"]
        window.close()
    refuses(daemon, 0)
    assert not daemon.listening_ports()
    for scene in scenes:
        scene.close()


# MARK: Who may answer, and once


def test_scenectl_open(daemon):
    login = UnderWay(daemon)
    answer = daemon.scenectl("open", login.response, "--scene", login.scene.id)
    assert (answer.returncode, answer.stdout) == (0, "The login goes on.\n"), answer.stderr
    assert login.end()["username"] == "alice"
    late = daemon.scenectl("open", login.response)
    assert late.returncode == 1 and "No login waits" in late.stderr


def test_the_library(daemon):
    """As the Mobile SDK's apps hand over what they were opened with."""
    login = UnderWay(daemon)
    probe = subprocess.Popen([os.path.join(BINARIES, "session-probe")], env=daemon.environment, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def response(*words):
        print("response", *words, file=probe.stdin, flush=True)
        return next(line.split()[1] for line in probe.stdout if line.startswith("response"))
    try:
        print("configure notes", daemon.socket, file=probe.stdin, flush=True)
        assert response(login.response, "nobody") == "false"
        assert response("javascript:alert(1)") == "false"
        assert response(login.response, login.scene.id) == "true"
        assert login.end()["username"] == "alice"
        assert response(login.response) == "false"
        probe.stdin.close()
        assert probe.wait(30) == 0
    finally:
        probe.kill()
        probe.stdout.close()
        probe.wait()


def test_no_listener_for_the_redirect(daemon):
    """The login screen is served, and nothing else."""
    login = UnderWay(daemon)
    screen = urllib.parse.urlsplit(login.progress["loginScreen"])
    assert daemon.listening_ports() == [screen.port]
    assert leave_screen(login.progress["loginScreen"]) == login.progress["authorizationUri"]
    query = login.response.split("?")[1]
    for path in ("/callback", "/", ""):
        assert get(f"http://127.0.0.1:{screen.port}{path}?{query}")[0] >= 400
    assert handled(daemon, f"http://127.0.0.1:{screen.port}/callback?{query}") is False
    assert handled(daemon, login.response)
    assert login.end()["username"] == "alice"
    eventually(lambda: not daemon.listening_ports(), what="the listener closed")


@pytest.mark.parametrize("forge", [
    lambda login: login.altered(state="c29tZXRoaW5nIGVsc2U"),
    lambda login: login.altered(state=None),
    lambda login: login.altered(state="forged", error="access_denied", code=None),
    lambda login: login.response + "&state=" + "x" * 8,
    lambda login: login.altered(iss="https://evil.example"),
    lambda login: login.response.replace(REDIRECT, SCHEME + ":/elsewhere"),
    lambda login: login.response.replace(REDIRECT, "com.example.evil:/callback"),
    lambda login: login.response.replace(REDIRECT, "http://127.0.0.1/callback"),
    lambda login: login.response.replace("?", "#"),
    lambda login: REDIRECT,
    lambda login: "",
    lambda login: "javascript:alert(1)?" + login.response.split("?")[1],
    lambda login: login.response + "&error_description=<script>alert(1)</script>\x1b[31m&iss=x",
    lambda login: login.response + "&x=" + "y" * 100_000,
], ids=["another state", "no state", "an error with another state", "two states", "another issuer", "another path",
        "another scheme", "loopback", "a fragment", "no query", "nothing", "javascript", "markup", "oversized"])
def test_what_nobody_sent_disturbs_nothing(daemon, scripted, forge):
    login = UnderWay(daemon)
    redeemed = len(scripted.given)
    assert handled(daemon, forge(login)) is False
    refuses(daemon, 1)
    assert kinds(login.scene.until(place(daemon))) == ["loginStarted"] and len(scripted.given) == redeemed
    assert handled(daemon, login.response)
    assert login.end()["username"] == "alice"
    code = dict(urllib.parse.parse_qsl(login.response.split("?")[1]))["code"]
    assert code not in daemon.stderr() and "\x1b" not in daemon.stderr()


def test_schemes_have_no_case(daemon):
    login = UnderWay(daemon)
    assert handled(daemon, login.response.replace(SCHEME, "Com.Example.NOTES"))
    assert login.end()["username"] == "alice"


def test_only_the_scene_that_it_is_for(daemon):
    login = UnderWay(daemon)
    bystander, stranger = Watcher(daemon), Watcher(daemon, "mail")
    for scene in (bystander.id, stranger.id, "nobody", ""):
        assert handled(daemon, login.response, scene=scene) is False
    refuses(daemon, 4)
    # Who waits for it as well may bring it.
    joiner = Waiting(daemon, "LoginIfRequired", scene=bystander.id)
    joiner.next()
    assert handled(daemon, login.response, scene=bystander.id)
    assert joiner.end()["account"]["username"] == login.end()["username"] == "alice"
    for scene in (bystander, stranger):
        scene.close()


def test_one_response_counts_once(daemon, scripted):
    login = UnderWay(daemon)
    with scripted.holding("/token") as arrived:
        assert handled(daemon, login.response)
        assert arrived.wait(30)
        # Who opens the login screen now is not sent to the login host again.
        status, headers, body = get(login.progress["loginScreen"])
        assert status == 200 and "Location" not in headers and b"authorize" not in body
        assert b"authorize" not in get(login.progress["loginScreen"] + "go")[2]
        assert [handled(daemon, login.response) for _ in range(3)] == [False] * 3
    assert login.end()["username"] == "alice"
    assert handled(daemon, login.response) is False
    refuses(daemon, 4)
    assert scripted.grants("alice") == 1


def test_a_response_to_a_login_that_was_cancelled(daemon, scripted):
    login = UnderWay(daemon)
    daemon.call("CancelLogin")
    assert login.call.error()[0] == "LoginCancelled"
    assert handled(daemon, login.response) is False and scripted.grants("alice") == 0
    assert daemon.call("ListAccounts")["accounts"] == []


def test_another_users_response(instance, scripted):
    daemon = instance({"notes": scripted.configuration(RedirectURI=REDIRECT)})
    with connect(daemon, VICTOR) as asking:
        replies = asking.stream("Login", app="notes")
        uri = next(r["progress"] for r in replies if r["progress"]["state"] == "presenting")["authorizationUri"]
        response = authorize(uri, "victor")
        for uid in (MALLORY, 0):
            with connect(daemon, uid) as other:
                assert other.call("HandleResponse", url=response)["handled"] is False
        eventually(lambda: daemon.stderr().count("another user's login") == 2, what="both are in the journal")
        with connect(daemon, VICTOR) as own:
            assert own.call("HandleResponse", url=response)["handled"] is True
        *_, last = replies
    assert last["progress"]["account"]["username"] == "victor"


def test_a_login_outlives_a_restart(directory, scripted):
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration(RedirectURI=REDIRECT)})
    daemon.start()
    try:
        login = UnderWay(daemon)
        daemon.wait_notified("FDNAME=login-")
        daemon.kill()
        login.call.close()
        daemon.start()
        again = Waiting(daemon, scene=login.scene.id)
        assert again.until("presenting") == login.progress
        assert leave_screen(login.progress["loginScreen"]) == login.progress["authorizationUri"]
        assert handled(daemon, login.response, scene=login.scene.id)
        assert again.end()["account"]["username"] == "alice"
        login.scene.close()
    finally:
        assert daemon.close() == 0


@pytest.mark.parametrize("uri", ["javascript:alert(1)", "https://login.example.com/cb", "file:///cb", "data:x,y",
                                 REDIRECT + "#x", SCHEME + ":", "nowhere"])
def test_a_redirect_uri_that_cannot_be(start, scripted, uri):
    daemon = start(notes=scripted.configuration(RedirectURI=uri), mail=scripted)
    problems = {app["name"]: app["problems"] for app in daemon.manager("ListApps")["apps"]}
    assert problems["mail"] == [] and len(problems["notes"]) == 1
    assert "notes.conf:5: RedirectURI=: " in problems["notes"][0]
