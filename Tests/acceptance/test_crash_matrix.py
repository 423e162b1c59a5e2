"""The crash matrix: every durable change, and every start, with a fault at each of its points.

A point is a write, a sync, a truncation, a deletion … of a file of the state directory, or something sent (faults.c).
The daemon is killed before it, after it and with half of it done, and is started again; or the call fails, and the
daemon goes on. SCENED_CRASH_MATRIX=full tries each error at each point; else they take turns.
"""

import tempfile

import crash_case
import crash_start
import pytest
from crash_matrix import try_all
from crash_stage import Stage
from durable_changes import CHANGES
from scripted_idp import ScriptedProvider

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="module")
def stages():
    """Two, as each waits for the disk and for its daemon most of the time."""
    with tempfile.TemporaryDirectory(prefix="scened-") as directory:
        providers = [ScriptedProvider() for _ in range(2)]
        stages = [Stage(f"{directory}/{n}", provider) for n, provider in enumerate(providers)]
        yield stages
        for stage, provider in zip(stages, providers):
            stage.close()
            provider.stop()


def matrix(stages, case, module, capsys):
    for stage in stages:
        module.prepare(stage, case)
    # Two threads may have one write more or less between them; what only one run has, another may not come to. Where
    # revocations end in another order, their writes are gathered otherwise, and it is looked at again.
    for _ in range(5):
        points, others = (module.points(stage, case) for stage in stages)
        points = [point for point in points if point in others]
        if len(points) > 0.9 * len(others):
            break
    else:
        pytest.fail(f"{points}, and then {others}")
    text, failures = try_all(stages, points, lambda stage, fault: module.run(stage, case, fault), case.name)
    with capsys.disabled():
        print("\n" + text)
    assert not failures, "\n".join(failures[:20])


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name.replace(" ", "-"))
def test_change(stages, change, capsys):
    matrix(stages, change, crash_case, capsys)


@pytest.mark.parametrize("start", crash_start.STARTS, ids=lambda start: start.name.replace(" ", "-"))
def test_start(stages, start, capsys):
    matrix(stages, start, crash_start, capsys)
