"""State that cannot be used for now: a full disk, one that is read-only, files that are not ours."""

import contextlib
import os
import socket
import subprocess
import threading
import urllib.parse

import pytest
from calls import authorize
from descriptor_store import KeepingDaemon
from durable_changes import sign_in
from scene import CallFailed
from scenes import eventually
from state_files import files, is_kept, is_whole, refused, users
from visitor import get

OTHER_USER = 65534


@contextlib.contextmanager
def mounted(path, *options):
    """A small disk of its own at that path."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount")
    os.makedirs(path, mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(["mode=700", *options]), "tmpfs", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def fill(state):
    with open(f"{state}/filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"\0" * 4096)


def test_the_disk_is_full(start, scripted, state):
    with mounted(state, "size=300k"):
        daemon = start(notes=scripted)
        sign_in(daemon, "alice")
        with daemon.scene() as scene:
            scene.id
            fill(state)
            refused(daemon, "full", method="LogoutAll")
            with pytest.raises(CallFailed, match="StorageUnavailable"):
                sign_in(daemon, "bob")
            # What needs no disk goes on.
            assert daemon.call("GetAccessToken")["token"]["value"]
            assert users(daemon) == ["alice"]
            assert [event["kind"] for event in scene.events] == ["snapshot"]
            os.remove(f"{state}/filler")
            sign_in(daemon, "bob")
            scene.wait_event("loggedIn")
        assert daemon.stop() == 0
        daemon.start()
        assert users(daemon) == ["alice", "bob"]
        assert daemon.stop() == 0


def test_the_disk_is_full_at_the_first_start(start, scripted, state):
    with mounted(state, "size=300k"):
        fill(state)
        daemon = start(notes=scripted)
        refused(daemon, state)
        os.remove(f"{state}/filler")
        daemon.manager("Reload")
        sign_in(daemon, "alice")
        is_whole(daemon)
        assert daemon.stop() == 0


def test_the_disk_is_full_at_a_later_start(start, scripted, state):
    with mounted(state, "size=300k"):
        daemon = start(notes=scripted)
        sign_in(daemon, "alice")
        daemon.kill()
        fill(state)
        # What is there can be read, or it is left alone.
        daemon.start()
        with contextlib.suppress(CallFailed):
            assert users(daemon) == ["alice"]
        os.remove(f"{state}/filler")
        is_whole(daemon)
        assert daemon.stop() == 0


def test_the_state_is_read_only(start, scripted, state):
    with mounted(state):
        daemon = start(notes=scripted)
        sign_in(daemon, "alice")
        assert daemon.stop() == 0
        subprocess.run(["mount", "-o", "remount,ro", state], check=True)
        before = files(state)
        daemon.start()
        refused(daemon, state, "Read-only")
        is_kept(before, state)
        subprocess.run(["mount", "-o", "remount,rw", state], check=True)
        is_whole(daemon)
        assert daemon.stop() == 0


def put_directory(state):
    os.rename(f"{state}/sessions.sqlite", f"{state}/kept")
    os.mkdir(f"{state}/sessions.sqlite")


def take_directory_away(state):
    os.rmdir(f"{state}/sessions.sqlite")
    os.rename(f"{state}/kept", f"{state}/sessions.sqlite")


def put_link(state):
    os.rename(f"{state}/sessions.sqlite", f"{state}/kept")
    os.symlink("kept", f"{state}/sessions.sqlite")


def owner(name, uid):
    return lambda state: os.chown(os.path.join(state, name), uid, -1)


def mode(name, bits):
    return lambda state: os.chmod(os.path.join(state, name), bits)


@pytest.mark.parametrize("spoil, mend, word", [
    (put_directory, take_directory_away, "sessions.sqlite"),
    (put_link, lambda state: os.replace(f"{state}/kept", f"{state}/sessions.sqlite"), "sessions.sqlite"),
    (owner(".", OTHER_USER), owner(".", 0), "belong"),
    (owner("sessions.sqlite", OTHER_USER), owner("sessions.sqlite", 0), "belong"),
    (owner("key", OTHER_USER), owner("key", 0), "belong"),
    (mode(".", 0o777), mode(".", 0o700), "chmod 700"),
    (mode("key", 0o644), mode("key", 0o600), "chmod 600"),
    (lambda state: os.rename(f"{state}/key", f"{state}/elsewhere"),
     lambda state: os.rename(f"{state}/elsewhere", f"{state}/key"), "key"),
    (lambda state: os.truncate(f"{state}/key", 16), None, "key"),
], ids=["directory", "link", "others-state", "others-database", "others-key", "open-state", "open-key", "no-key",
        "half-a-key"])
def test_what_may_not_be_used(signed_in, state, spoil, mend, word):
    if os.geteuid() != 0:
        pytest.skip("only root may give files away")
    with open(f"{state}/key", "rb") as file:
        key = file.read()
    spoil(state)
    before = files(state)
    daemon = signed_in.start()
    refused(daemon, word)
    # Not that nobody was signed in.
    with pytest.raises(CallFailed, match="StorageUnavailable"):
        daemon.manager("LogoutUser", uid=os.getuid())
    is_kept(before, state)
    if mend:
        mend(state)
    else:
        with open(f"{state}/key", "wb") as file:
            file.write(key)
    is_whole(daemon)


def test_taken_away_while_it_runs(signed_in, state):
    """It takes no change any more that would be lost, and goes on when its files are back."""
    daemon = signed_in.start()
    os.rename(state, state + ".away")
    refused(daemon, "moved or deleted", method="Lock")
    assert users(daemon) == ["alice"] and daemon.call("GetAccessToken")["token"]["value"]
    os.rename(state + ".away", state)
    daemon.call("Lock")
    daemon.call("Unlock")
    assert daemon.stop() == 0
    is_whole(daemon.start())


# A login that the service manager kept, and state that the next process cannot use.


@pytest.fixture
def interrupted(directory, scripted):
    """A daemon that has died under a login, and its successor, whose state anybody may write to."""
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration()}).start()
    try:
        with daemon.scene() as scene:
            daemon.uri = scene.log_in().wait_progress("presenting")["authorizationUri"]
            daemon.wait_notified("FDNAME=login-")
            daemon.kill()
        os.chmod(daemon.state, 0o777)
        daemon.start()
        refused(daemon, "chmod 700")
        yield daemon
    finally:
        assert daemon.close() == 0, daemon.stderr()


def kept_login(daemon):
    return [name for name, _ in daemon.kept if name.startswith(("login-", "listener-"))]


def test_a_login_page_waits_for_the_state(interrupted):
    assert len(kept_login(interrupted)) == 2
    answers = []
    browser = threading.Thread(target=lambda: answers.append(get(authorize(interrupted.uri, "alice"))))
    browser.start()
    # Some time after the browser has come back.
    refused(interrupted, "chmod 700")
    os.chmod(interrupted.state, 0o700)
    interrupted.manager("Reload")
    with interrupted.scene() as scene:
        assert scene.log_in().wait()["progress"]["account"]["username"] == "alice"
    browser.join()
    assert [status for status, *_ in answers] == [200]
    eventually(lambda: not kept_login(interrupted), 10, "nothing kept")
    is_whole(interrupted)


def test_a_login_page_does_not_wait_for_ever(interrupted):
    callback = urllib.parse.parse_qs(urllib.parse.urlsplit(interrupted.uri).query)["redirect_uri"][0]
    port = urllib.parse.urlsplit(callback).port
    eventually(lambda: not kept_login(interrupted), 40, "nothing kept")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
    os.chmod(interrupted.state, 0o700)
    interrupted.manager("Reload")
    with interrupted.scene() as scene:
        scene.id
        assert scene.events[0]["snapshot"]["loginUnderWay"] is False
        new = scene.log_in().wait_progress("presenting")
        assert new["authorizationUri"] != interrupted.uri
        get(authorize(new["authorizationUri"], "alice"))
        scene.wait_event("loggedIn")
