"""A program in a terminal of its own, as a person sees it."""

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios
import threading

import pyte


# Between these, a terminal that knows of synchronized output shows nothing yet.
BEGIN, END = b"\x1b[?2026h", b"\x1b[?2026l"


class Frames:
    """Passes a screen on when it is there as a whole, as the terminals that people use do."""

    def __init__(self, show):
        self._show = show
        self._held = b""

    def feed(self, data):
        data = self._held + data
        begun = data.rfind(BEGIN)
        if begun < 0 or END in data[begun:]:
            # A mark may come in pieces.
            begun = next((len(data) - n for n in range(len(BEGIN) - 1, 0, -1) if data.endswith(BEGIN[:n])), len(data))
        self._held = data[begun:]
        self._show(data[:begun])


class Terminal:
    def __init__(self, arguments, environment, columns=80, rows=24):
        self._controller, self._terminal = pty.openpty()
        self.screen = pyte.Screen(columns, rows)
        self._frames = Frames(pyte.ByteStream(self.screen).feed)
        self._changed = threading.Condition()
        self.output = b""
        self._is_over = False
        self._set_size(columns, rows)
        self.process = subprocess.Popen(
            arguments, env={"TERM": "xterm-256color", **environment}, stdin=self._terminal, stdout=self._terminal,
            stderr=self._terminal, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _set_size(self, columns, rows):
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self):
        while True:
            try:
                data = os.read(self._controller, 65536)
            except OSError:
                return
            if not data or self._is_over:
                return
            with self._changed:
                self.output += data
                self._frames.feed(data)
                self._changed.notify_all()

    def resize(self, columns, rows):
        with self._changed:
            self.screen.resize(rows, columns)
        self._set_size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def type(self, keys):
        os.write(self._controller, keys.encode())

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def wait(self, condition, what, timeout=30):
        with self._changed:
            assert self._changed.wait_for(condition, timeout), f"no {what} within {timeout} s:\n{self.text}"

    def wait_shown(self, *texts, timeout=30):
        self.wait(lambda: all(text in self.text for text in texts), " and ".join(texts), timeout)

    def wait_gone(self, text, timeout=30):
        self.wait(lambda: text not in self.text, f"end of {text}", timeout)

    def wait_output(self, data, timeout=10):
        self.wait(lambda: data in self.output, repr(data), timeout)

    @property
    def echoes(self):
        return bool(termios.tcgetattr(self._terminal)[3] & termios.ECHO)

    def echo(self, echoes):
        mode = termios.tcgetattr(self._terminal)
        mode[3] = mode[3] | termios.ECHO if echoes else mode[3] & ~termios.ECHO
        termios.tcsetattr(self._terminal, termios.TCSANOW, mode)

    def wait_ended(self, timeout=20):
        return self.process.wait(timeout)

    def hang_up(self):
        """As when the window is closed, or the connection to it breaks."""
        # Wakes the thread: as long as it reads, the terminal is still there.
        self._is_over = True
        with contextlib.suppress(OSError):
            os.write(self._terminal, b"\0")
        self._reader.join(10)
        os.close(self._terminal)
        os.close(self._controller)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if not self._is_over:
            self.hang_up()
