"""Killed at any moment, under load: what was acknowledged is there afterwards."""

import os
import random
import threading
import time

import pytest
from scene import CallFailed, Connection
from visitor import get

KILLS = int(os.environ.get("SCENED_KILLS", "200"))
SEED = int(os.environ.get("SCENED_SEED", "20261130"))
USERS = [f"user{n}" for n in range(6)]
HOSTS = [f"https://host{n}.example" for n in range(6)]


class Lost(Exception):
    """The daemon died under a call: it may or may not have been done."""


class Log:
    """What the daemon has acknowledged, and what was asked and not acknowledged."""

    def __init__(self):
        self.lock = threading.Lock()
        self.present = {}       # key: True or False, as acknowledged
        self.unsure = set()     # keys of calls that were lost
        self.at = None
        self.identifiers = {}   # of the accounts, by user name

    def acknowledged(self, key, present, at=None):
        with self.lock:
            self.present[key] = present
            self.unsure.discard(key)
            self.reached(at)

    def reached(self, at):
        if at:
            assert self.at is None or at["epoch"] == self.at["epoch"], "the history was lost"
            if self.at is None or at["sequence"] > self.at["sequence"]:
                self.at = at


class Client(threading.Thread):
    """One of several that change things, each its own accounts and login hosts, so that each knows what it did."""

    def __init__(self, daemon, log, seed, users, hosts):
        super().__init__(daemon=True)
        self.daemon_, self.log, self.random = daemon, log, random.Random(seed)
        self.users, self.hosts = users, hosts
        self.failure = None

    def run(self):
        try:
            with Connection(self.daemon_.socket, 30) as connection:
                while True:
                    self.step(connection)
        except (Lost, OSError, ValueError):
            pass
        except BaseException as failure:
            self.failure = failure

    def step(self, connection):
        action = self.random.choice(["login", "logout", "add", "remove", "token", "add", "remove"])
        if action in ("login", "logout"):
            user = self.random.choice(self.users)
            present = self.log.present.get(user)
            self.change(user, lambda: (self.log_out if present else self.log_in)(connection, user))
        elif action in ("add", "remove"):
            url = self.random.choice(self.hosts)
            present = self.log.present.get(url)
            method = "RemoveLoginHost" if present else "AddLoginHost"
            self.change(url, lambda: self.host(connection, method, url))
        else:
            self.token(connection)

    def change(self, key, do):
        with self.log.lock:
            self.log.unsure.add(key)
        do()

    def host(self, connection, method, url):
        connection.call(method, app="notes", url=url)
        self.log.acknowledged(url, method == "AddLoginHost")

    def log_in(self, connection, user):
        for reply in connection.stream("Login", app="notes", options={"loginHint": user}):
            progress = reply["progress"]
            if progress["state"] == "presenting":
                _, headers, _ = get(progress["loginScreen"])
                if not headers.get("Location"):
                    raise Lost
                _, headers, _ = get(headers["Location"])
                get(headers["Location"])
        assert progress["account"]["username"] == user
        self.log.acknowledged(user, True, progress["at"])

    def log_out(self, connection, user):
        reply = connection.call("Logout", app="notes", account=self.log.identifiers[user])
        assert reply["result"]["account"]["username"] == user
        self.log.acknowledged(user, False, reply["at"])

    def token(self, connection):
        try:
            connection.call("GetAccessToken", app="notes", minimumValiditySeconds=self.random.choice([0, 299]))
        except CallFailed as failure:
            if failure.name not in ("NotSignedIn", "UnknownAccount"):
                raise


def check(daemon, scripted, log, seen):
    """Compare what is there with the log, and settle what was unsure by what is there."""
    state = daemon.call("ListAccounts")
    accounts = {account["username"]: account for account in state["accounts"]}
    hosts = {host["url"] for host in daemon.call("GetLoginScreen")["screen"]["loginHosts"]}
    for key in [*USERS, *HOSTS]:
        there = key in accounts or key in hosts
        if key not in log.unsure:
            assert there == log.present.get(key, False), f"{key}: {there}, but acknowledged {log.present.get(key)}"
        log.present[key] = there
    log.unsure.clear()
    log.identifiers = {name: account["id"] for name, account in accounts.items()}
    at = state["at"]
    if log.at:
        assert at["epoch"] == log.at["epoch"] and at["sequence"] >= log.at["sequence"], (at, log.at)
    log.reached(at)
    # The history goes on where a scene had got to, without holes.
    with Connection(daemon.socket, 30) as connection:
        events = connection.stream("ConnectScene", app="notes", **({"after": seen["at"]} if seen else {}))
        first = next(events)["event"]
        assert first["kind"] == ("resumed" if seen else "snapshot") and not first.get("gap"), first
        expected = seen["at"]["sequence"] if seen else at["sequence"]
        while expected < at["sequence"]:
            event = next(events)["event"]
            assert event["at"]["sequence"] == expected + 1
            expected += 1
    # No grant was lost: each account's token can be had, and is good.
    for account in accounts.values():
        token = daemon.call("GetAccessToken", account=account["id"], minimumValiditySeconds=0)["token"]["value"]
        assert scripted.is_good(token)
    return {"at": at}


@pytest.mark.timeout(600)
def test_acknowledged_is_durable(start, scripted):
    daemon = start(notes=scripted)
    log = Log()
    seen = check(daemon, scripted, log, None)
    for round_ in range(KILLS):
        moment = random.Random(f"{SEED} {round_}")
        clients = [Client(daemon, log, f"{SEED} {round_} {n}", USERS[n::3], HOSTS[n::3]) for n in range(3)]
        for client in clients:
            client.start()
        # A moment, not a wait for anything.
        time.sleep(moment.uniform(0, 0.12))
        daemon.kill()
        for client in clients:
            client.join(30)
            assert not client.is_alive()
            if client.failure:
                raise AssertionError(f"round {round_} of seed {SEED}") from client.failure
        daemon.start()
        try:
            seen = check(daemon, scripted, log, seen)
        except BaseException as failure:
            raise AssertionError(f"round {round_} of seed {SEED}\n{daemon.stderr()[-3000:]}") from failure
    # The load was one: a good part of the changes went through.
    assert seen["at"]["sequence"] > KILLS, seen
    assert [token for token in scripted.reused if token] == []
