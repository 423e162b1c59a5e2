"""The two servers, and what is said to them: scened, signed in for real, and the floor with frames of the same sizes."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "Tests", "acceptance"))
from daemon import SCENED, Daemon  # noqa: E402
from scene import Connection  # noqa: E402
from scripted_idp import ScriptedProvider  # noqa: E402
from visitor import Visitor  # noqa: E402

BUILT = os.environ.get("BENCH_BIN", os.path.join(ROOT, ".cache", "bench"))
SESSION = "org.scened.Session."
# As long as the identifiers that scened gives.
SCENE = "a-window-of-notes-########"


class Server:
    """A server that runs for one case. `messages`: the files that the load driver sends and compares with."""

    sequence = 0

    def __init__(self, name, directory):
        self.name, self.directory = name, os.path.join(directory, name)
        os.makedirs(self.directory)
        self.socket = os.path.join(self.directory, "socket")
        self.process = None
        self.sizes = {}

    def message(self, name, content, size=None):
        """`size`: what it will be once its numbers are in."""
        with open(self._path(name), "wb") as file:
            file.write(content)
        self.sizes[name] = size or len(content)

    def _path(self, name):
        return os.path.join(self.directory, name + ".message")

    def messages(self, *names):
        return [self._path(name) for name in names]

    def start(self, prefix=(), environment=(), log="log"):
        self.prepare()
        if os.path.exists(self.socket):
            os.unlink(self.socket)
        with open(os.path.join(self.directory, log), "wb") as file:
            self.process = subprocess.Popen(
                [*prefix, *self.command()], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                env={"PATH": os.environ["PATH"], "HOME": self.directory, **dict(environment)})
        end = time.monotonic() + 60
        while True:
            with socket.socket(socket.AF_UNIX) as probe:
                try:
                    return probe.connect(self.socket)
                except OSError:
                    if self.process.poll() is not None or time.monotonic() > end:
                        raise SystemExit(f"{self.name} did not start, see {self.directory}/{log}") from None
            time.sleep(0.02)

    def prepare(self):
        pass

    def stop(self):
        """By SIGTERM, so that it ends in order. A tool around it then reports and ends too."""
        process = self.process.pid
        with open(f"/proc/{process}/task/{process}/children") as file:
            os.kill(int((file.read().split() or [process])[0]), signal.SIGTERM)
        self.process.wait(60)


class Floor(Server):
    """`like`: the server whose frame sizes it takes over. What it sends depends on the case's messages."""

    def __init__(self, name, directory, like):
        super().__init__(name, directory)
        sizes = like.sizes
        self._reply = {"rtt": sizes["reply"], "fan": sizes["reply0"]}
        self._event, self.mode = sizes["event0"], "rtt"
        def frame(size, head):
            body = head.encode() + b'"pad":"'
            return (size - 4).to_bytes(4, "little") + body.ljust(size - 6, b"x") + b'"}'
        def request(operation, size):
            return frame(size, '{"op":"%s","id":########,' % operation)
        def reply(mode):
            return frame(self._reply[mode], '{"ok":1,"id":########,')
        self.message("request", request("E", sizes["request"]))
        self.message("reply", reply("rtt"))
        self.message("hello", request("S", sizes["hello"]))
        self.message("welcome", reply("fan"))
        for turn in "01":
            self.message("trigger" + turn, request("T", sizes["trigger" + turn]))
            self.message("event" + turn, frame(self._event, '{"ev":"user","seq":########,'))
            self.message("reply" + turn, reply("fan"))

    def command(self):
        return [os.path.join(BUILT, "floor"), self.socket, str(self._reply[self.mode]), str(self._event)]


class Scened(Server):
    """Each start is from the same state: alice and bob are signed in, and bob is current."""

    def __init__(self, name, directory):
        super().__init__(name, directory)
        self._state = os.path.join(self.directory, "running")
        self._sign_in()
        self.start()
        try:
            self._look()
        finally:
            self.stop()

    def command(self):
        return [SCENED, "--user", "--socket", self.socket, "--state", self._state, "--config",
                self._daemon.configuration]

    def prepare(self):
        shutil.rmtree(self._state, ignore_errors=True)
        shutil.copytree(self._daemon.state, self._state)

    def _sign_in(self):
        provider = ScriptedProvider(lifetime=86400)
        self._daemon = Daemon(os.path.join(self.directory, "daemon"), {"notes": provider.configuration()})
        try:
            self._daemon.start()
            self.alice, self.bob = (
                self._daemon.sign_in(Visitor(name), "Login", loginHint=name) for name in ("alice", "bob"))
        finally:
            self._daemon.close()
            provider.stop()
        assert (self.alice["username"], self.bob["username"]) == ("alice", "bob"), (self.alice, self.bob)

    def _look(self):
        """One of each message, looked at for what it should say; the driver then compares byte by byte."""
        def text(method, parameters, more=""):
            pairs = ",".join(f'"{key}":"{value}"' for key, value in parameters.items())
            return f'{{"method":"{SESSION}{method}","parameters":{{{pairs}}}{more}}}\0'.encode()
        def raw(connection):
            message = b""
            while not message.endswith(b"\0"):
                message += connection.recv(1)
            return message
        self.message("request", text("LoginIfRequired", {"app": "notes"}))
        self.message("hello", text("ConnectScene", {"app": "notes", "scene": SCENE}, ',"more":true'))
        with Connection(self.socket) as caller, Connection(self.socket) as scene:
            progress = caller.call(SESSION + "LoginIfRequired", app="notes")["progress"]
            at = progress["at"]
            assert progress == {"state": "alreadySignedIn", "account": self.bob, "at": at}, progress
            self.sequence = at["sequence"]
            self.message("reply", self._exchange(caller.socket, "request", raw))
            welcome = self._exchange(scene.socket, "hello", raw, digits=b"00000007")
            pattern = welcome.replace(SCENE.replace("########", "00000007").encode(), SCENE.encode())
            self.message("welcome", re.sub(rb'"sequence":\d+', b'"sequence":@SEQ@', pattern))
            assert b'"kind":"snapshot"' in welcome and welcome.endswith(b'"continues":true}\0'), welcome
            for turn, (current, previous) in enumerate([(self.alice, self.bob), (self.bob, self.alice)]):
                at = {"epoch": at["epoch"], "sequence": at["sequence"] + 1}
                self.message(f"trigger{turn}", text("SwitchAccount", {"app": "notes", "account": current["id"]}))
                reply = self._exchange(caller.socket, f"trigger{turn}", raw)
                event = raw(scene.socket)
                expect(reply, {"parameters": {"account": current, "at": at}})
                expect(event, {"parameters": {"event": {
                    "kind": "currentUserChanged", "at": at, "previous": previous, "current": current}},
                    "continues": True})
                for name, content in (("reply", reply), ("event", event)):
                    pattern, places = re.subn(rb'"sequence":\d+', b'"sequence":@SEQ@', content)
                    assert places == 1, content
                    self.message(f"{name}{turn}", pattern, len(content))

    def _exchange(self, connection, name, raw, digits=b"00000000"):
        with open(self._path(name), "rb") as file:
            connection.sendall(file.read().replace(b"########", digits))
        return raw(connection)


def expect(message, content):
    assert json.loads(message[:-1]) == content, (message, content)
