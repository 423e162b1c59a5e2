"""Calls and scenes on connections of the test's own process: for what needs many of them, and no process for each."""

import urllib.parse

from scene import CallFailed
from visitor import get


class Waiting:
    """A login call that is under way, on a connection of its own."""

    def __init__(self, daemon, method="LoginIfRequired", app="notes", scene=None, more=True, **options):
        self.connection = daemon.connect()
        parameters = {"app": app, **({"options": options} if options else {}), **({"scene": scene} if scene else {})}
        self.connection.send(method, parameters, more=more)

    def until(self, state):
        """The next progress in this state."""
        while (progress := self.next()[0])["state"] != state:
            pass
        return progress

    def next(self):
        reply, continues = self.connection.reply()
        return reply["progress"], continues

    def end(self):
        """The last progress."""
        continues = True
        while continues:
            progress, continues = self.next()
        self.connection.close()
        return progress

    def error(self):
        """The error that it ends with: its name, and its parameters."""
        try:
            progress = self.end()
        except CallFailed as failure:
            self.connection.close()
            return failure.name, failure.parameters
        raise AssertionError(f"no error, but {progress}")

    def close(self):
        self.connection.close()


class Watcher:
    """A scene that keeps what it is sent."""

    def __init__(self, daemon, app="notes", scene=None, after=None):
        self.connection = daemon.connect()
        asked = {"app": app, **({"scene": scene} if scene else {}), **({"after": after} if after else {})}
        self._replies = self.connection.stream("ConnectScene", **asked)
        self.first = next(self._replies)["event"]
        self.id, self.snapshot = self.first["scene"], self.first.get("snapshot")
        self.events = []

    @property
    def at(self):
        return (self.events or [self.first])[-1]["at"]

    def until(self, sequence):
        """All events up to this place in the history; each came once, and in order."""
        while self.at["sequence"] < sequence:
            before = self.at
            self.events.append(next(self._replies)["event"])
            assert self.at == {**before, "sequence": before["sequence"] + 1}
        assert self.at["sequence"] == sequence
        return self.events

    def close(self):
        self.connection.close()


def authorize(uri, user=None):
    """Sign in at a scripted provider, as the user that the address names or as another; the callback's address."""
    parts = urllib.parse.urlsplit(uri)
    query = dict(urllib.parse.parse_qsl(parts.query))
    if user:
        query["login_hint"] = user
    _, headers, _ = get(parts._replace(query=urllib.parse.urlencode(query)).geturl())
    return headers["Location"]


def sign_in(daemon, user, app="notes"):
    """Sign a user of a scripted provider in; the account."""
    waiting = Waiting(daemon, "Login", app, loginHint=user)
    get(authorize(waiting.until("presenting")["authorizationUri"]))
    account = waiting.end()["account"]
    assert account["username"] == user
    return account


def place(daemon, app="notes"):
    """How far the history goes."""
    return daemon.call("ListAccounts", app=app)["at"]["sequence"]


def kinds(events):
    return [event["kind"] for event in events]


def same_for_all(scenes, sequence):
    """What the scenes have been sent since they were asked last; the same to each."""
    news = []
    for scene in scenes:
        seen = len(scene.events)
        news.append(scene.until(sequence)[seen:])
    assert news.count(news[0]) == len(scenes)
    return news[0]


def pending(daemon, app="notes"):
    scene = Watcher(daemon, app)
    scene.close()
    return scene.snapshot["pending"]
