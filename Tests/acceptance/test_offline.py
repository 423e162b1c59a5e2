"""The network goes and comes back: what was waited for is tried at once, without any caller."""

import pytest
from calls import Watcher, kinds, place, sign_in
from daemon import Daemon
from answering_idp import Answer, AnsweringProvider
from namespace import own_network
from scene import CallFailed
from scenes import eventually

# Longer than any test may take: whatever is tried again before was not tried for its time.
LATER = 3600


def overloaded(asked):
    return Answer(429, "", Retry_After=str(LATER))


@pytest.fixture
def network():
    with own_network() as network:
        yield network


@pytest.fixture
def host(network):
    provider = AnsweringProvider()
    yield provider
    provider.stop()


@pytest.fixture
def daemon(network, host, directory):
    daemon = Daemon(f"{directory}/0", {"notes": host.configuration()}).start()
    yield daemon
    assert daemon.close() == 0, daemon.stderr()


def refused(daemon, account):
    """A resource has refused the token; what the caller is told."""
    old = daemon.call("GetAccessToken", account=account["id"])["token"]["value"]
    with pytest.raises(CallFailed) as failure:
        daemon.call("GetAccessToken", account=account["id"], rejected=old)
    assert failure.value.name == "LoginHostUnavailable"
    return old, failure.value.parameters["retryAfterSeconds"]


def wait_changed(scenes, state):
    for scene in scenes:
        while not (scene.events and scene.events[-1]["account"]["state"] == state):
            scene.until(scene.at["sequence"] + 1)


def test_a_refresh_that_was_put_off(daemon, host, network):
    account = sign_in(daemon, "alice")
    scenes = [Watcher(daemon) for _ in range(3)]
    host.faults["token"] = overloaded
    old, wait = refused(daemon, account)
    assert wait >= LATER
    wait_changed(scenes, "degraded")
    assert [kinds(scene.events) for scene in scenes] == [["accountChanged"]] * 3
    # Nobody is signed out, and what lives is handed out.
    assert daemon.call("GetAccessToken")["token"]["value"] == old
    host.faults.clear()
    asked = len(host.asked)
    # Not before the time that the host named, whoever asks.
    assert refused(daemon, account)[1] > LATER - 300 and len(host.asked) == asked
    network.goes_away()
    network.comes_back()
    wait_changed(scenes, "active")
    assert place(daemon) == scenes[0].at["sequence"]
    assert [kinds(scene.events) for scene in scenes] == [["accountChanged"] * 2] * 3
    assert len(host.asked) == asked + 1 and host.reused == []
    new = daemon.call("GetAccessToken")["token"]["value"]
    assert new != old and host.is_good(new)
    for scene in scenes:
        scene.close()


def test_revocations_that_were_put_off(daemon, host, network):
    accounts = [sign_in(daemon, user) for user in ("alice", "bob", "carol")]
    host.faults["revoke"] = overloaded
    for account in accounts:
        assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "queued"
    assert len(daemon.manager("ListRevocations")["revocations"]) == 3
    host.faults.clear()
    network.goes_away()
    network.comes_back()
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], 30, "all are told")
    assert [host.grants(user) for user in ("alice", "bob", "carol")] == [0, 0, 0]
