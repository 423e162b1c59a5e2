"""Scenes that a service manager keeps over a restart, when what they are kept with is not what it was."""

import shutil

import pytest
from descriptor_store import KeepingDaemon
from scenes import eventually


@pytest.fixture
def keeping(directory, scripted):
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration()}).start()
    yield daemon
    assert daemon.close() == 0, daemon.stderr()


def lock_and_unlock(daemon, times):
    for _ in range(times):
        daemon.call("Lock")
        daemon.call("Unlock")


def test_an_older_copy_of_the_state_is_a_gap_and_not_silence(keeping, directory):
    with keeping.scene() as scene:
        scene.id
        lock_and_unlock(keeping, 1)
        keeping.stop()
        shutil.copytree(keeping.state, f"{directory}/copy")
        keeping.start()
        lock_and_unlock(keeping, 10)
        newest = keeping.call("ListAccounts")["at"]["sequence"]
        scene.wait_cursor(newest)
        keeping.stop()
        shutil.rmtree(keeping.state)
        shutil.copytree(f"{directory}/copy", keeping.state)
        keeping.start()
        assert keeping.manager("GetStatus")["restoredScenes"] == 1

        lock_and_unlock(keeping, 1)
        after = keeping.call("ListAccounts")["at"]["sequence"]
        assert after < newest
        eventually(lambda: scene.events[-1]["at"]["sequence"] == after, 10, "the scene hears of what happens")
        snapshot, *later = scene.events[-3:]
        assert (snapshot["kind"], snapshot["gap"]) == ("snapshot", True)
        assert [event["kind"] for event in later] == ["locked", "unlocked"]
        assert scene.closed is None and keeping.manager("ListScenes")["scenes"][0]["backlog"] == 0
