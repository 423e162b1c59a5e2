"""Ten restarts in a row under load: no scene and no call notices more than time."""

import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from crowd import Followers, Waiting
from machine import ROOT
from restarts import APP, kept, persistently, restart, sign_in
from scene import call
from scenes import eventually
from scripted_idp import ScriptedProvider
from visitor import Visitor

SCENES, LOGINS, TOKENS = 1000, 100, 40
# Programs over the library: each with so many calls.
PROGRAMS, PROGRAM_CALLS = 4, 15
ROUNDS = ["restart", "kill", "upgrade", "kill", "restart", "kill", "upgrade", "restart", "kill", "upgrade"]


class SlowProvider(ScriptedProvider):
    """Holds refreshes back until they are released."""

    def __init__(self):
        super().__init__(lifetime=60)
        self._gate = threading.Condition()
        self.arrived = self.released = 0

    def _token(self, asked):
        if asked.get("grant_type") == "refresh_token":
            with self._gate:
                self.arrived += 1
                ticket = self.arrived
                self._gate.wait_for(lambda: self.released >= ticket, 60)
        return super()._token(asked)

    def release(self, ever=False):
        """Those that are here; `ever`: those to come as well."""
        with self._gate:
            self.released = 1 << 60 if ever else self.arrived
            self._gate.notify_all()

    @property
    def holds(self):
        return self.arrived > self.released


class Program:
    """A program over SceneSession (../../session-probe), with calls that wait."""

    def __init__(self, path, app, verb):
        probe = os.path.join(ROOT, ".build", "debug", "session-probe")
        self._process = subprocess.Popen([probe], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True)
        self._verb = verb
        self.lines, self.made = [], 0
        self._reading = threading.Thread(target=lambda: self.lines.extend(map(str.strip, self._process.stdout)))
        self._reading.start()
        self._tell(f"configure {app} {path}")
        self.top_up()

    def _tell(self, line):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    @property
    def outcomes(self):
        return [line for line in self.lines if not line.startswith("To sign in")]

    def top_up(self):
        """Make calls until so many wait."""
        for _ in range(PROGRAM_CALLS - (self.made - len(self.outcomes))):
            self._tell(self._verb)
            self.made += 1

    def close(self):
        self._process.kill()
        self._process.wait()
        self._reading.join()


def until(stop, body):
    """How often it was done."""
    done = 0
    while not stop.is_set():
        body(done)
        done += 1
    return done


@pytest.fixture
def slow():
    """Apps `mail`, where nobody signs in until the end, and `files`, whose tokens take long."""
    provider = SlowProvider()
    for name in ("mail", "files"):
        with open(f"/etc/scened/apps.d/{name}.conf", "w") as file:
            file.write(provider.configuration(name))
    yield provider
    provider.release(ever=True)
    provider.stop()
    for name in ("mail", "files"):
        os.unlink(f"/etc/scened/apps.d/{name}.conf")


def open_connections(path):
    metrics = call(path, "org.scened.Manager.GetMetrics")["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "scened.connections_open")


def table(rows):
    columns = list(rows[0])
    widths = [max(len(str(value)) for value in [name, *(row[name] for row in rows)]) for name in columns]
    return "\n".join("  ".join(str(value).rjust(width) for value, width in zip(values, widths))
                     for values in [columns, *(row.values() for row in rows)])


@pytest.mark.timeout(300)
def test_nothing_is_lost_over_ten_restarts(system, slow, capsys):
    unit, path = system, system.socket
    accounts = [sign_in(path, "alice"), sign_in(path, "bob")]
    sign_in(path, "carol", app="files")
    # As long as a token lives: only one of this very second will do, all else waits for a refresh.
    token = {"app": "files", "minimumValiditySeconds": 60}
    stop, switches, rows = threading.Event(), [], []
    crowds = []
    with ThreadPoolExecutor() as threads:
        try:
            followers = Followers(path, APP, SCENES)
            crowds.append(followers)
            followers.wait(0)
            waiting = Waiting(
                path, LOGINS * [("LoginIfRequired", {"app": "mail"})] + TOKENS * [("GetAccessToken", token)])
            crowds.append(waiting)
            programs = [Program(path, app, verb)
                        for app, verb in PROGRAMS // 2 * [("mail", "loginIfRequired"), ("files", "token 60")]]
            crowds += programs
            ordinary = [("ListAccounts", {}), ("GetAccessToken", {}), ("LoginIfRequired", {}), ("GetLoginScreen", {})]
            running = [
                threads.submit(until, stop, lambda turn: switches.append(
                    persistently(path, "SwitchAccount", account=accounts[turn % 2])["at"]["sequence"])),
                threads.submit(until, stop, lambda turn: persistently(
                    path, ordinary[turn % 4][0], **ordinary[turn % 4][1]))]

            def all_wait():
                for program in programs:
                    program.top_up()
                return (slow.holds and all(waiting.progress[:LOGINS])
                        and open_connections(path) >= SCENES + LOGINS + TOKENS + PROGRAMS * (PROGRAM_CALLS + 1))

            def counts():
                return {"cut": sum(followers.cuts), "replied": sum(waiting.replied), "ended": sum(waiting.cut),
                        "library: replied": sum(len(program.outcomes) for program in programs),
                        "switches": len(switches)}

            def is_over(before):
                return all(now > then for now, then in zip(waiting.turns(), before))

            for number, how in enumerate(ROUNDS):
                eventually(all_wait, 30, "200 calls that wait")
                kept(unit, SCENES + PROGRAMS + 1)
                eventually(lambda: len(switches) >= 3 * (number + 1), 30, "switches")
                before = counts()
                turns = waiting.turns()
                # What is refreshed while the process stops is waited for; what a kill has cut off is asked for again.
                restart(unit, how, stopping=slow.release)
                eventually(lambda: is_over(turns), 30, "an end of every call that waited")
                restored = call(path, "org.scened.Manager.GetStatus")["restoredScenes"]
                row = {name: count - before[name] for name, count in counts().items()}
                # No waiting call's connection outlives the process: what the library has not answered, it makes again.
                row["library: made again"] = max(0, PROGRAMS * PROGRAM_CALLS - row["library: replied"])
                rows.append({"restart": number + 1, "kind": how, "kept": restored, **row})
                assert how == "kill" or rows[-1]["cut"] == 0, table(rows)
            stop.set()
            _, calls = [thread.result(60) for thread in running]

            # Every call that waited is answered: those of the library, which has made them again by itself, as well.
            waiting.repeats = False
            slow.release(ever=True)
            screens = [progress["loginScreen"] for progress in waiting.progress if (progress or {}).get("loginScreen")]
            screens += [line.split()[-1] for program in programs for line in program.lines if "http://" in line]
            Visitor("alice").sign_in(screens[0])
            eventually(lambda: all(waiting.replied), 30, "a reply to every call")
            eventually(lambda: all(len(program.outcomes) == program.made for program in programs), 30,
                       "an outcome of every call of the library")
            assert waiting.errors == []
            outcomes = [outcome for program in programs for outcome in program.outcomes]
            assert set(outcomes) == {"completed alice", "token"}, set(outcomes)
            followers.wait(switches[-1])
            followers.check(switches[-1])
            assert sum(followers.cuts) <= 10, table(rows)
        finally:
            stop.set()
            for crowd in crowds:
                crowd.close()
    with capsys.disabled():
        print(f"\n\n{SCENES} scenes, {LOGINS + TOKENS} calls that wait and {PROGRAMS * PROGRAM_CALLS} of the library; "
              "each that ended was made again\n"
              f"{table(rows)}\n{calls} other calls, {len(switches)} switches, "
              f"{len(outcomes)} calls of the library answered\n")
