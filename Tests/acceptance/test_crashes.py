"""Killed at any moment, under load: what was acknowledged is there afterwards."""

import os
import random
import threading
import time

import pytest
from scene import CallFailed, Connection
from visitor import get, leave_screen

KILLS = int(os.environ.get("SCENED_KILLS", "200"))
SEED = int(os.environ.get("SCENED_SEED", "20261130"))
# Each client has a session of its own, as a session has one login at a time.
APPS = ["notes", "mail", "tasks"]
USERS = ["ada", "ben"]
HOSTS = ["https://one.example", "https://two.example"]


class Lost(Exception):
    """The daemon died under a call: it may or may not have been done."""


class Log:
    """What the daemon has acknowledged in an app's session, and what was asked and not acknowledged."""

    def __init__(self, app):
        self.app = app
        self.present = {}       # key: True or False, as acknowledged
        self.unsure = set()     # keys of calls that were lost
        self.at = None          # the newest place in history that was named
        self.identifiers = {}   # of the accounts, by user name
        self.acknowledgements = self.interrupted = 0

    def acknowledged(self, key, present, at=None):
        self.acknowledgements += 1
        self.present[key] = present
        self.unsure.discard(key)
        self.reached(at)

    def reached(self, at):
        if at:
            assert self.at is None or at["epoch"] == self.at["epoch"], "the history was lost"
            if self.at is None or at["sequence"] > self.at["sequence"]:
                self.at = at


class Client(threading.Thread):
    """A client that changes things as long as the daemon lives."""

    def __init__(self, daemon, log, seed):
        super().__init__(daemon=True)
        self.socket, self.log, self.random = daemon.socket, log, random.Random(seed)
        self.failure = None

    def run(self):
        try:
            with Connection(self.socket, 30) as connection:
                while True:
                    self.step(connection)
        except (Lost, OSError, ValueError):
            pass
        except BaseException as failure:
            self.failure = failure

    def step(self, connection):
        action = self.random.choice(["account", "host", "token"])
        if action == "account":
            user = self.random.choice(USERS)
            present = self.log.present.get(user)
            self.change(user, lambda: (self.log_out if present else self.log_in)(connection, user))
        elif action == "host":
            url = self.random.choice(HOSTS)
            present = self.log.present.get(url)
            method = "RemoveLoginHost" if present else "AddLoginHost"
            self.change(url, lambda: self.host(connection, method, url))
        else:
            self.token(connection)

    def change(self, key, do):
        self.log.unsure.add(key)
        do()

    def host(self, connection, method, url):
        connection.call(method, app=self.log.app, url=url)
        self.log.acknowledged(url, method == "AddLoginHost")

    def log_in(self, connection, user):
        for reply in connection.stream("Login", app=self.log.app, options={"loginHint": user}):
            progress = reply["progress"]
            if progress["state"] == "presenting":
                address = leave_screen(progress["loginScreen"])
                if not address:
                    raise Lost
                _, headers, _ = get(address)
                get(headers["Location"])
        assert progress["account"]["username"] == user
        self.log.identifiers[user] = progress["account"]["id"]
        self.log.acknowledged(user, True, progress["at"])

    def log_out(self, connection, user):
        reply = connection.call("Logout", app=self.log.app, account=self.log.identifiers[user])
        assert reply["result"]["account"]["username"] == user
        self.log.acknowledged(user, False, reply["at"])

    def token(self, connection):
        try:
            connection.call("GetAccessToken", app=self.log.app, minimumValiditySeconds=self.random.choice([0, 299]))
        except CallFailed as failure:
            if failure.name not in ("NotSignedIn", "UnknownAccount"):
                raise


def check(daemon, scripted, log):
    """Compare what is there with the log, and settle what was unsure by what is there."""
    state = daemon.call("ListAccounts", app=log.app)
    accounts = {account["username"]: account for account in state["accounts"]}
    hosts = {host["url"] for host in daemon.call("GetLoginScreen", app=log.app)["screen"]["loginHosts"]}
    for key in [*USERS, *HOSTS]:
        there = key in accounts or key in hosts
        if key not in log.unsure:
            assert there == log.present.get(key, False), f"{key}: {there}, but acknowledged {log.present.get(key)}"
        log.present[key] = there
    log.interrupted += len(log.unsure)
    log.unsure.clear()
    log.identifiers = {name: account["id"] for name, account in accounts.items()}
    log.reached(state["at"])
    assert state["at"] == log.at, f"the history ends at {state['at']}, but {log.at} was named"
    # No grant was lost: each account's token can be had, and is good.
    for account in accounts.values():
        token = daemon.call("GetAccessToken", app=log.app, account=account["id"], minimumValiditySeconds=0)
        assert scripted.is_good(token["token"]["value"])


def resume(daemon, log, seen):
    """The history goes on where a scene had got to, without holes; how far it goes."""
    with Connection(daemon.socket, 30) as connection:
        events = connection.stream("ConnectScene", app=log.app, after=seen)
        first = next(events)["event"]
        assert first["kind"] == "resumed", first
        expected = seen["sequence"]
        while expected < log.at["sequence"]:
            expected += 1
            assert next(events)["event"]["at"] == {"epoch": seen["epoch"], "sequence": expected}
    return log.at


@pytest.mark.timeout(600)
def test_acknowledged_is_durable(start, scripted):
    daemon = start(**{app: scripted for app in APPS})
    logs = [Log(app) for app in APPS]
    for log in logs:
        check(daemon, scripted, log)
    seen = [log.at for log in logs]
    for round_ in range(KILLS):
        clients = [Client(daemon, log, f"{SEED} {round_} {log.app}") for log in logs]
        for client in clients:
            client.start()
        # A moment, not a wait for anything.
        time.sleep(random.Random(f"{SEED} {round_}").uniform(0, 0.2))
        daemon.kill()
        for client in clients:
            client.join(30)
            assert not client.is_alive()
            if client.failure:
                raise AssertionError(f"round {round_} of seed {SEED}") from client.failure
        daemon.start()
        try:
            for n, log in enumerate(logs):
                check(daemon, scripted, log)
                seen[n] = resume(daemon, log, seen[n])
        except BaseException as failure:
            raise AssertionError(f"round {round_} of seed {SEED}\n{daemon.stderr()[-3000:]}") from failure
    # The load was one, and the kills did hit something.
    done, interrupted = sum(log.acknowledgements for log in logs), sum(log.interrupted for log in logs)
    assert done > 2 * KILLS and interrupted > KILLS, (done, interrupted)
    assert scripted.reused == []
