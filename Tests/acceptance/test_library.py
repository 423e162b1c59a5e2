"""A program of an app's author, with the Swift library: Tests/example, built as a package of its own."""

import os
import pty
import re
import subprocess
import threading

import pytest
from daemon import ROOT
from scenes import eventually

PROGRAM = os.path.join(ROOT, ".build", "example", "debug", "notes")


@pytest.fixture(scope="module")
def program():
    subprocess.run(["swift", "build", "--quiet", "--package-path", os.path.join(ROOT, "Tests", "example"),
                    "--scratch-path", os.path.join(ROOT, ".build", "example")], check=True)
    return PROGRAM


@pytest.mark.timeout(240)
def test_the_example(program, start, scripted, alice):
    daemon = start(notes=scripted)
    with daemon.scene() as other:
        screen = other.log_in().wait_progress("presenting")["loginScreen"]
        # On a terminal, as its output is to come line by line.
        primary, secondary = pty.openpty()
        notes = subprocess.Popen([program], env=daemon.environment, stdin=secondary, stdout=secondary, stderr=secondary)
        os.close(secondary)
        said = []
        terminal = os.fdopen(primary, "rb", buffering=0)

        def listen():
            try:
                said.extend(line.decode().strip() for line in terminal)
            except OSError:
                pass  # the program has ended
        listener = threading.Thread(target=listen)
        listener.start()

        def heard(text, count=1):
            lines = eventually(lambda: len(found := [line for line in said if text in line]) >= count and found, 20,
                               f"{text} in {said}")
            return lines[-1]
        try:
            # It joins the login that another window shows.
            eventually(lambda: [scene for scene in daemon.manager("ListScenes")["scenes"]
                                if scene.get("title") == "Notes"], what="the program's window")
            alice.sign_in(screen)
            assert heard("signed in") == "signed in: Alice, with a Bearer token"
            daemon.call("LogoutAll")
            heard("current user: nobody")
            # It is the one that asks for the next sign-in.
            alice.sign_in(re.search(r"http://\S+", heard("To sign in"))[0])
            heard("current user: Alice", 2)
            assert notes.poll() is None
        finally:
            notes.kill()
            notes.wait()
            listener.join()
            terminal.close()
