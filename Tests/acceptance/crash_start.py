"""A start of the daemon with one fault in it: what was there before is there when it is started again."""

import os
import shutil
import signal
from dataclasses import dataclass

from crash_case import check_files, go_on
from crash_stage import dies
from durable_changes import HOSTS, sign_in, users
from faults import KILLS, is_file
from scene import CallFailed
from scenes import eventually


@dataclass(frozen=True)
class Start:
    """`leave(daemon)` leaves a state directory behind; without it there is none. `goes_on`: something is made up for
    once the daemon is ready.
    """

    name: str
    leave: object = None
    goes_on: bool = False


def leave_cleanly(daemon):
    users("alice")(daemon)
    assert daemon.stop() == 0


def leave_in_the_midst(daemon):
    """Signing bob out has emptied the log; since then it holds changes that the file does not, and a begun login."""
    users("alice", "bob")(daemon)
    daemon.call("Logout")
    eventually(lambda: not daemon.manager("ListRevocations")["revocations"], 30, "nothing left to revoke")
    daemon.call("AddLoginHost", url=HOSTS[0])
    users("dave")(daemon)
    with daemon.connect() as connection:
        assert next(connection.stream("Login", app="notes"))["progress"]["state"] == "presenting"
        daemon.kill()


STARTS = [Start("first start"), Start("start", leave_cleanly),
          Start("start after a crash", leave_in_the_midst, goes_on=True)]


def prepare(stage, start):
    """Make what it starts from, and note what is to be there after it."""
    shutil.rmtree(stage.daemon.state, ignore_errors=True)
    shutil.rmtree(stage.prepared, ignore_errors=True)
    stage.provider.remember(stage.new)
    if start.leave:
        stage.daemon.start()
        start.leave(stage.daemon)
        shutil.copytree(stage.daemon.state, stage.prepared)
    stage.end()


def points(stage, start):
    """The points of a start, in their order, until it has settled."""
    _put_back(stage)
    try:
        with stage.faults.armed():
            stage.daemon.start()
            if start.goes_on:
                stage.settled()
            found = stage.faults.points
        stage.expected = _facts(stage)
    finally:
        stage.end()
    # What looking at it has sent is not the start's, and the status line is told some time.
    return [point for point in found if is_file(point) or point.startswith("send service-manager READY")]


def run(stage, start, fault):
    """Try the fault; what became of the start: it was lost, or the daemon came up, with or without its state."""
    _put_back(stage)
    try:
        return (_kill if fault.mode in KILLS else _fail)(stage, fault)
    finally:
        stage.end()


def _put_back(stage):
    shutil.rmtree(stage.daemon.state, ignore_errors=True)
    if os.path.exists(stage.prepared):
        shutil.copytree(stage.prepared, stage.daemon.state)


def _facts(stage):
    """What there is; the epoch and the sequence too, where there is a session already."""
    event = stage.settled()
    hosts = [host["url"] for host in stage.daemon.call("GetLoginScreen")["screen"]["loginHosts"]]
    return event["snapshot"], hosts, event["at"] if event["snapshot"]["accounts"] else None


def _kill(stage, fault):
    with stage.faults.armed(fault):
        stage.daemon.spawn()
        assert dies(stage.daemon.process), f"it passed {stage.faults.points}"
    assert stage.daemon.process.returncode == -signal.SIGKILL
    stage.daemon.start()
    _check(stage)
    return "lost"


def _fail(stage, fault):
    outcome = "started"
    with stage.faults.armed(fault):
        stage.daemon.start()
        stage.eventually(lambda: stage.faults.was_hit, f"{fault.point}; passed {stage.faults.points}")
        try:
            stage.daemon.call("ListAccounts")
        except CallFailed as failure:
            assert failure.name == "StorageUnavailable", failure
            assert failure.parameters["reason"] in stage.daemon.manager("GetStatus")["problems"]
            outcome = "refused"
    if fault.then_killed:
        stage.daemon.kill()
        stage.daemon.start()
    # What was wrong is mended: it goes on without being started again.
    stage.daemon.manager("Reload")
    _check(stage)
    return outcome


def _check(stage):
    assert _facts(stage) == stage.expected
    assert stage.daemon.manager("GetStatus")["problems"] == []
    go_on(stage)
    stage.daemon.call("Unlock")
    sign_in(stage.daemon, "carol")
    assert stage.daemon.stop() == 0
    check_files(stage.daemon.state)
