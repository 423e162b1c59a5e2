"""Loopback is open to every user of the machine; the login screen is not."""

import subprocess
import urllib.parse

import pytest

NOBODY = 65534
# As another user: one GET; prints what came back, or closes the socket as soon as it is sent.
CLIENT = """
import socket, sys
host, port, target, how = sys.argv[1:]
try:
    client = socket.create_connection((host, int(port)), 10)
    client.sendall(f"GET {target} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\nConnection: close\\r\\n\\r\\n".encode())
    if how == "reset":
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\\1\\0\\0\\0\\0\\0\\0\\0")
    while how == "read" and (chunk := client.recv(65536)):
        sys.stdout.write(chunk.decode(errors="replace"))
    client.close()
except ConnectionError:
    pass
"""


def request(url, how="read", user=NOBODY):
    parts = urllib.parse.urlsplit(url)
    target = parts._replace(scheme="", netloc="").geturl()
    return subprocess.run(
        ["/usr/bin/python3", "-IS", "-c", CLIENT, parts.hostname, str(parts.port), target, how], user=user, group=user,
        extra_groups=[], cwd="/", capture_output=True, text=True, timeout=30, check=True).stdout


@pytest.fixture
def login(start, dot, alice):
    daemon = start(notes=dot)
    with daemon.scene() as scene:
        call = scene.log_in()
        screen = call.wait_progress("presenting")["loginScreen"]
        yield daemon, call, screen
        assert call.wait()["progress"]["account"]["username"] == "alice"


def refused(answer):
    return answer == "" or answer.split()[1].startswith("4")


def test_another_users_process_sees_no_login_screen(login, alice):
    _, _, screen = login
    answer = request(screen)
    assert refused(answer) and "location:" not in answer.lower(), answer
    assert request(screen, user=0).split()[1] in ("200", "302", "303")
    alice.sign_in(screen)


def test_another_users_process_cannot_complete_the_login(login, dot, alice):
    _, call, screen = login
    callback = alice.authorize(alice.open(screen))
    redeemed = len(dot.token_requests("authorization_code"))
    assert refused(request(callback))
    assert not call.ended and len(dot.token_requests("authorization_code")) == redeemed
    alice.deliver(callback)


@pytest.mark.parametrize("user", [NOBODY, 0])
@pytest.mark.parametrize("how", ["close", "reset"])
def test_one_that_closes_its_socket_at_once(login, dot, alice, how, user):
    """An orphaned socket shows as root's, which is whose session this is."""
    _, call, screen = login
    callback = alice.authorize(alice.open(screen))
    redeemed = len(dot.token_requests("authorization_code"))
    if user == 0:
        # Its own user's: whether it is served or not, nothing breaks.
        for _ in range(10):
            request(screen, how, user)
    else:
        for _ in range(10):
            request(screen, how)
            request(callback, how)
        # What came before is dealt with before this is answered.
        assert refused(request(callback))
        assert not call.ended and len(dot.token_requests("authorization_code")) == redeemed
    alice.deliver(callback)
