"""Fault points in a real scened, by the library of Tests/faults: it is killed there, or its calls fail."""

import contextlib
import ctypes
import errno
import functools
import mmap
import os
import subprocess
import tempfile
from dataclasses import dataclass

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "faults", "faults.c")
MODES = ["nothing", "before", "after", "torn", "once", "from", "short"]
KILLS = ("before", "after", "torn")
ERRORS = [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT]


@dataclass(frozen=True)
class Fault:
    """What happens at a point. `error`, with "once" and "from" (there and at each change of a file after it);
    `then_killed`, once that was answered.
    """

    point: str
    mode: str
    error: int = 0
    then_killed: bool = False

    @property
    def kind(self):
        """Without which error it is."""
        return ("error " if self.error else "") + self.mode + (", then killed" if self.then_killed else "")

    def __str__(self):
        return f"{self.kind} at {self.point}" + (f" ({errno.errorcode[self.error]})" if self.error else "")


def has_bytes(point):
    """Whether half of it can be done; single bytes only make the index of the log larger."""
    call, target = point.split(" ")[:2]
    return call in ("write", "pwrite", "writev", "send") and target != "sessions.sqlite-shm"


def is_sync(point):
    return point.startswith(("fsync ", "fdatasync "))


def is_file(point):
    return not point.startswith("send ")


class _Control(ctypes.Structure):
    # struct control of faults.c.
    _fields_ = [("armed", ctypes.c_int32), ("mode", ctypes.c_int32), ("error", ctypes.c_int32),
                ("hit", ctypes.c_int32), ("count", ctypes.c_int32), ("login_host", ctypes.c_int32),
                ("directory", ctypes.c_char * 256), ("point", ctypes.c_char * 96),
                ("names", ctypes.c_char * 96 * 1024)]


@functools.cache
def library():
    """The library's path; built once."""
    directory = tempfile.TemporaryDirectory(prefix="scened-")
    library.directory = directory
    path = os.path.join(directory.name, "faults.so")
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-o", path, SOURCE], check=True)
    return path


class Faults:
    """What one daemon and the test share. `path` is a file of their own, `state` the directory whose files count."""

    def __init__(self, path, state, login_host=0):
        with open(path, "wb+") as file:
            file.truncate(ctypes.sizeof(_Control))
            self._memory = mmap.mmap(file.fileno(), 0)
        self._control = _Control.from_buffer(self._memory)
        self._control.directory = os.path.realpath(state).encode()
        self._control.login_host = login_host
        self.environment = {"LD_PRELOAD": library(), "SCENED_FAULTS": path}

    def arm(self, fault=None):
        """Count from here on, and let this happen."""
        control = self._control
        control.count = control.hit = 0
        control.point = fault.point.encode() if fault else b""
        control.error = fault.error if fault else 0
        control.mode = MODES.index(fault.mode) if fault else 0
        control.armed = 1

    def disarm(self):
        self._control.armed = 0

    @property
    def was_hit(self):
        return bool(self._control.hit)

    @property
    def points(self):
        """The names of the points that were passed since it was armed, in order."""
        return [self._control.names[n].value.decode() for n in range(self._control.count)]

    @contextlib.contextmanager
    def armed(self, fault=None):
        self.arm(fault)
        try:
            yield self
        finally:
            self.disarm()
