"""One durable change with one fault in it: what was acknowledged, and what is there afterwards."""

import contextlib
import os
import shutil
import signal
import sqlite3

from crash_stage import PATIENCE, dies
from faults import KILLS


def prepare(stage, change):
    """Make what the change starts from, and keep a copy of it."""
    shutil.rmtree(stage.daemon.state, ignore_errors=True)
    shutil.rmtree(stage.prepared, ignore_errors=True)
    stage.provider.remember(stage.new)
    try:
        stage.daemon.start()
        change.prepare(stage.daemon)
        stage.eventually(lambda: not stage.daemon.manager("ListRevocations")["revocations"], "nothing left to revoke")
        # Were there no session yet, this would make it, which is a change of its own.
        event = stage.settled()
        stage.snapshot, stage.at = event["snapshot"], event["at"]
        assert stage.daemon.stop() == 0
        shutil.copytree(stage.daemon.state, stage.prepared)
        stage.memory = stage.provider.memory()
    finally:
        stage.end()


def points(stage, change):
    """The points of a change, in their order, as it goes without a fault."""
    try:
        stage.begin(change)
        return _points(stage, change)
    finally:
        stage.end()


def _points(stage, change):
    with stage.faults.armed():
        stage.act(change)
        assert stage.answer is not None, f"{change.name}: {stage.refusal}"
        for point in change.last:
            stage.eventually(lambda: point in stage.faults.points, f"{point} in {stage.faults.points}")
        stage.observe(stage.at["sequence"] + len(change.events))
        found = stage.faults.points
    check_alive(stage, change, [change.events])
    restart(stage)
    check_restarted(stage, change, [change.events])
    # The status line is told some time, and to no end.
    return [point for point in found if "STATUS" not in point]


def run(stage, change, fault):
    """Try the fault; what became of the change: acknowledged, refused or lost."""
    try:
        stage.begin(change)
        outcome = (_kill if fault.mode in KILLS else _fail)(stage, change, fault)
    finally:
        stage.end()
    return outcome


def _kill(stage, change, fault):
    with stage.faults.armed(fault):
        stage.act(change)
        assert dies(stage.daemon.process), f"it passed {stage.faults.points}"
    assert stage.daemon.process.returncode == -signal.SIGKILL
    assert stage.refusal is None, stage.refusal
    stage.observe()
    stage.daemon.start()
    check_restarted(stage, change, beginnings(change))
    return "lost" if stage.answer is None else "acknowledged"


def _fail(stage, change, fault):
    with stage.faults.armed(fault):
        stage.act(change)
        stage.eventually(lambda: stage.faults.was_hit, f"{fault.point}; passed {stage.faults.points}")
        # It goes on meanwhile.
        stage.daemon.call("ListAccounts")
    if fault.then_killed:
        stage.daemon.kill()
        stage.daemon.start()
        check_restarted(stage, change, beginnings(change))
        return "refused" if stage.refusal else "acknowledged"
    allowed = [change.events] if change.answered_when_stored else beginnings(change)
    outcome = "acknowledged"
    if stage.refusal:
        outcome = "refused"
        assert stage.refusal.name == "StorageUnavailable" and stage.refusal.parameters["reason"], stage.refusal
        assert stage.refusal.parameters["reason"] in stage.daemon.manager("GetStatus")["problems"]
        if change.events:
            reached = stage.daemon.call("ListAccounts")["at"]["sequence"] - stage.at["sequence"]
            assert reached < len(change.events), "refused, and done all the same"
        # Now that the fault is gone it can be done.
        allowed += [start + change.events for start in beginnings(change)[: len(change.commits)]]
        stage.act(change)
        assert stage.daemon.manager("GetStatus")["problems"] == []
    assert stage.answer is not None, f"not even when the fault was gone: {stage.refusal}"
    check_alive(stage, change, allowed)
    restart(stage)
    check_restarted(stage, change, allowed)
    return outcome


def beginnings(change):
    """The events of the first 0, 1, 2 … steps; a login that was cut off has an end of its own."""
    found = [[]]
    for commit in change.commits:
        found.append(found[-1] + commit)
    return [kinds + ["loginEnded"] * (kinds.count("loginStarted") - kinds.count("loginEnded")) for kinds in found]


def check_alive(stage, change, allowed):
    """The daemon that has met the fault goes on, and tells its scenes the truth."""
    events = stage.history()
    kinds = [event["kind"] for event in events]
    assert kinds in allowed, f"{kinds}, where {allowed} may be"
    stage.observe(stage.at["sequence"] + len(events))
    assert stage.seen == events


def check_restarted(stage, change, allowed):
    """What holds after a change, however it went, in the daemon that is started after it."""
    events = stage.history()
    kinds = [event["kind"] for event in events]
    assert kinds in allowed, f"{kinds}, where {allowed} may be"
    # No scene was told what is not so.
    assert stage.seen == events[: len(stage.seen)], f"a scene saw {stage.seen}, but there is {events}"
    complete = change.complete(stage) if change.complete else kinds[-len(change.events):] == change.events
    if stage.answer is not None:
        assert complete or not change.answered_when_stored, f"acknowledged, and not there: {stage.answer}"
        at = (stage.answer.get("progress") or stage.answer).get("at")
        assert not at or at in [stage.at, *[event["at"] for event in events]], f"{at} was named"
    if stage.refusal:
        assert not complete, "refused, and there all the same"
    change.holds(stage, complete)
    status = stage.daemon.manager("GetStatus")
    assert status["problems"] == [], status
    go_on(stage)
    gone = {a["id"] for a in stage.snapshot["accounts"]} - {
        a["id"] for a in stage.daemon.call("ListAccounts")["accounts"]}
    assert stage.daemon.stop() == 0
    check_files(stage.daemon.state, erased=sealed_tokens(stage.prepared, gone))


def go_on(stage):
    """One more change, which is told with the next number."""
    with stage.daemon.connect(PATIENCE) as connection:
        replies = connection.stream("ConnectScene", app="notes")
        event = next(replies)["event"]
        locked, at = event["snapshot"]["locked"], event["at"]
        stage.daemon.call("Unlock" if locked else "Lock")
        event = next(replies)["event"]
        while event["kind"] not in ("locked", "unlocked"):
            at, event = event["at"], next(replies)["event"]
        assert event["at"] == {**at, "sequence": at["sequence"] + 1}


def restart(stage):
    assert stage.daemon.stop() == 0, stage.daemon.stderr()
    stage.daemon.start()


def sealed_tokens(state, accounts):
    """The sealed refresh tokens of these accounts, as the database has them."""
    with contextlib.closing(sqlite3.connect(f"file:{state}/sessions.sqlite?mode=ro", uri=True)) as database:
        return [token for id, token in database.execute("SELECT id, refresh_token FROM accounts") if id in accounts]


def check_files(state, erased=()):
    """A state directory as a daemon leaves it that was stopped: a sound database, and nothing besides."""
    assert sorted(os.listdir(state)) == ["key", "lock", "sessions.sqlite"], os.listdir(state)
    path = os.path.join(state, "sessions.sqlite")
    with open(path, "rb") as file:
        content = file.read()
    assert not any(token in content for token in erased), "the token of an account that was signed out is still there"
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        assert database.execute("PRAGMA quick_check").fetchall() == [("ok",)]
