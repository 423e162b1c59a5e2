"""An identity provider app that is started by its unit or its desktop entry, by the hardened service of a user's own
instance."""

import os
import signal

import pytest
from machine import SHARED, run
from scenes import eventually

UNIT = """\
[Service]
ExecStart=/bin/sh -c 'sleep infinity | exec /usr/bin/python3 -IS %s/acceptance/scene.py --socket %s --app notes'
"""


@pytest.fixture
def apps(user, dot):
    """Notes may be asked by mail, and has a unit."""
    unit = f"{user.person.runtime}/systemd/user/notes.service"
    files = {
        "/etc/scened/apps.d/notes.conf.d/provider.conf":
            "[App]\nIdentityProviderFor=mail\nIdentityProviderUnit=notes.service\n",
        "/etc/scened/apps.d/mail.conf": dot.configuration("mail", IdentityProvider="notes"),
        unit: UNIT % (SHARED, user.socket)}
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    user.systemctl("daemon-reload")
    yield user
    user.systemctl("stop", "notes.service", check=False)
    for path in files:
        os.unlink(path)
    user.systemctl("daemon-reload")


def test_the_provider_is_started_by_its_unit(apps, ada):
    account = ada.sign_in(apps.socket)
    with ada.scene(apps.socket, "mail") as mail:
        login = mail.log_in()
        assert login.wait_progress("waiting")["identityProvider"] == "notes"

        def asked():
            call = mail.call("ListAuthorizations", as_scene=False, app="notes")
            return call.wait()["requests"]
        [request] = eventually(asked, 30, "the request")
        page = mail.call("AuthorizeApp", as_scene=False, app="notes", scene=request["presenter"],
                         request=request["request"], decision="approve", account=account["id"]).wait()
        ada.run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", "alice", page["loginScreen"])
        assert login.wait()["progress"]["account"]["username"] == "alice"
        state = apps.systemctl("show", "--value", "--property=ActiveState", "notes.service").stdout.strip()
        assert state == "active"


def test_a_unit_that_is_not_there(apps, ada):
    os.unlink(f"{apps.person.runtime}/systemd/user/notes.service")
    apps.systemctl("daemon-reload")
    try:
        with ada.scene(apps.socket, "mail") as mail:
            shown = mail.log_in().wait_progress("presenting")
            assert shown["reason"] == "noIdentityProviderScene"
            mail.call("CancelLogin").wait()
        assert any("could not be started" in entry["MESSAGE"] for entry in apps.journal())
    finally:
        with open(f"{apps.person.runtime}/systemd/user/notes.service", "w") as file:
            file.write(UNIT % (SHARED, apps.socket))


SCENE = "#!/bin/sh\nsleep infinity | exec /usr/bin/python3 -IS %s/acceptance/scene.py --socket %s --app notes\n"
BUS_NAME = "com.example.notes"
ENTRY = """\
[Desktop Entry]
Type=Application
Name=Notes
Exec=%s
DBusActivatable=%s
"""
ACTIVATED = f"[D-BUS Service]\nName={BUS_NAME}\nExec=%s\n"


@pytest.fixture(params=["plain", "over the bus"])
def desktop_apps(user, dot, request):
    """The same, where notes has a desktop entry in the user's home."""
    home = f"/home/{user.person.name}"
    program = f"{home}/notes"
    over_bus = request.param != "plain"
    files = {
        "/etc/scened/apps.d/notes.conf.d/provider.conf":
            f"[App]\nIdentityProviderFor=mail\nIdentityProviderDesktopEntry={BUS_NAME}.desktop\n",
        "/etc/scened/apps.d/mail.conf": dot.configuration("mail", IdentityProvider="notes"),
        program: SCENE % (SHARED, user.socket),
        f"{home}/.local/share/applications/{BUS_NAME}.desktop":
            ENTRY % ("/bin/false" if over_bus else program, "true" if over_bus else "false"),
        f"{home}/.local/share/dbus-1/services/{BUS_NAME}.service": ACTIVATED % program}
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    os.chmod(program, 0o755)
    run("chown", "-R", user.person.name, f"{home}/.local")
    user.person.run("busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
                    "org.freedesktop.DBus", "ReloadConfig")
    yield user
    for pid in processes(user.person):
        os.kill(pid, signal.SIGKILL)
    for path in files:
        os.unlink(path)


def processes(person):
    """Of the provider app."""
    found = run("pgrep", "--uid", str(person.uid), "--full", "scene.py.*--app notes", check=False).stdout
    return [int(pid) for pid in found.split()]


def test_the_provider_is_started_by_its_desktop_entry(desktop_apps, ada):
    account = ada.sign_in(desktop_apps.socket)
    with ada.scene(desktop_apps.socket, "mail") as mail:
        login = mail.log_in()
        assert login.wait_progress("waiting")["identityProvider"] == "notes"

        def asked():
            return mail.call("ListAuthorizations", as_scene=False, app="notes").wait()["requests"]
        [request] = eventually(asked, 30, "the request")
        # It is an app like those that the user starts, and none of the service's, whose confinement it has not.
        [pid] = processes(ada)
        with open(f"/proc/{pid}/cgroup") as file:
            assert "scened.service" not in file.read()
        with open(f"/proc/{pid}/status") as file:
            assert "NoNewPrivs:\t0" in file.read()
        page = mail.call("AuthorizeApp", as_scene=False, app="notes", scene=request["presenter"],
                         request=request["request"], decision="approve", account=account["id"]).wait()
        ada.run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", "alice", page["loginScreen"])
        assert login.wait()["progress"]["account"]["username"] == "alice"
        assert processes(ada) == [pid]


def test_a_desktop_entry_that_is_not_there(desktop_apps, ada):
    path = f"/home/{ada.name}/.local/share/applications/{BUS_NAME}.desktop"
    os.rename(path, path + ".away")
    try:
        checked = ada.run("/usr/local/bin/scened", "--check-config", check=False)
        assert checked.returncode == 78 and f"there is no desktop entry {BUS_NAME}.desktop" in checked.stdout
        with ada.scene(desktop_apps.socket, "mail") as mail:
            shown = mail.log_in().wait_progress("presenting")
            assert shown["reason"] == "noIdentityProviderScene"
            mail.call("CancelLogin").wait()
        assert any("could not be started" in entry["MESSAGE"] for entry in desktop_apps.journal())
    finally:
        os.rename(path + ".away", path)
