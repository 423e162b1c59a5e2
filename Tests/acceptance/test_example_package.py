"""A package that depends on this one, as an app's author would write it: it builds, and signs in at a real provider."""

import os
import re
import subprocess

import pytest
from daemon import ROOT
from terminal import Terminal

EXAMPLE = os.path.join(ROOT, "Tests", "example")
# Kept between runs, and with all of ours that it depends on.
SCRATCH = os.path.join(ROOT, ".build", "example")


@pytest.fixture(scope="module")
def notes():
    built = subprocess.run(["swift", "build", "--package-path", EXAMPLE, "--scratch-path", SCRATCH],
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return os.path.join(SCRATCH, "debug", "notes")


@pytest.mark.timeout(500)
def test_signs_in_and_follows(notes, start, dot, alice, bob):
    daemon = start(notes=dot)
    terminal = Terminal([notes], daemon.environment, columns=160)
    try:
        terminal.wait_shown("To sign in, open this address in your browser:")
        alice.sign_in(re.search(r"http://127\.0\.0\.1:\d+/\S+", terminal.text)[0])
        terminal.wait_shown("signed in: Alice Example, with a Bearer token")
        daemon.sign_in(bob)
        terminal.wait_shown("current user: Bob Example")
        # Alice is left, and becomes the current user again.
        daemon.call("Logout")
        terminal.wait_shown("loggedOut", "after the logout: success")
        assert "Alice Example" in terminal.text.rsplit("current user:", 1)[1]
        # A restart is no event.
        daemon.kill()
        daemon.start()
        daemon.call("Lock")
        assert terminal.wait_ended() == 0
        numbers = [int(number) for number in re.findall(r"^event (\d+):", terminal.text, re.MULTILINE)]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), terminal.text
    finally:
        terminal.close()


def test_is_what_the_readme_shows():
    with open(os.path.join(ROOT, "README.md")) as readme, \
            open(os.path.join(EXAMPLE, "Sources", "notes", "main.swift")) as program:
        assert f"```swift\n{program.read()}```\n" in readme.read()
