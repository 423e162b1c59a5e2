"""Sessions of an app with Lock=session follow their user's screen, as logind tells."""

import os
import re

import pytest
from machine import run
from scenes import eventually


class Desk:
    """A login session of a person at logind, with a process that stands for the desktop."""

    count = 0

    def __init__(self, person, kind="wayland"):
        Desk.count += 1
        self.person, self.unit = person, f"desk-{Desk.count}"
        before = set(sessions(person))
        run("systemd-run", "--quiet", f"--unit={self.unit}", f"--property=User={person.name}", "--property=PAMName=login",
            f"--setenv=XDG_SESSION_TYPE={kind}", "--setenv=XDG_SESSION_CLASS=user", "sleep", "infinity")
        self.id = eventually(lambda: next(iter(set(sessions(person)) - before), None), 30, "a login session")
        assert property_of(self.id, "Type") == kind

    @property
    def path(self):
        answer = run("busctl", "call", "org.freedesktop.login1", "/org/freedesktop/login1",
                     "org.freedesktop.login1.Manager", "GetSession", "s", self.id).stdout
        return answer.split('"')[1]

    def lock(self):
        run("loginctl", "lock-session", self.id)

    def unlock(self):
        run("loginctl", "unlock-session", self.id)

    def hint(self, locked):
        """What a desktop says of its lock screen."""
        run("busctl", "call", "org.freedesktop.login1", self.path, "org.freedesktop.login1.Session", "SetLockedHint",
            "b", str(locked).lower())

    def end(self):
        run("systemctl", "stop", self.unit, check=False)
        eventually(lambda: self.id not in sessions(self.person), 30, "the end of a login session")


def sessions(person):
    lines = run("loginctl", "--no-legend", "list-sessions").stdout.splitlines()
    return [line.split()[0] for line in lines if line.split()[2] == person.name]


def property_of(session, name):
    return run("loginctl", "show-session", session, "--value", f"--property={name}").stdout.strip()


@pytest.fixture
def locks(dot):
    """The app has Lock=session."""
    path = "/etc/scened/apps.d/notes.conf"
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace("[App]\n", "[App]\nLock=session\n"))
    yield
    with open(path, "w") as file:
        file.write(text)


@pytest.fixture(params=["system", "user"])
def unit(request, locks):
    return request.getfixturevalue(request.param)


@pytest.fixture
def desk(ada):
    desk = Desk(ada)
    yield desk
    desk.end()


def scenectl(person, unit, *arguments):
    return person.run("scenectl", "--socket", unit.socket, *arguments, "--app", "notes", check=False)


def knows_screens(unit):
    """scened hears of locks from here on."""
    def known():
        return "logind" not in run("scenectl", "--socket", unit.socket, "status", "--json").stdout
    eventually(known, 30, "logind's answer")


def locks_in(journal):
    return [entry for entry in journal if entry.get("SCENED_EVENT") in ("locked", "unlocked")]


def test_the_screen_locks_and_unlocks_all_scenes(unit, dot, ada, desk):
    before = len(locks_in(unit.journal()))
    account = ada.sign_in(unit.socket)
    knows_screens(unit)
    with ada.scene(unit.socket) as first, ada.scene(unit.socket) as second:
        first.id, second.id
        desk.lock()
        for scene in (first, second):
            assert scene.wait_event("locked")["reason"] == "screen"
        assert first.call("GetAccessToken", as_scene=False).wait_error() == "SessionLocked"
        refused = scenectl(ada, unit, "unlock")
        assert refused.returncode == 77 and "loginctl unlock-session" in refused.stderr
        token = scenectl(ada, unit, "token")
        assert token.returncode == 77 and "scenectl unlock" in token.stderr

        waits = first.log_in()
        assert waits.wait_progress("locked") and not waits.ended
        desk.unlock()
        progress = waits.wait()["progress"]
        assert progress["account"]["id"] == account["id"]
        unlocked = [scene.wait_event("unlocked") for scene in (first, second)]
        assert unlocked[0] == unlocked[1] and unlocked[0]["at"] == progress["at"]
        token = second.call("GetAccessToken", as_scene=False).wait()["token"]["value"]
        assert dot.userinfo(token) == 200
        # By the desktop's own lock screen, which says so.
        desk.hint(True)
        first.wait_event("locked", 2)
        desk.hint(False)
        first.wait_event("unlocked", 2)
        kinds = [e["kind"] for e in first.events if e["kind"] in ("locked", "unlocked")]
        assert kinds == ["locked", "unlocked"] * 2
    audit = locks_in(unit.journal())[before:]
    assert [e["SCENED_REASON"] for e in audit] == ["screen"] * 4 and {e["SCENED_UID"] for e in audit} == {str(ada.uid)}


def test_a_lock_outlives_scened_and_logind(unit, ada, desk):
    """Also one that only a signal told of: the desktop says nothing of its lock screen."""
    ada.sign_in(unit.socket)
    knows_screens(unit)
    with ada.scene(unit.socket) as scene:
        scene.id
        # The scene and the marks are kept, and then the lock.
        eventually(lambda: unit.show("NFileDescriptorStore") == "2", 30, "the scene is kept")
        desk.lock()
        scene.wait_event("locked")
        eventually(lambda: unit.show("NFileDescriptorStore") == "3", 30, "the lock is kept")
        for _ in range(2):
            os.kill(unit.pid, 9)
            eventually(lambda: scenectl(ada, unit, "status").returncode == 0, 30, "scened is back")
            knows_screens(unit)
            assert scenectl(ada, unit, "unlock").returncode == 77
            assert scene.call("GetAccessToken", as_scene=False).wait_error() == "SessionLocked"
        run("systemctl", "restart", "systemd-logind.service")
        knows_screens(unit)
        assert scenectl(ada, unit, "unlock").returncode == 77
        desk.unlock()
        scene.wait_event("unlocked")
        desk.hint(True)
        scene.wait_event("locked", 2)
        # It is unlocked while scened is not there to hear of it.
        unit.systemctl("stop", "scened.service")
        desk.hint(False)
        unit.systemctl("start", "scened.service")
        knows_screens(unit)
        assert ada.call(unit.socket, "GetAccessToken")["token"]["value"]


def test_a_forged_signal_unlocks_nothing(system, locks, ada, ben, desk):
    """The bus hands on what anybody addresses to scened, in whosever name it speaks."""
    ada.sign_in(system.socket)
    knows_screens(system)
    names = run("busctl", "--no-legend", "list", "--unique").stdout.splitlines()
    mine = [line.split()[0] for line in names if line.split()[1] == str(system.pid)]
    assert mine, names
    with ada.scene(system.socket) as scene:
        scene.id
        desk.lock()
        scene.wait_event("locked")
        for name in mine:
            ben.run("busctl", f"--destination={name}", "emit", desk.path, "org.freedesktop.login1.Session", "Unlock")
            ben.run("busctl", f"--destination={name}", "emit", desk.path, "org.freedesktop.DBus.Properties",
                    "PropertiesChanged", "sa{sv}as", "org.freedesktop.login1.Session", "1", "LockedHint", "b", "false",
                    "0")
            ben.run("busctl", f"--destination={name}", "emit", "/org/freedesktop/login1",
                    "org.freedesktop.login1.Manager", "SessionRemoved", "so", desk.id, desk.path)
        # What comes after them is heard, so they were.
        other = Desk(ben)
        ben_scene = ben.scene(system.socket)
        ben_scene.id
        other.lock()
        ben_scene.wait_event("locked")
        ben_scene.close()
        other.end()
        assert scene.of_kind("unlocked") == []
        assert scene.call("GetAccessToken", as_scene=False).wait_error() == "SessionLocked"
        desk.unlock()
        scene.wait_event("unlocked")


def test_whose_screen_it_is(system, locks, ada, ben, desk):
    """Another user's lock is nobody's business, an ssh session's keeps nothing open, and a desktop in use does."""
    knows_screens(system)
    console = Desk(ada, "tty")
    with ada.scene(system.socket) as hers, ben.scene(system.socket) as his:
        hers.id, his.id
        desk.lock()
        hers.wait_event("locked")
        # It ends without having been unlocked.
        desk.end()
        assert scenectl(ada, system, "unlock").returncode == 77
        second = Desk(ada)
        hers.wait_event("unlocked")
        third = Desk(ada)
        third.lock()
        second.lock()
        hers.wait_event("locked", 2)
        second.unlock()
        hers.wait_event("unlocked", 2)
        assert his.of_kind("locked") == []
        for session in (console, second, third):
            session.end()


def test_by_call(unit, ada, desk):
    """What was locked by a call is unlocked by a call, whatever the screen does."""
    knows_screens(unit)
    with ada.scene(unit.socket) as scene:
        scene.id
        locked = scenectl(ada, unit, "lock")
        assert locked.returncode == 0 and re.search("scenectl unlock --app notes", locked.stdout)
        assert "reason" not in scene.wait_event("locked")
        desk.lock()
        eventually(lambda: scenectl(ada, unit, "unlock").returncode == 77, 30, "the screen's lock")
        desk.unlock()
        eventually(lambda: scenectl(ada, unit, "unlock").returncode == 0, 30, "the screen's unlock")
        scene.wait_event("unlocked")
        assert len(scene.of_kind("locked")) == len(scene.of_kind("unlocked")) == 1
