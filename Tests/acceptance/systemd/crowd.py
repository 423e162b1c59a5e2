"""Many scenes, and many calls that wait, each in one thread: what they are sent, and how they come back."""

import contextlib
import functools
import json
import selectors
import socket
import threading

from scenes import eventually

SESSION = "org.scened.Session."


class _Crowd:
    """Connections by number, read by a thread of its own."""

    def __init__(self, path):
        self._path = path
        self._selector = selectors.DefaultSelector()
        self._sockets = {}
        self._stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _connect(self, number, method, parameters):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self._path)
        self._sockets[number] = connection
        self._send(number, method, parameters)
        self._selector.register(connection, selectors.EVENT_READ, number)

    def _send(self, number, method, parameters):
        message = {"method": SESSION + method, "parameters": parameters, "more": method != "GetAccessToken"}
        self._sockets[number].sendall(json.dumps(message).encode() + b"\0")

    def _run(self):
        while not self._stopped:
            for key, _ in self._selector.select(0.1):
                chunk = b""
                try:
                    chunk = key.fileobj.recv(1 << 16)
                except OSError:
                    pass
                if chunk:
                    self._got(key.data, chunk)
                else:
                    self._selector.unregister(key.fileobj)
                    key.fileobj.close()
                    self._ended(key.data)

    def close(self):
        self._stopped = True
        self._thread.join()
        for connection in self._sockets.values():
            connection.close()


class Followers(_Crowd):
    """Scenes that keep every byte they were sent, and come back by cursor where they are cut off."""

    def __init__(self, path, app, count):
        super().__init__(path)
        self._app = app
        self.received = [bytearray() for _ in range(count)]
        # How often each was cut off.
        self.cuts = [0] * count
        for number in range(count):
            self._connect(number, "ConnectScene", {"app": app})
        self._thread.start()

    def _got(self, number, chunk):
        self.received[number] += chunk

    def _ended(self, number):
        received = self.received[number]
        # What came of a message in part does not count.
        del received[received.rfind(b"\0") + 1:]
        events = [json.loads(frame)["parameters"]["event"] for frame in (received[:received.find(b"\0")],
                  received[received.rfind(b"\0", 0, -1) + 1:-1])]
        self.cuts[number] += 1
        self._connect(number, "ConnectScene", {"app": self._app, "scene": events[0]["scene"], "after": events[1]["at"]})

    def events(self, number, read=functools.lru_cache(maxsize=None)(json.loads)):
        # All scenes are sent the same bytes.
        return [read(frame)["parameters"]["event"] for frame in bytes(self.received[number]).split(b"\0")[:-1]]

    def last(self, number):
        """The sequence of the newest event that is here whole, without reading all."""
        frames = bytes(self.received[number][-4096:]).split(b"\0")
        return json.loads(frames[-2])["parameters"]["event"]["at"]["sequence"] if len(frames) > 1 else -1

    def wait(self, sequence, timeout=60):
        eventually(lambda: all(self.last(n) >= sequence for n in range(len(self.received))), timeout,
                   f"event {sequence} at every scene")

    def check(self, newest):
        """Every scene was sent every event up to the newest once, in order, and was told of every return."""
        for number in range(len(self.received)):
            events = self.events(number)
            resumed = [event for event in events if event["kind"] == "resumed"]
            assert len(resumed) == self.cuts[number], f"scene {number}"
            sequences = [event["at"]["sequence"] for event in events if event["kind"] != "resumed"]
            assert sequences == list(range(sequences[0], newest + 1)), f"scene {number}"
            assert not any(event.get("gap") for event in events) and len({e["at"]["epoch"] for e in events}) == 1


class Waiting(_Crowd):
    """Calls that wait, made again when the connection ends under them, as SceneSession does, and when they are answered
    as long as `repeats` says so."""

    def __init__(self, path, calls):
        super().__init__(path)
        self._calls = calls
        self._received = [bytearray() for _ in calls]
        # The last progress since the call was made last.
        self.progress = [None] * len(calls)
        # How often each was answered, and how often its connection ended.
        self.replied, self.cut = [0] * len(calls), [0] * len(calls)
        self.errors = []
        self.repeats = True
        for number, call in enumerate(calls):
            self._connect(number, *call)
        self._thread.start()

    def _got(self, number, chunk):
        received = self._received[number]
        received += chunk
        *frames, rest = bytes(received).split(b"\0")
        received[:] = rest
        for frame in frames:
            message = json.loads(frame)
            if message.get("continues"):
                self.progress[number] = message["parameters"]["progress"]
                continue
            if "error" in message:
                self.errors.append((self._calls[number], message))
            self.replied[number] += 1
            if self.repeats:
                # The connection may have ended behind the reply: then it is made again with that.
                with contextlib.suppress(OSError):
                    self._send(number, *self._calls[number])

    def _ended(self, number):
        self._received[number].clear()
        self.progress[number] = None
        self.cut[number] += 1
        self._connect(number, *self._calls[number])

    def turns(self):
        """How often each call has come to an end."""
        return [sum(ends) for ends in zip(self.replied, self.cut)]
