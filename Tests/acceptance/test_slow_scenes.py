"""Scenes that do not read for a while."""

import pytest
from scenes import eventually


@pytest.fixture
def served(start, scripted):
    return start(notes=scripted.configuration())


def happen(daemon, events):
    with daemon.connect() as connection:
        for number in range(events):
            connection.call("Unlock" if number % 2 else "Lock", app="notes")


def test_a_scene_that_reads_again_gets_all_or_a_snapshot(served):
    with served.connect() as scene:
        events = (reply["event"] for reply in scene.stream("ConnectScene", app="notes"))
        first = next(events)["at"]["sequence"]
        # More than a socket holds, and no more than a history.
        happen(served, 600)
        received = [next(events) for _ in range(600)]
        assert [event["at"]["sequence"] for event in received] == list(range(first + 1, first + 601))
        assert [event["kind"] for event in received] == ["locked", "unlocked"] * 300
        # More than a socket and a history hold together.
        happen(served, 1800)
        newest = first + 2400
        at, gaps = first + 600, 0
        while at < newest:
            event = next(events)
            if event["kind"] == "snapshot":
                assert event["gap"] and event["at"]["sequence"] > at + 1
                gaps += 1
            else:
                assert event["at"]["sequence"] == at + 1
            at = event["at"]["sequence"]
        assert gaps == 1
    eventually(lambda: not served.manager("ListScenes")["scenes"], 10, "the scene's end")
