"""The crash matrix: what is tried at which point, on several daemons at once, and how it is told."""

import errno
import os
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from faults import ERRORS, Fault, has_bytes, is_file, is_sync

FULL = os.environ.get("SCENED_CRASH_MATRIX") == "full"


def faults(points):
    """What is tried at each point: death at each of its moments, and errors, which take turns unless all are wanted."""
    for number, point in enumerate(points):
        yield Fault(point, "before")
        yield Fault(point, "after")
        if has_bytes(point):
            yield Fault(point, "torn")
        if has_bytes(point) and (FULL or number % 4 == 1):
            yield Fault(point, "short")
        if is_file(point):
            for turn, error in enumerate(ERRORS):
                for mode in ("once", "from"):
                    if FULL or (turn, mode) == (number // 2 % len(ERRORS), ("once", "from")[number % 2]):
                        yield Fault(point, mode, error)
        if is_sync(point):
            yield Fault(point, "once", errno.EIO, then_killed=True)


def told(points):
    """The points in short: "pwrite sessions.sqlite-wal #1-13"."""
    counts = Counter(re.sub(r" #\d+$", "", point) for point in points)
    return ", ".join(f"{name} #1" + (f"-{count}" if count > 1 else "") for name, count in counts.items())


def try_all(stages, points, run, name):
    """`run(stage, fault)` for all faults at these points. Gives what happened as text, and what went wrong."""
    began = time.monotonic()
    chosen = list(faults(points))
    queue = iter(chosen)
    outcomes, failures = Counter(), []

    def work(stage):
        for fault in queue:
            try:
                outcome = run(stage, fault)
                outcomes[fault.kind, outcome] += 1
            except Exception as failure:
                failures.append(f"{fault}: {type(failure).__name__} {str(failure)[:600]}")

    with ThreadPoolExecutor(len(stages)) as pool:
        list(pool.map(work, stages))
    lines = [f"{name}: {len(points)} points, {len(chosen)} faults, {len(failures)} failures, "
             f"{time.monotonic() - began:.0f} s", "    " + told(points)]
    for kind in dict.fromkeys(fault.kind for fault in chosen):
        ends = ", ".join(f"{count} {end}" for (other, end), count in sorted(outcomes.items()) if other == kind)
        lines.append(f"    {kind}: {ends}")
    return "\n".join(lines), failures
