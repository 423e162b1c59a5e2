"""A scened of one's own, as a service manager would run it: it tells when it is ready, and what it wants kept."""

import array
import os
import signal
import socket
import subprocess
import threading

from scene import Connection, call
from scenes import Scene, eventually

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARIES = os.environ.get("SCENED_BIN", os.path.join(ROOT, ".build", "debug"))
SCENED, SCENECTL = os.path.join(BINARIES, "scened"), os.path.join(BINARIES, "scenectl")


class Daemon:
    """`apps` are files of apps.d: name to text. Its directory is readable by all, as other users' tests need."""

    def __init__(self, directory, apps, settings="", environment=(), instance="user", descriptors=None):
        self.directory = os.fspath(directory)
        self.state, self.configuration = (os.path.join(self.directory, name) for name in ("state", "config"))
        self.log = os.path.join(self.directory, "log")
        os.makedirs(os.path.join(self.configuration, "apps.d"))
        for name, text in apps.items():
            self.configure(name, text)
        if settings:
            self.set(settings)
        run = os.path.join(self.directory, "run")
        os.makedirs(run, exist_ok=True)
        self.socket = os.path.join(run, "session")
        self.notifications = []
        self._barriers = 0
        self._notified = threading.Condition()
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(os.path.join(run, "notify"))
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": self.directory, "XDG_RUNTIME_DIR": run, "SCENED_SOCKET": self.socket,
            "LANG": "C.UTF-8", "NOTIFY_SOCKET": os.path.join(run, "notify"), **dict(environment)}
        self.process = None
        self.instance, self._descriptors = instance, descriptors

    def set(self, settings):
        """Write scened.conf."""
        with open(os.path.join(self.configuration, "scened.conf"), "w") as file:
            file.write(settings)

    def configure(self, name, text):
        with open(os.path.join(self.configuration, "apps.d", name + ".conf"), "w") as file:
            file.write(text)

    def _listen(self):
        while True:
            try:
                data, ancillary, *_ = self._notify.recvmsg(65536, socket.CMSG_SPACE(256 * 4))
            except OSError:
                return
            if not data:
                return
            descriptors = array.array("i")
            for level, kind, content in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    descriptors.frombytes(content[: len(content) - len(content) % 4])
            lines = data.decode().splitlines()
            with self._notified:
                self._take(lines, descriptors)
                self.notifications += lines
                self._notified.notify_all()

    def _take(self, lines, descriptors):
        """As a service manager without a descriptor store does."""
        for descriptor in descriptors:
            os.close(descriptor)

    def _heard(self):
        """How many notifications there are, once all that a process before has sent are among them."""
        self._barriers += 1
        mark = f"BARRIER={self._barriers}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(mark.encode(), self.environment["NOTIFY_SOCKET"])
        with self._notified:
            assert self._notified.wait_for(lambda: mark in self.notifications, 30)
            return len(self.notifications)

    def wait_notified(self, prefix, since=0, timeout=30):
        def found():
            return next((line for line in self.notifications[since:] if line.startswith(prefix)), None)
        with self._notified:
            ended = lambda: self.process.poll() is not None  # noqa: E731
            while not found() and not ended():
                if not self._notified.wait(0.1):
                    timeout -= 0.1
                assert timeout > 0, f"no {prefix}, but {self.notifications[since:]}\n{self.stderr()}"
        assert found(), f"scened has ended ({self.process.returncode}):\n{self.stderr()}"
        return found()

    def spawn(self):
        """Start it, and wait for nothing."""
        limited = ["prlimit", f"--nofile={self._descriptors}"] if self._descriptors else []
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*limited, SCENED, f"--{self.instance}", "--socket", self.socket, "--state", self.state,
                 "--config", self.configuration],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start(self):
        since = self._heard()
        self.spawn()
        self.wait_notified("READY=1", since)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def stop(self, timeout=20):
        """End it as systemd does; its exit status."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                return self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError(f"scened did not end on SIGTERM\n{self.stderr()}") from None
        return self.process.returncode if self.process else 0

    def close(self):
        try:
            return self.stop()
        finally:
            # Ends the thread; as long as it runs, it would read from whatever gets the descriptor's number next.
            self._notify.shutdown(socket.SHUT_RDWR)
            self._listening.join()
            self._notify.close()

    def stderr(self):
        with open(self.log, errors="replace") as file:
            return file.read()

    def scene(self, app="notes", *arguments, **options):
        return Scene(self.socket, app, *arguments, **options)

    def connect(self, timeout=60):
        return Connection(self.socket, timeout)

    def call(self, method, **parameters):
        return call(self.socket, method, app=parameters.pop("app", "notes"), **parameters)

    def manager(self, method, **parameters):
        return call(self.socket, "org.scened.Manager." + method, **parameters)

    def scenectl(self, *arguments, timeout=60, environment=(), **options):
        return subprocess.run(
            [SCENECTL, *arguments], env={**self.environment, **dict(environment)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=timeout, **options)

    def listening_ports(self):
        """TCP ports that the process listens on."""
        own = set()
        for descriptor in os.listdir(f"/proc/{self.process.pid}/fd"):
            try:
                own.add(os.readlink(f"/proc/{self.process.pid}/fd/{descriptor}"))
            except FileNotFoundError:
                pass
        ports = []
        for table in ("tcp", "tcp6"):
            with open(f"/proc/net/{table}") as file:
                for line in file.readlines()[1:]:
                    fields = line.split()
                    if fields[3] == "0A" and f"socket:[{fields[9]}]" in own:
                        ports.append(int(fields[1].rsplit(":", 1)[1], 16))
        return ports

    def sign_in(self, visitor, method="Login", app="notes", **options):
        """Sign a visitor in from a connection without a scene; the account."""
        with self.connect() as connection:
            account = None
            for reply in connection.stream(method, app=app, **({"options": options} if options else {})):
                progress = reply["progress"]
                if progress["state"] == "presenting" and progress.get("loginScreen"):
                    visitor.sign_in(progress["loginScreen"])
                account = progress.get("account") or account
        return account

    def try_sign_in(self, visitor, app="notes", **options):
        """The account, or CallFailed; whatever page the user ends on."""
        with self.connect() as connection:
            account = None
            for reply in connection.stream("Login", app=app, **({"options": options} if options else {})):
                progress = reply["progress"]
                if progress["state"] == "presenting" and progress.get("loginScreen"):
                    visitor.deliver(visitor.authorize(visitor.open(progress["loginScreen"])))
                account = progress.get("account") or account
        return account

    def wait_port_closed(self, port, timeout=10):
        def closed():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) != 0
        eventually(closed, timeout, f"port {port} closed")
