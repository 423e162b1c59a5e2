"""What a scene missed while it was off: all of it, once and in order, or a snapshot that says so."""

import itertools

import pytest

HISTORY = 1024


def alternating(first, second, count):
    return list(itertools.islice(itertools.cycle([first, second]), count))


def change(daemon, times):
    """So many events, one for each call."""
    with daemon.connect() as connection:
        for method in alternating("Lock", "Unlock", times):
            connection.call(method, app="notes")


def first_event(daemon, **parameters):
    with daemon.connect() as connection:
        return next(connection.stream("ConnectScene", app="notes", **parameters))["event"]


def missed(daemon, scene, after):
    """What a scene gets that comes back: its first event, and those up to the newest."""
    with daemon.connect() as connection:
        newest = connection.call("ListAccounts", app="notes")["at"]["sequence"]
        events = []
        for reply in connection.stream("ConnectScene", app="notes", scene=scene, after=after):
            events.append(reply["event"])
            if events[-1]["at"]["sequence"] == newest:
                return events[0], events[1:]


def assert_all(first, rest, after, count):
    assert first["kind"] == "resumed" and first["at"] == after and not first.get("gap")
    assert [event["at"] for event in rest] == [
        {"epoch": after["epoch"], "sequence": after["sequence"] + number} for number in range(1, count + 1)]
    assert [event["kind"] for event in rest] == alternating("locked", "unlocked", count)


def test_a_scene_gets_all_1024_events_and_after_one_more_a_gap(start, scripted):
    daemon = start(notes=scripted)
    change(daemon, 10)
    opening = first_event(daemon)
    scene, after = opening["scene"], opening["at"]
    change(daemon, HISTORY // 2)
    daemon.kill()
    daemon.start()
    change(daemon, HISTORY // 2)
    assert_all(*missed(daemon, scene, after), after, HISTORY)
    daemon.stop()
    daemon.start()
    assert_all(*missed(daemon, scene, after), after, HISTORY)

    change(daemon, 1)
    for _ in range(2):
        first = first_event(daemon, scene=scene, after=after)
        assert (first["kind"], first["gap"], first["snapshot"]["locked"]) == ("snapshot", True, True)
        assert first["at"] == {"epoch": after["epoch"], "sequence": after["sequence"] + HISTORY + 1}
        # And who missed one event less still gets all.
        later = {**after, "sequence": after["sequence"] + 1}
        first, rest = missed(daemon, scene, later)
        assert first["kind"] == "resumed" and len(rest) == HISTORY
        daemon.kill()
        daemon.start()


@pytest.mark.parametrize("cursor", [
    lambda at: {**at, "epoch": "another"}, lambda at: {**at, "epoch": ""},
    lambda at: {**at, "sequence": at["sequence"] + 1}, lambda at: {**at, "sequence": (1 << 63) - 1},
    lambda at: {**at, "sequence": -1}], ids=["epoch", "empty", "next", "last", "negative"])
def test_a_cursor_of_another_epoch_or_of_the_future_gets_a_gap(start, scripted, cursor):
    daemon = start(notes=scripted)
    opening = first_event(daemon)
    change(daemon, 3)
    at = {**opening["at"], "sequence": opening["at"]["sequence"] + 3}
    assert first_event(daemon, scene=opening["scene"], after=at)["kind"] == "resumed"
    for _ in range(2):
        first = first_event(daemon, scene=opening["scene"], after=cursor(at))
        assert (first["kind"], first["gap"], first["at"]) == ("snapshot", True, at)
        daemon.kill()
        daemon.start()
