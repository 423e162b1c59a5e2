"""Restarts of scened under its manager, and calls that outlive them."""

import os
import shutil
import signal

from scene import call
from scenes import Scene, eventually
from visitor import Visitor

APP = "notes"


def sign_in(path, user, app=APP):
    with Scene(path, app) as scene:
        login = scene.log_in("Login")
        Visitor(user).sign_in(login.wait_progress("presenting")["loginScreen"])
        return login.wait()["progress"]["account"]["id"]


def persistently(path, method, app=APP, **parameters):
    """A call that is made again when the daemon went away under it, as SceneSession does."""
    for _ in range(200):
        try:
            return call(path, method, app=app, **parameters)
        except (OSError, ConnectionError):
            pass
    raise AssertionError(f"no answer to {method}")


def restart(unit, how, stopping=lambda: None):
    """`stopping` is called while the old process ends, or when it has."""
    before = unit.pid
    if how == "kill":
        os.kill(before, signal.SIGKILL)
    else:
        if how == "upgrade":
            shutil.copy("/usr/local/bin/scened", "/usr/local/bin/scened.new")
            os.rename("/usr/local/bin/scened.new", "/usr/local/bin/scened")
        unit.systemctl("--no-block", "restart", "scened.service")
        eventually(lambda: unit.show("ActiveState") != "active" or unit.pid != before, 30, "the old process's end")
    stopping()
    eventually(lambda: unit.show("ActiveState") == "active" and unit.pid not in (0, before), 30, "the new process")


def kept(unit, count):
    """What is kept is told to the service manager by a thread of the daemon's own."""
    eventually(lambda: int(unit.show("NFileDescriptorStore")) >= count, 30, f"{count} descriptors in the store")
