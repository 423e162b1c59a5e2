"""An answer that was given before is given again at once: only as long as it is right."""

import pytest
from scene import CallFailed
from scenes import eventually
from visitor import Visitor


@pytest.fixture
def signed_in(start, scripted):
    """A daemon, and the accounts of alice and of bob, who is the current user."""
    daemon = start(notes=scripted)
    return daemon, *(daemon.sign_in(Visitor(name), "Login", loginHint=name)["id"] for name in ("alice", "bob"))


def ask(daemon, **parameters):
    first, second = (daemon.call("GetAccessToken", **parameters)["token"] for _ in range(2))
    assert first["value"] == second["value"]
    return second["value"]


def refused(daemon, error, **parameters):
    with pytest.raises(CallFailed) as failed:
        daemon.call("GetAccessToken", **parameters)
    assert failed.value.name == error


def test_each_gets_what_they_ask_for(signed_in):
    daemon, alice, bob = signed_in
    assert ask(daemon) == ask(daemon, account=bob) != ask(daemon, account=alice)
    assert ask(daemon, scope="email") == ask(daemon)
    refused(daemon, "InteractionRequired", scope="admin")
    refused(daemon, "UnknownAccount", account="nobody")


def test_the_current_user_changes(signed_in):
    daemon, alice, _ = signed_in
    before = ask(daemon)
    daemon.call("SwitchAccount", account=alice)
    assert ask(daemon) == ask(daemon, account=alice) != before


def test_a_lock_and_a_logout(signed_in):
    daemon, _, bob = signed_in
    value = ask(daemon, account=bob)
    daemon.call("Lock")
    refused(daemon, "SessionLocked", account=bob)
    daemon.call("Unlock")
    assert ask(daemon, account=bob) == value
    daemon.call("Logout", account=bob)
    refused(daemon, "UnknownAccount", account=bob)


def test_a_token_that_a_resource_has_refused(signed_in, scripted):
    daemon, *_ = signed_in
    old = ask(daemon)
    new = daemon.call("GetAccessToken", rejected=old)["token"]["value"]
    assert ask(daemon) == new != old and scripted.is_good(new)


def test_it_says_how_long_it_lives(signed_in):
    daemon, *_ = signed_in
    with daemon.connect() as connection:
        def left():
            return connection.call("org.scened.Session.GetAccessToken", app="notes")["token"]["expiresInSeconds"]
        before = left()
        eventually(lambda: left() == before - 1, 10, "a second less")
