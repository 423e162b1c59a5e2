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
# In the history that scenes miss.
MISSED = 1000


def text(method, parameters, more=""):
    """A call as the driver sends it."""
    pairs = ",".join(f'"{key}":{json.dumps(value, separators=(",", ":"))}' for key, value in parameters.items())
    return f'{{"method":"{SESSION}{method}","parameters":{{{pairs}}}{more}}}\0'.encode()


class Server:
    """A server that runs for one case. `messages`: the files that the load driver sends and compares with."""

    sequence = 0

    def __init__(self, name, directory):
        self.name, self.directory = name, os.path.join(directory, name)
        os.makedirs(self.directory)
        self.socket = os.path.join(self.directory, "socket")
        self.process, self.parts = None, []
        self.sizes = {}

    def message(self, name, content, size=None):
        """`size`: what it will be once its numbers are in."""
        with open(self._path(name), "wb") as file:
            file.write(content)
        self.sizes[name] = size or len(content)

    def _path(self, name):
        return os.path.join(self.directory, name + ".message")

    def content(self, name):
        with open(self._path(name), "rb") as file:
            return file.read()

    def messages(self, *names):
        return [self._path(name) for name in names]

    def start(self, prefix=(), environment=(), log="log"):
        self.prepare()
        self.go_on(prefix, environment, log)

    def go_on(self, prefix=(), environment=(), log="log"):
        """Start with what the process before left."""
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
        self._reply = {"rtt": sizes["reply"], "fan": sizes["reply0"], "back": sizes["resumed"], "replay": sizes["resumed"],
                       "token": sizes["token_reply"], "dial": sizes["token_reply"]}
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
        self.message("token", request("E", sizes["token"]))
        self.message("token_reply", reply("token"))
        self.message("hello", request("S", sizes["hello"]))
        self.message("welcome", reply("fan"))
        # `first` is the welcome of a case in which the others are `resumed`.
        self.message("first", reply("back"))
        self.message("after", request("S", sizes["after"]))
        self.message("resumed", reply("back"))
        self.message("missed", request("R", sizes["after"]))
        for turn in "01":
            self.message("trigger" + turn, request("T", sizes["trigger" + turn]))
            self.message("event" + turn, frame(self._event, '{"ev":"user","seq":########,'))
            self.message("reply" + turn, reply("fan"))

    def command(self):
        history = [str(MISSED)] if self.mode == "replay" else []
        return [os.path.join(BUILT, "floor"), self.socket, str(self._reply[self.mode]), str(self._event), *history]


class Scened(Server):
    """Each start is from the same state: alice and bob are signed in, and bob is current. In the mode `replay` that was
    `MISSED` events ago, and in the mode `login` nobody is signed in."""

    def __init__(self, name, directory):
        super().__init__(name, directory)
        self.mode = "rtt"
        self._state = os.path.join(self.directory, "running")
        self._later = os.path.join(self.directory, "later")
        self._provider = ScriptedProvider(lifetime=86400)
        self._sign_in()
        self.start()
        try:
            self._look()
            self._look_back()
            self._look_at_token()
        finally:
            self.stop()

    def close(self):
        self._provider.stop()

    def command(self):
        return [SCENED, "--user", "--socket", self.socket, "--state", self._state, "--config",
                self._daemon.configuration]

    def prepare(self):
        shutil.rmtree(self._state, ignore_errors=True)
        if self.mode == "replay" and not os.path.exists(self._later):
            self._make_history()
        if self.mode != "login":
            shutil.copytree(self._later if self.mode == "replay" else self._daemon.state, self._state)

    def _sign_in(self):
        self._daemon = Daemon(os.path.join(self.directory, "daemon"), {"notes": self._provider.configuration()})
        try:
            self._daemon.start()
            self.alice, self.bob = (
                self._daemon.sign_in(Visitor(name), "Login", loginHint=name) for name in ("alice", "bob"))
        finally:
            self._daemon.close()
        assert (self.alice["username"], self.bob["username"]) == ("alice", "bob"), (self.alice, self.bob)

    def _look(self):
        """One of each message, looked at for what it should say; the driver then compares byte by byte."""
        self.message("request", text("LoginIfRequired", {"app": "notes"}))
        self.message("hello", text("ConnectScene", {"app": "notes", "scene": SCENE}, ',"more":true'))
        with Connection(self.socket) as caller, Connection(self.socket) as scene:
            progress = caller.call(SESSION + "LoginIfRequired", app="notes")["progress"]
            at = progress["at"]
            assert progress == {"state": "alreadySignedIn", "account": self.bob, "at": at}, progress
            self.sequence = at["sequence"]
            self.message("reply", self._exchange(caller.socket, "request"))
            welcome = self._exchange(scene.socket, "hello", digits=b"00000007")
            pattern = welcome.replace(SCENE.replace("########", "00000007").encode(), SCENE.encode())
            self.message("welcome", re.sub(rb'"sequence":\d+', b'"sequence":@SEQ@', pattern))
            assert b'"kind":"snapshot"' in welcome and welcome.endswith(b'"continues":true}\0'), welcome
            for turn, (current, previous) in enumerate([(self.alice, self.bob), (self.bob, self.alice)]):
                at = {"epoch": at["epoch"], "sequence": at["sequence"] + 1}
                self.message(f"trigger{turn}", text("SwitchAccount", {"app": "notes", "account": current["id"]}))
                reply = self._exchange(caller.socket, f"trigger{turn}")
                event = raw(scene.socket)
                expect(reply, {"parameters": {"account": current, "at": at}})
                expect(event, {"parameters": {"event": {
                    "kind": "currentUserChanged", "at": at, "previous": previous, "current": current}},
                    "continues": True})
                for name, content in (("reply", reply), ("event", event)):
                    pattern, places = re.subn(rb'"sequence":\d+', b'"sequence":@SEQ@', content)
                    assert places == 1, content
                    self.message(f"{name}{turn}", pattern, len(content))

    def _look_back(self):
        """The messages of scenes that name themselves in calls, come back, or wait for a login."""
        self.message("named", text("LoginIfRequired", {"app": "notes", "scene": SCENE}))
        self.message("update", text("UpdateScene", {"app": "notes", "scene": SCENE, "title": "Notes"}))
        self.message("ask", text("LoginIfRequired", {"app": "notes"}, ',"more":true'))
        with Connection(self.socket) as caller, Connection(self.socket) as scene:
            at = caller.call(SESSION + "LoginIfRequired", app="notes")["progress"]["at"]
            # As long as the one that stands for it.
            after = {"epoch": at["epoch"], "sequence": self.sequence}
            self.message("after", text("ConnectScene", {"app": "notes", "scene": SCENE, "after": after}, ',"more":true'))
            self.message("missed", self.content("after"))
            self.message("first", self.content("welcome"))
            resumed = self._exchange(scene.socket, "after", digits=b"00000007")
            expect(resumed, {"parameters": {"event": {
                "kind": "resumed", "at": after, "scene": SCENE.replace("########", "00000007")}}, "continues": True})
            self.message("resumed", resumed.replace(b"00000007", b"########"))
            named = self._exchange(caller.socket, "named", digits=b"00000007")
            self.message("named_reply", re.sub(rb'"sequence":\d+', b'"sequence":@SEQ@', named))
            assert named == self._exchange(caller.socket, "request"), named
            self.message("updated", self._exchange(caller.socket, "update", digits=b"00000007"))
            expect(self.content("updated"), {"parameters": {}})

    def _look_at_token(self):
        self.message("token", text("GetAccessToken", {"app": "notes", "account": self.bob["id"]}))
        with Connection(self.socket) as caller:
            reply = self._exchange(caller.socket, "token")
        token = json.loads(reply[:-1])["parameters"]["token"]
        assert token["account"] == self.bob and self._provider.is_good(token["value"]), token
        # It lives for a day, and the benchmark does not last long enough for one digit less.
        pattern, places = re.subn(rb'"expiresInSeconds":\d{5}\b', b'"expiresInSeconds":@@@@@', reply)
        assert places == 1, reply
        self.message("token_reply", pattern)

    def _make_history(self):
        mode, self.mode = self.mode, "rtt"
        self.start()
        try:
            with Connection(self.socket) as caller:
                for number in range(MISSED):
                    self._exchange(caller.socket, f"trigger{number % 2}")
        finally:
            self.stop()
        shutil.copytree(self._state, self._later)
        shutil.rmtree(self._state)
        self.mode = mode

    def _exchange(self, connection, name, digits=b"00000000"):
        connection.sendall(self.content(name).replace(b"########", digits))
        return raw(connection)


def raw(connection):
    message = b""
    while not message.endswith(b"\0"):
        message += connection.recv(1)
    return message


def expect(message, content):
    assert json.loads(message[:-1]) == content, (message, content)
