"""One user's flood, and what another user and the daemon's memory notice of it."""

import contextlib
import os
import statistics
import subprocess
import time

import pytest
from scenes import eventually
from users import MALLORY, VICTOR, connect

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as several users")
FLOOD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flood.py")
# What may be held for one user, by default. A buffer that grows takes more than what is in it, and so does the heap.
BYTES = 16 << 20
BOUND = 4 * BYTES + (32 << 20)


@contextlib.contextmanager
def flood(daemon):
    # Read here: the other user need not be able to.
    with open(FLOOD) as file:
        text = file.read()
    process = subprocess.Popen(
        ["/usr/bin/python3", "-IS", "-c", text, daemon.socket], user=MALLORY, group=MALLORY, extra_groups=[], cwd="/",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


def resident(daemon):
    with open(f"/proc/{daemon.process.pid}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


def latencies(daemon, uid, count, watch=lambda: None):
    """Milliseconds that each call of a user takes; each is answered."""
    times = []
    with connect(daemon, uid) as connection:
        for _ in range(count):
            start = time.monotonic()
            assert connection.call("ListAccounts", app="notes")["accounts"] == []
            times.append(1000 * (time.monotonic() - start))
            watch()
    return times


def summary(times):
    return f"{statistics.median(times):8.2f} {statistics.quantiles(times, n=100)[98]:8.2f} {max(times):8.2f}"


def test_a_flood_from_one_user_leaves_others_and_the_memory_alone(instance, capsys):
    daemon = instance()
    quiet = latencies(daemon, VICTOR, 500)
    before = resident(daemon)
    peak = before

    def watch():
        nonlocal peak
        peak = max(peak, resident(daemon))

    with flood(daemon):
        # It is at it: what is too much has been refused.
        eventually(lambda: any("bytes" in problem for problem in daemon.manager("GetStatus")["problems"]), 60,
                   "a refusal")
        busy = latencies(daemon, VICTOR, 500, watch)
        connecting = []
        for _ in range(50):
            start = time.monotonic()
            with connect(daemon, VICTOR) as connection:
                connection.call("ListAccounts", app="notes")
            connecting.append(1000 * (time.monotonic() - start))
            watch()
        with connect(daemon, VICTOR) as scene:
            assert next(scene.stream("ConnectScene", app="notes"))["event"]["kind"] == "snapshot"
        status = daemon.scenectl("status")
        assert status.returncode == 0, status
        scenes = [scene for scene in daemon.manager("ListScenes")["scenes"] if scene["uid"] == MALLORY]
        assert len(scenes) == 100
        watch()
    eventually(lambda: daemon.manager("GetStatus")["scenes"] == 0, 60, "the end of the flood")
    after = resident(daemon)
    with capsys.disabled():
        print("\n  another user's calls, ms:    median      p99  longest")
        print(f"    before the flood         {summary(quiet)}")
        print(f"    during the flood         {summary(busy)}")
        print(f"    with a new connection    {summary(connecting)}")
        print(f"  resident memory, MiB: {before / 2**20:.1f} before, {peak / 2**20:.1f} at the most during, "
              f"{after / 2**20:.1f} after; refused {daemon.manager('GetStatus')['problems']}")
    assert peak - before < BOUND
    assert latencies(daemon, VICTOR, 10)
