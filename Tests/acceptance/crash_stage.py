"""A daemon and a login host that a fault is tried on, again and again from the same start."""

import os
import select
import shutil

from daemon import Daemon
from durable_changes import Lost
from faults import Faults
from scene import CallFailed
from scenes import eventually

# How long is waited for what has to happen.
PATIENCE = 30


def dies(process, seconds=PATIENCE):
    """Wait for its end; False if it did not come."""
    descriptor = os.pidfd_open(process.pid)
    try:
        if not select.select([descriptor], [], [], seconds)[0]:
            return False
    finally:
        os.close(descriptor)
    process.wait()
    return True


class Stage:
    """A daemon and its provider, which can be put back to where a change starts from, again and again."""

    def __init__(self, directory, provider):
        self.provider = provider
        self.daemon = Daemon(directory, {"notes": provider.configuration()})
        self.prepared = os.path.join(directory, "prepared")
        port = int(provider.issuer.rsplit(":", 1)[1])
        self.faults = Faults(os.path.join(directory, "faults"), self.daemon.state, port)
        self.daemon.environment.update(self.faults.environment)
        self.observer = None
        self.new = provider.memory()

    def close(self):
        self.end()
        return self.daemon.close()

    def begin(self, change):
        """Start the daemon where the change starts from, with a scene that follows the history."""
        shutil.rmtree(self.daemon.state, ignore_errors=True)
        shutil.copytree(self.prepared, self.daemon.state)
        self.provider.remember(self.memory)
        vars(self.provider).update(change.provider)
        self.answer = self.refusal = self.signed_out = None
        self.seen = []
        self.daemon.start()
        change.ready(self.daemon)
        since = len(self.daemon.notifications)
        self.observer = self.daemon.connect(PATIENCE)
        self.observer.send("ConnectScene", {"app": "notes"}, more=True)
        event = self.observer.reply()[0]["event"]
        assert event["snapshot"] == self.snapshot and event["at"] == self.at, "not what was prepared"
        # A thread of its own hands the connection over to be kept.
        self.daemon.wait_notified("FDNAME=scene", since)

    def end(self):
        """Leave nothing running, whatever has happened."""
        self.faults.disarm()
        if self.observer:
            self.observer.close()
        if self.daemon.process and self.daemon.process.poll() is None:
            self.daemon.kill()
        self.daemon.process = None
        if os.path.exists(self.daemon.log):
            os.truncate(self.daemon.log, 0)

    def act(self, change):
        """Make the change: `answer` is the last reply, `refusal` the error; neither, if the connection broke."""
        self.answer = self.refusal = None
        try:
            self.answer = change.act(self.daemon)
            if "result" in self.answer:
                self.signed_out = self.answer["result"]["account"]["id"]
        except CallFailed as failure:
            self.refusal = failure
        except (Lost, OSError, ValueError):
            pass

    def observe(self, sequence=None):
        """Take the events up to that place in history, or up to the end of the connection."""
        try:
            while sequence is None or self.at["sequence"] + len(self.seen) < sequence:
                self.seen.append(self.observer.reply()[0]["event"])
        except (ConnectionError, ValueError):
            assert sequence is None, "the scene was cut off"

    def history(self):
        """All events since the change began; they continue where it did, and lead to what is there now."""
        state = self.settled()
        with self.daemon.connect(PATIENCE) as connection:
            replies = connection.stream("ConnectScene", app="notes", after=self.at)
            first = next(replies)["event"]
            assert first["kind"] == "resumed", first
            events = [next(replies)["event"] for _ in range(state["at"]["sequence"] - self.at["sequence"])]
        places = [event["at"] for event in events]
        assert places == [{**self.at, "sequence": self.at["sequence"] + 1 + n} for n in range(len(events))], places
        followed = self.snapshot
        for event in events:
            followed = apply(followed, event)
        assert followed == state["snapshot"], f"history leads to {followed}, but there is {state['snapshot']}"
        return events

    def settled(self):
        """The session as a new scene sees it, once no login is left over from before."""
        def looked():
            with self.daemon.connect(PATIENCE) as connection:
                event = next(connection.stream("ConnectScene", app="notes"))["event"]
            return None if event["snapshot"]["loginUnderWay"] else event
        return self.eventually(looked, "the login's end")

    def eventually(self, condition, what):
        return eventually(condition, PATIENCE, what)


def apply(snapshot, event):
    """What a scene makes of an event, as the library does (SnapshotChange.swift)."""
    new = dict(snapshot)
    kind, account = event["kind"], event.get("account")
    if kind in ("loggedIn", "accountChanged", "loginRequired") and account:
        known = [a["id"] for a in new["accounts"]]
        new["accounts"] = [account if a["id"] == account["id"] else a for a in new["accounts"]]
        new["accounts"] += [account] if account["id"] not in known else []
        if new.get("current", {}).get("id") == account["id"]:
            new["current"] = account
            new["pending"] = "login" if account["state"] == "loginRequired" else "nothing"
    elif kind == "loginRequired":
        new["pending"] = "login"
    elif kind == "loggedOut":
        new["accounts"] = [a for a in new["accounts"] if a["id"] != account["id"]]
    elif kind == "currentUserChanged":
        new.pop("current", None)
        new |= {"pending": "nothing", **({"current": event["current"]} if "current" in event else {})}
    elif kind == "selectionRequired":
        new["pending"] = "selection"
    elif kind in ("loginStarted", "loginEnded"):
        new["loginUnderWay"] = kind == "loginStarted"
    elif kind == "loginHostChanged":
        new["loginHost"] = event["loginHost"]
    elif kind in ("locked", "unlocked"):
        new["locked"] = kind == "locked"
    return new
