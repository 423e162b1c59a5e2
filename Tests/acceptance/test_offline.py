"""The network goes and comes back: what was waited for is tried at once, without any caller."""

import time

import pytest
from calls import Watcher, kinds, place, sign_in
from daemon import Daemon
from answering_idp import Answer, AnsweringProvider
from namespace import own_network
from scene import CallFailed
from scenes import eventually

# Seconds: what comes before such a wait is over did not come of it.
LONG = 15


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
    asked = len(host.asked)
    network.goes_away()
    old, _ = refused(daemon, account)
    wait_changed(scenes, "degraded")
    assert [kinds(scene.events) for scene in scenes] == [["accountChanged"]] * 3
    # Nobody is signed out, and what lives is handed out.
    assert daemon.call("GetAccessToken")["token"]["value"] == old
    wait = eventually(lambda: (told := refused(daemon, account)[1]) >= LONG and told, 120, "a long wait")
    began = time.monotonic()
    network.comes_back()
    wait_changed(scenes, "active")
    assert time.monotonic() - began < wait - 1
    assert place(daemon) == scenes[0].at["sequence"]
    assert [kinds(scene.events) for scene in scenes] == [["accountChanged"] * 2] * 3
    assert len(host.asked) == asked + 1 and host.reused == []
    new = daemon.call("GetAccessToken")["token"]["value"]
    assert new != old and host.is_good(new)
    for scene in scenes:
        scene.close()


def test_a_retry_after_outlasts_it(daemon, host, network):
    """The host has named a time: another network is no reason to disturb it."""
    account = sign_in(daemon, "alice")
    host.faults["token"] = lambda asked: Answer(429, "", Retry_After="3600")
    assert refused(daemon, account)[1] >= 3600
    asked = len(host.asked)
    host.faults["revoke"] = lambda asked: Answer(503, "", Retry_After="3600")
    bob = sign_in_beside(daemon, host)
    assert daemon.call("Logout", account=bob["id"])["result"]["remote"] == "queued"
    revocations = host.revocations
    network.goes_away()
    network.comes_back()
    carol = sign_in_beside(daemon, host, "carol")
    # The change has been heard of by now: an account that no host has asked to wait is signed in and out.
    assert carol and refused(daemon, account)[1] > 3000
    assert len([form for form in host.asked[asked:] if form.get("grant_type") == "refresh_token"]) == 0
    assert host.revocations == revocations


def sign_in_beside(daemon, host, user="bob"):
    """While refreshes are refused."""
    fault = host.faults.pop("token")
    try:
        return sign_in(daemon, user)
    finally:
        host.faults["token"] = fault


def test_revocations_that_were_put_off(daemon, host, network):
    accounts = [sign_in(daemon, user) for user in ("alice", "bob", "carol")]
    network.goes_away()
    for account in accounts:
        assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "queued"
    queue = lambda: daemon.manager("ListRevocations")["revocations"]  # noqa: E731
    eventually(lambda: len(queue()) == 3 and max(entry["nextAttemptSeconds"] for entry in queue()) >= LONG, 120,
               "a long wait")
    network.comes_back()
    eventually(lambda: queue() == [], LONG - 1, "all are told")
    assert [host.grants(user) for user in ("alice", "bob", "carol")] == [0, 0, 0]
