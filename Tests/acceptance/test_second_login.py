"""State overwritten by a second login, and the callback's port in use: what many sign-in helpers trip over."""

import socket
import urllib.parse

import pytest
from calls import Waiting, Watcher, authorize, kinds, place, sign_in
from descriptor_store import KeepingDaemon
from provider import free_port
from scene import CallFailed
from scenes import eventually
from visitor import get

APPS = ("notes", "mail")


@pytest.fixture
def port():
    return free_port()


@pytest.fixture
def daemon(start, scripted, port):
    """Two apps with one fixed port between them."""
    redirect = f"http://127.0.0.1:{port}/callback"
    return start(**{app: scripted.configuration(app, RedirectURI=redirect) for app in APPS})


class Other:
    """Another program that listens on a port."""

    def __init__(self, port, host="127.0.0.1"):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind((host, port))
        self.socket.listen()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def query(callback):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(callback).query))


def refused_politely(url, status=400):
    """A page for people that says what to do, gives nothing away and leads nowhere."""
    answered, headers, body = get(url)
    assert answered == status, (answered, body)
    assert headers["Content-Type"].startswith("text/html") and not headers.get("Location")
    text = body.decode()
    assert "Nothing has changed" in text and "from the app" in text
    for value in query(url).values():
        assert len(value) < 8 or value not in text
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("second", ["the same app", "the same app, with force", "another app"])
def test_a_second_login_after_the_first_was_given_up(daemon, scripted, second):
    """The first one's tab is still open, with the login host's answer."""
    app = "mail" if second == "another app" else "notes"
    first = Waiting(daemon, "Login", loginHint="alice")
    shown = first.until("presenting")
    callback = authorize(shown["authorizationUri"])
    if app == "notes":
        daemon.call("CancelLogin")
        assert first.error()[0] == "LoginCancelled"
    watcher = Watcher(daemon, app)
    login = Waiting(daemon, "Login", app, loginHint="bob", **({"force": True} if "force" in second else {}))
    uri = login.until("presenting")["authorizationUri"]
    assert query(uri)["state"] != query(shown["authorizationUri"])["state"]
    assert query(uri)["nonce"] != query(shown["authorizationUri"])["nonce"]
    assert query(uri)["code_challenge"] != query(shown["authorizationUri"])["code_challenge"]
    if app == "mail":
        # The first one goes on: it gets its own answer, and the second none.
        get(callback)
        assert first.end()["account"]["username"] == "alice"
        assert daemon.call("ListAccounts", app="mail")["accounts"] == []
    # The tabs of a login that is over: the answer, and the login screen.
    refused_politely(callback)
    refused_politely(shown["loginScreen"], 404)
    get(authorize(uri))
    assert login.end()["account"]["username"] == "bob"
    assert [a["username"] for a in daemon.call("ListAccounts", app=app)["accounts"]] == ["bob"]
    assert kinds(watcher.until(place(daemon, app))) == ["loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
    watcher.close()
    assert scripted.grants("alice") == (1 if app == "mail" else 0) and scripted.grants("bob") == 1


@pytest.mark.parametrize("how", ["join", "force", "another host"])
def test_a_second_scene_while_the_first_signs_in(start, scripted, port, how):
    """One login: it is joined, or the second is told that it cannot be had now. What was shown stays good."""
    text = scripted.configuration(RedirectURI=f"http://127.0.0.1:{port}/callback")
    daemon = start(notes=text + "[LoginHost]\nURL=https://login.example\n")
    first = Waiting(daemon, "Login", loginHint="alice")
    uri = first.until("presenting")["authorizationUri"]
    with daemon.scene() as scene:
        options = {"join": {}, "force": {"force": True}, "another host": {"loginHost": "https://login.example"}}[how]
        second = scene.log_in("Login", **options)
        if how == "join":
            second.wait_progress("waiting")
        else:
            assert second.wait_error() == "LoginFailed" and second.error_parameters["code"] == "login_in_progress"
        assert scripted.authorizations == 0
        get(authorize(uri))
        assert first.end()["account"]["username"] == "alice"
        if how == "join":
            assert second.wait()["progress"]["account"]["username"] == "alice"
    assert scripted.authorizations == 1 and scripted.grants("alice") == 1


def test_one_logins_code_with_anothers_state(daemon, scripted):
    """Whoever mixes two answers signs nobody in: the verifier is not that code's."""
    logins = {app: Waiting(daemon, "Login", app, loginHint=user) for app, user in zip(APPS, ("alice", "bob"))}
    uris = {app: login.until("presenting")["authorizationUri"] for app, login in logins.items()}
    callbacks = {app: authorize(uri) for app, uri in uris.items()}
    mixed = {**query(callbacks["mail"]), "code": query(callbacks["notes"])["code"]}
    parts = urllib.parse.urlsplit(callbacks["mail"])
    status, _, body = get(parts._replace(query=urllib.parse.urlencode(mixed)).geturl())
    assert b"failed" in body.lower()
    assert logins["mail"].error() == ("LoginFailed", {"code": "invalid_grant"})
    assert daemon.call("ListAccounts", app="mail")["accounts"] == []
    # The other login has lost its code at the login host, and says so; both can be begun again.
    get(callbacks["notes"])
    assert logins["notes"].error()[0] == "LoginFailed"
    for app in APPS:
        assert sign_in(daemon, "carol", app)["username"] == "carol"
    assert scripted.grants("alice") == scripted.grants("bob") == 0


def test_the_same_answer_from_two_tabs(daemon, scripted):
    """Both tabs of one login come back: one code is redeemed, and the other tab hears that it is done."""
    login = Waiting(daemon, "Login", loginHint="alice")
    uri = login.until("presenting")["authorizationUri"]
    one, two = authorize(uri), authorize(uri)
    assert query(one)["code"] != query(two)["code"] and query(one)["state"] == query(two)["state"]
    # Another login keeps the port open.
    other = Waiting(daemon, "Login", "mail", loginHint="bob")
    other_uri = other.until("presenting")["authorizationUri"]
    with scripted.holding("/token"):
        connection = socket.create_connection(("127.0.0.1", urllib.parse.urlsplit(one).port))
        parts = urllib.parse.urlsplit(one)
        connection.sendall(f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        login.until("authorizing")
        refused_politely(two, 409)
    assert login.end()["account"]["username"] == "alice"
    assert b"Signed in" in connection.recv(65536)
    connection.close()
    refused_politely(two)
    get(authorize(other_uri))
    assert other.end()["account"]["username"] == "bob"
    assert scripted.grants("alice") == 1


# MARK: The port


def test_another_program_has_the_port(daemon, scripted, port):
    watcher = Watcher(daemon)
    with Other(port):
        for _ in range(2):
            name, parameters = Waiting(daemon, "Login").error()
            assert name == "LoginFailed" and parameters["code"] == "redirectPortTaken"
            assert str(port) in parameters["description"] and "RedirectURI=" in parameters["description"]
        shown = daemon.scenectl("login", "--no-browser", "--app", "notes")
        assert shown.returncode == 1 and str(port) in shown.stderr and "end it" in shown.stderr
    # It is free again, and nothing of the failures is left.
    assert sign_in(daemon, "alice")["username"] == "alice"
    events = watcher.until(place(daemon))
    assert kinds(events) == ["loginStarted", "loginEnded"] * 3 + [
        "loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
    assert [e["reason"] for e in events if e["kind"] == "loginEnded"] == ["redirectPortTaken"] * 3 + ["signedIn"]
    watcher.close()
    assert daemon.listening_ports() == []


def test_only_the_app_whose_port_is_taken_fails(start, scripted, port):
    taken = free_port()
    daemon = start(
        notes=scripted.configuration(RedirectURI=f"http://127.0.0.1:{port}/callback"),
        mail=scripted.configuration("mail", RedirectURI=f"http://127.0.0.1:{taken}/callback"),
        both=scripted.configuration("both", RedirectURI=f"http://localhost:{taken}/callback"))
    first = Waiting(daemon, "Login", loginHint="alice")
    uri = first.until("presenting")["authorizationUri"]
    with Other(taken):
        for app in ("mail", "both"):
            assert Waiting(daemon, "Login", app).error()[1]["code"] == "redirectPortTaken"
        # Nobody takes the port of a login under way, and its page is served all the while.
        with pytest.raises(OSError):
            Other(port)
        assert daemon.listening_ports() == [port]
        get(authorize(uri))
        assert first.end()["account"]["username"] == "alice"
    for app in ("mail", "both"):
        assert sign_in(daemon, "bob", app)["username"] == "bob"
    assert daemon.listening_ports() == []


@pytest.fixture
def keeping(directory, scripted, port):
    redirect = f"http://127.0.0.1:{port}/callback"
    daemon = KeepingDaemon(
        f"{directory}/0", {app: scripted.configuration(app, RedirectURI=redirect) for app in APPS}).start()
    yield daemon
    assert daemon.close() == 0, daemon.stderr()


def under_way(daemon):
    """A login of each app, kept for the next process; the calls, and their addresses at the login host."""
    logins = [Waiting(daemon, "Login", app, loginHint="alice") for app in APPS]
    uris = [login.until("presenting")["authorizationUri"] for login in logins]
    names = lambda: [name for name, _ in daemon.kept]  # noqa: E731
    eventually(lambda: len([n for n in names() if n.startswith("login-")]) == 2 and
               [n for n in names() if n.startswith("listener-")], what="both logins are kept")
    return logins, uris


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_the_port_stays_taken_over_a_restart(keeping, port, end):
    logins, uris = under_way(keeping)
    callbacks = [authorize(uri) for uri in uris]
    getattr(keeping, end)()
    with pytest.raises(OSError):
        Other(port)
    keeping.start()
    for login in logins:
        login.close()
    for app, callback in zip(APPS, callbacks):
        watcher = Watcher(keeping, app)
        get(callback)
        while "loggedIn" not in kinds(watcher.events):
            watcher.until(watcher.at["sequence"] + 1)
        watcher.close()
        assert keeping.call("ListAccounts", app=app)["current"]["username"] == "alice"


def test_the_port_is_taken_while_nobody_holds_it(keeping, port):
    """The service manager has lost the listener, and another program was quicker than the next process."""
    logins, uris = under_way(keeping)
    callbacks = [authorize(uri) for uri in uris]
    places = [place(keeping, app) for app in APPS]
    keeping.kill()
    keeping._drop([kept for kept in keeping.kept if kept[0].startswith("listener-")])
    for login in logins:
        login.close()
    with Other(port) as other:
        keeping.start()
        # The logins are over for everybody; the answers go to whoever listens there, who can do nothing with them.
        for app, before in zip(APPS, places):
            scene = Watcher(keeping, app)
            # It may come as an event of its own, or be over by the time of the snapshot.
            if scene.snapshot["loginUnderWay"]:
                (event,) = scene.until(before + 1)
                assert (event["kind"], event["reason"]) == ("loginEnded", "abandoned")
            assert place(keeping, app) == before + 1
            scene.close()
            assert Waiting(keeping, "Login", app).error()[1]["code"] == "redirectPortTaken"
        other.socket.settimeout(20)
        sender = socket.create_connection(("127.0.0.1", port))
        other.socket.accept()[0].close()
        sender.close()
        assert keeping.manager("GetStatus")["problems"] == []
    eventually(lambda: [n for n, _ in keeping.kept if n.startswith(("login-", "listener-"))] == [],
               what="nothing is kept for them")
    for app, callback in zip(APPS, callbacks):
        login = Waiting(keeping, "Login", app, loginHint="bob")
        uri = login.until("presenting")["authorizationUri"]
        refused_politely(callback)
        get(authorize(uri))
        assert login.end()["account"]["username"] == "bob"
    with pytest.raises(CallFailed, match="UnknownAccount"):
        keeping.call("Logout", account="alice")
