"""What a service manager does for a scened that is restarted: keeps the descriptors that it is sent, and passes them on."""

import os
import socket
import subprocess

from daemon import SCENED, Daemon

# Descriptors 3 and up are what sd_listen_fds(3) looks at, in the process that LISTEN_PID names.
PASS_ON = """
import fcntl, os, sys
passed = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 1000) for number in sys.argv[1].split(",") if number]
for number, descriptor in enumerate(passed):
    os.dup2(descriptor, 3 + number, inheritable=True)
    os.close(descriptor)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(passed)))
os.execv(sys.argv[2], sys.argv[2:])
"""


class KeepingDaemon(Daemon):
    """A scened whose descriptors outlive its process."""

    def __init__(self, *arguments, **options):
        self.kept = []
        super().__init__(*arguments, **options)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.socket)
        self._listener.listen(64)

    def _take(self, lines, descriptors):
        name = next((line[7:] for line in lines if line.startswith("FDNAME=")), "stored")
        self.kept += [(name, descriptor) for descriptor in descriptors]
        if "FDSTOREREMOVE=1" in lines:
            self._drop([kept for kept in self.kept if kept[0] == name])

    def _drop(self, dropped):
        for kept in dropped:
            os.close(kept[1])
            self.kept.remove(kept)

    def start(self):
        since = len(self.notifications)
        passed = [("session", self._listener.fileno()), *self.kept]
        numbers = [number for _, number in passed]
        environment = {**self.environment, "LISTEN_FDNAMES": ":".join(name for name, _ in passed)}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                ["/usr/bin/python3", "-IS", "-c", PASS_ON, ",".join(map(str, numbers)), SCENED, "--user",
                 "--state", self.state, "--config", self.configuration],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=numbers)
        self.wait_notified("READY=1", since)
        return self

    def close(self):
        try:
            return super().close()
        finally:
            self._drop(list(self.kept))
            self._listener.close()
