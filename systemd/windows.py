"""Three windows of an app and `scenectl watch` in tmux, for a person to sign in: see `run`.

Usage: windows.py [DIRECTORY OF THE PROVIDER]
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tests", "acceptance"))
from daemon import BINARIES, SCENECTL, Daemon  # noqa: E402
from provider import Provider  # noqa: E402

SCENE_WINDOW = os.path.join(BINARIES, "scene-window")
TITLES = ["Editor", "Reader", "Search"]
# What two windows of the least size side by side, and two below, take with borders and the lines below.
TILED = (81, 27)
USERS = "Sign in as alice (alice-pass-1) or bob (bob-pass-1) at the address shown"
KEYS = {
    True: "Ctrl-b arrow: other window · Ctrl-b z: enlarge · q: quit · Ctrl-b d: end all",
    False: "Ctrl-b n: next window · q: quit · Ctrl-b d: end all",
}


class Tmux:
    """A tmux server of our own, untouched by the user's configuration and sessions."""

    def __init__(self, directory, environment):
        self._command = ["tmux", "-u", "-f", "/dev/null", "-L", "scened"]
        self._environment = {name: value for name, value in environment.items() if name not in ("TMUX", "TMUX_PANE")}
        # Its socket goes with the directory.
        self._environment["TMUX_TMPDIR"] = directory

    def __call__(self, *arguments, check=True):
        return subprocess.run([*self._command, *arguments], env=self._environment, check=check)

    def attach(self):
        self("attach-session", check=False)

    def end(self):
        subprocess.run([*self._command, "kill-server"], env=self._environment, stderr=subprocess.DEVNULL, check=False)


def commands():
    yield from ([SCENE_WINDOW, "--title", title] for title in TITLES)
    yield [SCENECTL, "watch"]


def show(tmux, size):
    tiled = size.columns >= TILED[0] and size.lines >= TILED[1]
    first, *rest = (shlex.join(command) for command in commands())
    tmux("new-session", "-d", "-x", str(size.columns), "-y", str(size.lines), first)
    for name, value in [("status", "2"), ("status-format[0]", USERS), ("status-format[1]", KEYS[tiled]),
                        ("status-style", "reverse"), ("default-terminal", "screen-256color"), ("escape-time", "20"),
                        # Two keys at once are still keys: Ctrl-b and the next.
                        ("assume-paste-time", "0")]:
        tmux("set-option", "-g", name, value)
    for index, command in enumerate(rest):
        if tiled:
            # What a command writes before its pane has its size may be wrapped out of sight: the commands come last.
            tmux("split-window", "-d", "-t", f":.{index}", "cat")
            tmux("select-layout", "tiled")
        else:
            tmux("new-window", "-d", command)
    if tiled:
        for index, command in enumerate(rest, 1):
            tmux("respawn-pane", "-k", "-t", f":.{index}", command)
    # With the last window goes what only watched.
    left = "window_panes" if tiled else "session_windows"
    tmux("set-hook", "-g", "pane-exited", f"if-shell -F '#{{==:#{{{left}}},1}}' kill-server")
    tmux.attach()


def main():
    # No proxy of the user's environment stands between us and loopback.
    urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    directory = tempfile.mkdtemp(prefix="scened-")
    provider = daemon = tmux = None
    try:
        print("Starting a local OpenID provider and a private scened …", flush=True)
        provider = Provider("dot", *sys.argv[1:])
        daemon = Daemon(directory, {"notes": provider.configuration()})
        daemon.start()
        # The user's own environment, as their browser needs it.
        tmux = Tmux(directory, {**os.environ, "SCENED_SOCKET": daemon.socket, "SCENED_APP": "notes"})
        show(tmux, shutil.get_terminal_size())
        return 0
    except (AssertionError, OSError, subprocess.CalledProcessError) as wrong:
        print(f"This went wrong: {wrong}", file=sys.stderr)
        return 1
    finally:
        if tmux:
            tmux.end()
        if daemon:
            daemon.close()
        if provider:
            provider.stop()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
