"""scenectl as a person and a script meet it: what it does, what it says, and its exit code."""

import json
import os
import pty
import re
import socket
import subprocess
import threading

import pytest
from daemon import SCENECTL
from scenes import eventually

FAILED, INTERACTION, USAGE, NO_DAEMON, TRY_AGAIN, DENIED, CONFIGURATION = 1, 4, 64, 69, 75, 77, 78


def scenectl(*arguments, **environment):
    return subprocess.run(
        [SCENECTL, *arguments], env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8",
                                     **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


def assert_failed(result, code, *said):
    """A clear message: one short paragraph on stderr, nothing on stdout, no trace of the inside."""
    assert result.returncode == code, result
    assert result.stdout == ""
    assert 0 < len(result.stderr) < 600 and "\x1b" not in result.stderr, result.stderr
    assert not re.search(r"Fatal error|SystemError|Swift|errno|\b0x", result.stderr), result.stderr
    for words in said:
        assert words in result.stderr, result.stderr


@pytest.fixture
def daemon(start, scripted):
    return start(notes=scripted)


VERBS = ["status", "scenes", "accounts", "login", "logout", "switch", "token", "watch", "apps"]


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example(verb):
    result = scenectl(verb, "--help")
    assert result.returncode == 0 and result.stderr == ""
    assert f"scenectl {verb}" in result.stdout
    assert re.search(rf"(?is)example.*scenectl {verb}", result.stdout)


def test_help_documents_the_exit_codes():
    text = scenectl("--help").stdout
    for code in (INTERACTION, USAGE, NO_DAEMON, TRY_AGAIN, DENIED, CONFIGURATION):
        assert re.search(rf"\b{code}\b", text), code


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "switch"])
def test_no_daemon(verb, directory):
    result = scenectl(verb, "--app", "notes", XDG_RUNTIME_DIR=directory)
    assert_failed(result, NO_DAEMON, "systemctl")


def test_no_daemon_at_the_named_socket(directory):
    assert_failed(scenectl("status", "--socket", f"{directory}/none"), NO_DAEMON, f"{directory}/none")
    assert_failed(scenectl("status", SCENED_SOCKET=f"{directory}/none"), NO_DAEMON, f"{directory}/none")


def test_the_socket_is_a_file(directory):
    open(f"{directory}/file", "w").close()
    assert_failed(scenectl("status", "--socket", f"{directory}/file"), NO_DAEMON, f"{directory}/file")


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"not json\0", b"[]\0"])
def test_somebody_else_listens_there(directory, answer):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{directory}/other")
        listener.listen()

        def serve():
            try:
                while True:
                    with listener.accept()[0] as connection:
                        connection.recv(1024)
                        connection.sendall(answer)
            except OSError:
                pass
        threading.Thread(target=serve, daemon=True).start()
        result = scenectl("status", "--socket", f"{directory}/other")
        assert_failed(result, NO_DAEMON)
        listener.shutdown(socket.SHUT_RDWR)


def test_a_socket_that_one_may_not_use(directory, daemon):
    os.chmod(directory, 0o755)
    os.chmod(daemon.directory, 0o755)
    for path in (os.path.dirname(daemon.socket), SCENECTL):
        os.chmod(path, 0o755)
    os.chmod(daemon.socket, 0o600)
    copy = f"{directory}/scenectl"
    # The checkout itself may be closed to others.
    with open(SCENECTL, "rb") as source, open(copy, "wb") as target:
        target.write(source.read())
    os.chmod(copy, 0o755)
    result = subprocess.run([copy, "status", "--socket", daemon.socket], user=65534, group=65534, extra_groups=[],
                            cwd="/", capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    assert_failed(result, DENIED, daemon.socket)


@pytest.mark.parametrize("arguments", [
    ["accounts"], ["login"], ["logout"], ["switch", "alice"], ["token"], ["watch"]], ids=lambda a: a[0])
def test_a_wrong_app(daemon, arguments):
    assert_failed(daemon.scenectl(*arguments, "--app", "nowhere"), CONFIGURATION, "nowhere", "scenectl apps")


@pytest.mark.parametrize("arguments, said", [
    ([], "scenectl"),
    (["frobnicate"], "frobnicate"),
    (["status", "--frobnicate"], "--frobnicate"),
    (["status", "superfluous"], "superfluous"),
    (["switch"], "ACCOUNT"),
    (["token", "--minimum-validity"], "--minimum-validity"),
    (["token", "--minimum-validity", "soon"], "soon"),
    (["token", "--minimum-validity", "-1"], "-1"),
    (["login", "--timeout", "99999999999999999999"], "--timeout"),
    (["logout", "alice", "--all"], "--all"),
])
def test_bad_arguments(arguments, said):
    result = scenectl(*arguments)
    assert_failed(result, USAGE, said, "scenectl")


def test_nobody_is_signed_in(daemon):
    assert_failed(daemon.scenectl("token"), INTERACTION, "scenectl login")
    assert_failed(daemon.scenectl("logout"), INTERACTION, "scenectl login")
    assert_failed(daemon.scenectl("switch", "carol"), FAILED, "carol", "scenectl accounts")


def test_the_login_host_is_down(start, scripted):
    daemon = start(notes=scripted.configuration().replace(scripted.issuer, "http://127.0.0.1:9"))
    assert_failed(daemon.scenectl("login", "--timeout", "20"), TRY_AGAIN)


def login(daemon, visitor, *arguments):
    """`scenectl login` as somebody without a display uses it: read the address, open it in a browser."""
    process = subprocess.Popen([SCENECTL, "login", *arguments], env=daemon.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\S+", line):
            visitor.sign_in(found[0])
            break
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output


def test_a_session_from_the_shell(daemon, alice, bob, scripted):
    assert "alice" in login(daemon, alice).lower()
    assert "bob" in login(daemon, bob, "--app", "notes", "--hint", "bob").lower()
    table = daemon.scenectl("accounts").stdout
    assert "alice" in table and "bob" in table and "\x1b" not in table
    accounts = json.loads(daemon.scenectl("accounts", "--json").stdout)
    assert {account["username"] for account in accounts["accounts"]} == {"alice", "bob"}
    assert daemon.scenectl("switch", "alice").returncode == 0
    assert json.loads(daemon.scenectl("accounts", "--json").stdout)["current"]["username"] == "alice"
    token = daemon.scenectl("token").stdout
    assert token.count("\n") == 1 and scripted.is_good(token.strip())
    assert json.loads(daemon.scenectl("token", "--json").stdout)["token"]["value"] == token.strip()
    assert daemon.scenectl("logout", "bob", "--reason", "tidying").returncode == 0
    assert daemon.call("ListAccounts")["accounts"][0]["username"] == "alice"
    assert daemon.scenectl("logout", "--all").returncode == 0
    assert daemon.call("ListAccounts")["accounts"] == []


def test_login_if_required_joins(daemon, alice):
    with daemon.scene() as scene:
        screen = scene.log_in().wait_progress("presenting")["loginScreen"]
        joined = subprocess.Popen([SCENECTL, "login", "--if-required", "--json"], env=daemon.environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        assert json.loads(joined.stdout.readline())["progress"]["state"] == "waiting"
        alice.sign_in(screen)
        assert "signedIn" in joined.communicate(timeout=30)[0] and joined.returncode == 0


def test_status_scenes_and_apps(daemon, alice):
    daemon.sign_in(alice)
    with daemon.scene("notes", "--title", "Main window") as scene:
        scene.id
        shown = daemon.scenectl("scenes").stdout
        assert "Main window" in shown and str(scene.process.pid) in shown
        (listed,) = json.loads(daemon.scenectl("scenes", "--json").stdout)["scenes"]
        assert listed["id"] == scene.id and listed["pid"] == scene.process.pid
        assert "alice" in daemon.scenectl("status").stdout
        status = json.loads(daemon.scenectl("status", "--json").stdout)
        assert status["status"]["scenes"] == 1 and status["status"]["keySource"] == "file"
        assert "notes" in daemon.scenectl("apps").stdout
    eventually(lambda: json.loads(daemon.scenectl("scenes", "--json").stdout)["scenes"] == [], what="the scene gone")


def test_watch(daemon, alice):
    watch = subprocess.Popen([SCENECTL, "watch", "--json"], env=daemon.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    kinds = [json.loads(watch.stdout.readline())["event"]["kind"]]
    assert kinds == ["snapshot"]
    daemon.sign_in(alice)
    while "currentUserChanged" not in kinds:
        kinds.append(json.loads(watch.stdout.readline())["event"]["kind"])
    assert "loggedIn" in kinds
    daemon.stop()
    watch.communicate(timeout=30)
    assert watch.returncode == NO_DAEMON


def test_no_colours_unless_on_a_terminal(daemon, alice):
    daemon.sign_in(alice)

    def on_a_terminal(**environment):
        primary, secondary = pty.openpty()
        subprocess.run([SCENECTL, "status"], env={**daemon.environment, "TERM": "xterm", **environment},
                       stdin=secondary, stdout=secondary, stderr=secondary, timeout=30, check=True)
        os.close(secondary)
        shown = b""
        try:
            while chunk := os.read(primary, 65536):
                shown += chunk
        except OSError:
            pass
        os.close(primary)
        return shown

    assert b"\x1b[" in on_a_terminal()
    assert b"\x1b[" not in on_a_terminal(NO_COLOR="1")
    assert "\x1b[" not in daemon.scenectl("status").stdout
