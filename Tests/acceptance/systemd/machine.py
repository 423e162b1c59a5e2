"""The container as the tests see it: people with scenes and browsers, and the units of scened."""

import json
import os
import pwd
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.dirname(HERE))
from scenes import Scene, eventually  # noqa: E402

# Where every user can read what runs as another user.
SHARED = "/opt/scened-tests"


def run(*command, check=True, **options):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90, **options)
    assert not check or result.returncode == 0, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result


MANIFEST = "/usr/local/share/scened/installed"


def install():
    if not os.path.exists(MANIFEST):
        run(f"{ROOT}/systemd/install", "--from", os.environ["SCENED_RELEASE"])


def uninstall():
    if os.path.exists(MANIFEST):
        run(f"{ROOT}/systemd/install", "--uninstall")


class Person:
    """A user of the machine, with scenes and a browser."""

    def __init__(self, name):
        self.name = name
        run("useradd", "--create-home", "--shell", "/bin/bash", name)
        self.uid = pwd.getpwnam(name).pw_uid
        self.runtime = f"/run/user/{self.uid}"

    def prefix(self):
        return ["runuser", "-u", self.name, "--", "env", f"HOME=/home/{self.name}",
                f"XDG_RUNTIME_DIR={self.runtime}", "LANG=C.UTF-8"]

    def run(self, *command, **options):
        return run(*self.prefix(), *command, cwd="/", **options)

    def start_manager(self):
        """Have a service manager of one's own, without being logged in."""
        run("loginctl", "enable-linger", self.name)
        eventually(lambda: os.path.exists(f"{self.runtime}/bus"), 30, "the user's manager")

    def systemctl(self, *arguments, **options):
        return self.run("systemctl", "--user", *arguments, **options)

    def scene(self, socket, app="notes", *arguments):
        # No runuser between the test and the scene, as killing it is to kill the scene.
        return Scene(socket, app, *arguments, script=f"{SHARED}/acceptance/scene.py",
                     prefix=["setpriv", "--reuid", self.name, "--regid", self.name, "--init-groups"])

    def sign_in(self, socket, user="alice", app="notes"):
        """Sign in at the provider, with a browser of this person's; the account."""
        with self.scene(socket, app) as scene:
            call = scene.log_in("Login")
            screen = call.wait_progress("presenting")["loginScreen"]
            self.run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", user, screen)
            return call.wait()["progress"]["account"]

    def call(self, socket, method, **parameters):
        with self.scene(socket) as scene:
            return scene.call(method, as_scene=False, **parameters).wait()


class Unit:
    """scened.service of a manager, the system's or a person's."""

    def __init__(self, person=None):
        self.person = person
        self.socket = f"{person.runtime if person else '/run'}/scened/session"
        self.systemctl = person.systemctl if person else lambda *a, **o: run("systemctl", *a, **o)

    def show(self, name):
        return self.systemctl("show", "--value", f"--property={name}", "scened.service").stdout.strip()

    @property
    def pid(self):
        return int(self.show("MainPID"))

    def drop_in(self, text):
        """Settings for this boot."""
        root = self.person.runtime if self.person else "/run"
        directory = f"{root}/systemd/{'user' if self.person else 'system'}/scened.service.d"
        os.makedirs(directory, exist_ok=True)
        with open(f"{directory}/test.conf", "w") as file:
            file.write(text)
        self.systemctl("daemon-reload")

    def journal(self):
        """Its entries in this boot, oldest first."""
        run("journalctl", "--sync")
        if self.person:
            chosen = ["_SYSTEMD_USER_UNIT=scened.service", f"_UID={self.person.uid}"]
        else:
            chosen = ["_SYSTEMD_UNIT=scened.service"]
        lines = run("journalctl", "--boot", "--output=json", "--all", *chosen).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def wait_active(self):
        eventually(lambda: self.show("ActiveState") == "active", 30, "scened is active")

    def clear(self):
        """Stop it and forget what it knew."""
        root = self.person.runtime if self.person else "/run"
        state = f"/home/{self.person.name}/.local/state/scened" if self.person else "/var/lib/scened"
        if os.path.exists(MANIFEST):
            self.systemctl("stop", "scened.socket", "scened.service")
            result = self.show("Result")
        shutil.rmtree(f"{root}/systemd/{'user' if self.person else 'system'}/scened.service.d", ignore_errors=True)
        shutil.rmtree(state, ignore_errors=True)
        if os.path.exists(MANIFEST):
            self.systemctl("daemon-reload")
            assert result == "success"
