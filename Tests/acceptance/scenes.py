"""Scene processes (scene.py) from the outside: start them, let them call, wait for what they are sent."""

import json
import os
import subprocess
import threading
import time

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scene.py")


class Call:
    """A call that a scene has made: its replies so far, and how it ended."""

    def __init__(self, scene):
        self._scene = scene
        self.replies = []
        self.error = None
        self.error_parameters = {}
        self.ended = False

    @property
    def progress(self):
        return [reply["progress"] for reply in self.replies]

    def wait(self, timeout=30):
        """The last reply."""
        self._scene._until(lambda: self.ended, timeout, f"the end of a call, after {self.replies}")
        assert self.error is None, f"{self.error} {self.error_parameters}"
        return self.replies[-1]

    def wait_error(self, timeout=30):
        self._scene._until(lambda: self.ended, timeout, f"the end of a call, after {self.replies}")
        assert self.error is not None, f"no error, but {self.replies}"
        return self.error

    def wait_progress(self, *states, timeout=30):
        """The first progress in one of these states."""
        def found():
            return next((p for p in self.progress if p["state"] in states), None)
        self._scene._until(lambda: found() or self.ended, timeout, f"{states} in {self.replies}")
        assert found(), f"ended without {states}: {self.error} {self.replies}"
        return found()


class Scene:
    def __init__(self, socket, app, *arguments, prefix=(), python="/usr/bin/python3", script=SCENE):
        self.process = subprocess.Popen(
            [*prefix, python, "-IS", script, "--socket", os.fspath(socket), "--app", app, *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.events = []
        self.closed = None
        self._calls = {}
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for text in self.process.stdout:
            line = json.loads(text)
            with self._changed:
                if "event" in line:
                    self.events.append(line["event"])
                elif "closed" in line:
                    self.closed = line["closed"]
                else:
                    call = self._calls[line["id"]]
                    if "error" in line:
                        call.error, call.error_parameters, call.ended = line["error"], line["parameters"], True
                    else:
                        call.replies.append(line["reply"])
                        call.ended = line["last"]
                self._changed.notify_all()
        with self._changed:
            self.closed = self.closed or "the scene has ended"
            self._changed.notify_all()

    def _until(self, condition, timeout, what):
        with self._changed:
            assert self._changed.wait_for(condition, timeout), f"no {what} within {timeout} s; events: {self.events}"

    @property
    def id(self):
        self._until(lambda: self.events or self.closed, 30, "first event")
        assert self.events, self.closed
        return self.events[0]["scene"]

    def call(self, method, *, more=False, as_scene=True, **parameters):
        """Begin a call. As the scene that this is, if it has become one; else as no scene."""
        if as_scene:
            self.id
        call = Call(self)
        number = len(self._calls)
        self._calls[number] = call
        line = {"id": number, "method": method, "parameters": parameters, "more": more, "asScene": as_scene}
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        return call

    def log_in(self, method="LoginIfRequired", **options):
        return self.call(method, more=True, **({"options": options} if options else {}))

    def of_kind(self, kind):
        return [event for event in self.events if event["kind"] == kind]

    def wait_event(self, kind, count=1, timeout=30):
        """The count-th event of this kind."""
        self._until(lambda: len(self.of_kind(kind)) >= count or self.closed, timeout, f"{kind} ({count})")
        assert len(self.of_kind(kind)) >= count, f"closed ({self.closed}) without {kind}"
        return self.of_kind(kind)[count - 1]

    def wait_cursor(self, sequence, timeout=30):
        """Wait until everything up to this place in history has been delivered."""
        self._until(lambda: self.events and self.events[-1]["at"]["sequence"] >= sequence or self.closed, timeout,
                    f"event {sequence}")

    def wait_closed(self, timeout=30):
        self._until(lambda: self.closed, timeout, "end of the connection")
        return self.closed

    def kill(self):
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def eventually(condition, timeout=10, what="condition"):
    """Wait for something that can only be looked at."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {timeout} s: {what}"
        time.sleep(0.02)
    return value
