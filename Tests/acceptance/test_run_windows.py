"""What `systemd/run` shows in a terminal: three windows and `scenectl watch` in tmux."""

import glob
import os
import re
import shutil
import subprocess
import sys

import pytest
from daemon import BINARIES, ROOT
from scenes import eventually
from terminal import Terminal

pytestmark = pytest.mark.skipif(not shutil.which("tmux"), reason="tmux is not installed")


@pytest.fixture
def run(directory, dot):
    terminals = []
    # A database of its own beside the tests' provider, with the packages of that one.
    provider = os.path.join(directory, "provider")
    os.mkdir(provider)
    os.symlink(os.path.join(dot.directory, "venv"), os.path.join(provider, "venv"))
    # A display whose browser nobody sees.
    os.mkdir(f"{directory}/bin")
    os.symlink("/bin/true", f"{directory}/bin/xdg-open")

    def started(columns, rows):
        terminals.append(Terminal(
            [sys.executable, os.path.join(ROOT, "systemd", "windows.py"), provider],
            {"PATH": f"{directory}/bin:{os.environ['PATH']}", "DISPLAY": ":0", "HOME": directory, "TMPDIR": directory, "LANG": "C.UTF-8",
             "SCENED_BIN": BINARIES, "PYTHONDONTWRITEBYTECODE": "1"}, columns, rows))
        return terminals[-1]

    yield started
    for terminal in terminals:
        if terminal.process.poll() is None:
            terminal.process.terminate()
            terminal.wait_ended()
        terminal.close()


def address(terminal):
    terminal.wait_shown("in a browser on this")
    return re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", terminal.text)[0]


def panes(directory):
    """How many tmux has. While it draws what is left anew, less is on the screen, and a key goes where one is closing."""
    [socket] = glob.glob(f"{directory}/scened-*/tmux-*/scened")
    listed = subprocess.run(["tmux", "-S", socket, "list-panes", "-s"], capture_output=True, text=True, timeout=30)
    return len(listed.stdout.splitlines())


def test_side_by_side(run, directory, alice):
    terminal = run(160, 50)
    terminal.wait_shown("Editor", "Reader", "Search", "snapshot", "alice (alice-pass-1)", "Ctrl-b d", timeout=60)
    alice.sign_in(address(terminal))
    terminal.wait(lambda: terminal.text.count("Signed in as Alice Example") == 3, "Alice in three windows")
    terminal.wait_shown("loggedIn")
    # Each closes, and with the third all ends.
    for left in (2, 1):
        terminal.type("q")
        eventually(lambda: panes(directory) == left + 1, 30, f"{left} windows")  # noqa: B023
        terminal.wait(lambda: terminal.text.count("Signed in as Alice Example") == left, f"{left} windows")
    terminal.type("q")
    assert terminal.wait_ended() == 0
    assert terminal.echoes
    assert not [name for name in os.listdir(directory) if name.startswith("scened-")], "nothing is left behind"


def test_one_behind_the_other_where_there_is_little_room(run, alice):
    terminal = run(80, 24)
    terminal.wait_shown("Ctrl-b n", timeout=60)
    # Whichever asked first shows the address.
    for title in ("Editor", "Reader", "Search"):
        terminal.wait(lambda: terminal.lines[0].startswith(f" {title}") and (
            "Signing in…" in terminal.text or "in a browser on this" in terminal.text), title)
        if "in a browser on this" in terminal.text:
            alice.sign_in(address(terminal))
            break
        terminal.type("\x02n")
    terminal.wait_shown("Signed in as Alice Example")
    terminal.type("\x02p")
    terminal.wait_gone(f" {title} ")
    terminal.type("\x02d")
    assert terminal.wait_ended() == 0
