"""However many ask for a token, one refresh runs."""

import json
import urllib.parse
import urllib.request

import pytest
from callers import Callers
from scene import CallFailed
from scenes import eventually

CALLERS = 200


def ask_all(daemon, **parameters):
    """GetAccessToken on many connections at once; the tokens."""
    connections = [daemon.connect() for _ in range(CALLERS)]
    for connection in connections:
        connection.send("GetAccessToken", {"app": "notes", **parameters})
    tokens = [connection.reply()[0]["token"] for connection in connections]
    for connection in connections:
        connection.close()
    return tokens


def test_many_ask_as_it_nears_its_end(start, provider, alice):
    daemon = start(notes=provider)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]
    # It shall live longer than it still does.
    eventually(lambda: daemon.call("GetAccessToken")["token"]["expiresInSeconds"] <= 294, 30, "a token of some age")
    before = len(provider.token_requests("refresh_token"))
    tokens = ask_all(daemon, minimumValiditySeconds=295)
    assert len(provider.token_requests("refresh_token")) - before == 1
    (value,) = {token["value"] for token in tokens}
    assert value != old["value"] and provider.userinfo(value) == 200
    assert min(token["expiresInSeconds"] for token in tokens) >= 290


def test_many_ask_when_it_has_ended(start, scripted, alice):
    scripted.lifetime = 5
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken", minimumValiditySeconds=1)["token"]["value"]
    eventually(lambda: not scripted.is_good(old), 10, "the token's end")
    tokens = ask_all(daemon, minimumValiditySeconds=1)
    assert scripted.refreshes == 1 and scripted.reused == []
    (value,) = {token["value"] for token in tokens}
    assert value != old and scripted.is_good(value)


def test_a_thousand_callers_in_fifty_processes_at_its_end(start, scripted, alice):
    scripted.lifetime = 5
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken", minimumValiditySeconds=1)["token"]["value"]
    with Callers(daemon, 50, 20, minimumValiditySeconds=1) as callers:
        eventually(lambda: not scripted.is_good(old), 10, "the token's end")
        # What is renewed before the end has its own test; from here on one refresh is enough.
        scripted.lifetime = 300
        before = scripted.refreshes
        callers.ask()
        answers = callers.answers()
    assert len(answers) == 1000
    (value,) = set(answers)
    assert scripted.is_good(value) and scripted.refreshes - before <= 1 and scripted.reused == []


def test_callers_refused_at_different_moments(start, scripted, alice):
    """A resource refuses the token for 200 callers: some before the refresh, some during it, some when it is over."""
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    connections = [daemon.connect() for _ in range(200)]

    def ask(some):
        for connection in some:
            connection.send("GetAccessToken", {"app": "notes", "rejected": old})

    with scripted.holding("/token") as asked:
        ask(connections[:50])
        assert asked.wait(60)
        ask(connections[50:100])
        # Served in order: the fifty before have had their turn when this is answered.
        daemon.call("ListAccounts")
    values = {connection.reply()[0]["token"]["value"] for connection in connections[:100]}
    ask(connections[100:])
    values |= {connection.reply()[0]["token"]["value"] for connection in connections[100:]}
    for connection in connections:
        connection.close()
    (value,) = values
    assert value != old and scripted.refreshes == 1 and scripted.reused == []


def test_five_audiences_at_once(start, scripted, alice):
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    connections = [daemon.connect() for _ in range(5)]
    for number, connection in enumerate(connections):
        connection.send(
            "GetAccessToken", {"app": "notes", "rejected": old, "audience": f"https://api-{number}.example.com"})
    values = {connection.reply()[0]["token"]["value"] for connection in connections}
    for connection in connections:
        connection.close()
    assert len(values) == 1 and values != {old}
    assert scripted.refreshes == 1 and scripted.reused == []


def test_a_caller_that_leaves_ends_its_wait_and_not_the_refresh(start, scripted, alice):
    daemon = start(notes=scripted)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    with scripted.holding("/token") as asked, daemon.connect() as connection:
        connection.send("GetAccessToken", {"app": "notes", "rejected": old})
        assert asked.wait(60)
        connection.close()
    value = daemon.call("GetAccessToken", rejected=old)["token"]["value"]
    assert value != old and scripted.refreshes == 1 and scripted.reused == []


def test_a_stuck_login_host_delays_no_other_account(start, scripted, alice):
    """One account's host does not answer; another's refresh, at another host, goes its way."""
    other = type(scripted)()
    try:
        hosts = scripted.configuration() + other.configuration()[other.configuration().index("[LoginHost]"):]
        daemon = start(notes=hosts)
        stuck = daemon.sign_in(alice)
        well = daemon.sign_in(alice, loginHost=other.issuer)
        tokens = {account["id"]: daemon.call("GetAccessToken", account=account["id"])["token"]["value"]
                  for account in (stuck, well)}
        with scripted.holding("/token") as asked, daemon.connect() as connection:
            connection.send("GetAccessToken", {"app": "notes", "account": stuck["id"], "rejected": tokens[stuck["id"]]})
            assert asked.wait(60)
            for _ in range(3):
                fresh = daemon.call("GetAccessToken", account=well["id"], rejected=tokens[well["id"]])
                tokens[well["id"]] = fresh["token"]["value"]
                assert other.is_good(tokens[well["id"]])
        assert other.refreshes == 3
    finally:
        other.stop()


def test_many_say_that_it_was_rejected(start, dot, alice):
    daemon = start(notes=dot)
    daemon.sign_in(alice)
    old = daemon.call("GetAccessToken")["token"]["value"]
    before = len(dot.token_requests("refresh_token"))
    tokens = ask_all(daemon, rejected=old)
    assert len(dot.token_requests("refresh_token")) - before == 1
    (value,) = {token["value"] for token in tokens}
    assert value != old and dot.userinfo(value) == 200
    # Who comes late with the old one gets the newer one, and nobody is asked.
    assert daemon.call("GetAccessToken", rejected=old)["token"]["value"] == value
    assert len(dot.token_requests("refresh_token")) - before == 1


def test_a_refused_refresh_is_told_to_everybody(start, dot, alice):
    """Another program has used the refresh token: the host refuses it, and every scene is told why."""
    daemon = start(notes=dot)
    account = daemon.sign_in(alice)
    granted = json.loads(dot.token_requests("authorization_code")[-1].answer)["refresh_token"]
    form = urllib.parse.urlencode({"client_id": "scene", "token": granted, "token_type_hint": "refresh_token"})
    urllib.request.urlopen(dot.issuer + "/revoke_token/", form.encode(), timeout=20).close()
    with daemon.scene() as scene:
        scene.id
        refused = scene.call("GetAccessToken", rejected=daemon.call("GetAccessToken")["token"]["value"], as_scene=False)
        assert refused.wait_error() in ("NotSignedIn", "InteractionRequired")
        required = scene.wait_event("loginRequired")
        assert required["account"]["id"] == account["id"] and required["reason"] == "grantRefused"
        assert daemon.call("ListAccounts")["accounts"][0]["state"] == "loginRequired"


def test_a_host_that_is_down_signs_nobody_out(start, dot, alice):
    daemon = start(notes=dot)
    daemon.sign_in(alice)
    token = daemon.call("GetAccessToken")["token"]["value"]
    dot.proxy.stop()
    try:
        with daemon.connect() as connection, pytest.raises(Exception, match="LoginHostUnavailable"):
            connection.call("GetAccessToken", app="notes", rejected=token)
        # What still lives is still handed out.
        assert daemon.call("GetAccessToken")["token"]["value"] == token
        assert daemon.call("ListAccounts")["current"]["username"] == "alice"
    finally:
        dot.proxy.start()

    def refreshed():
        # Until the time that it was told to wait is over, it is not asked again.
        try:
            return daemon.call("GetAccessToken", rejected=token)["token"]["value"]
        except CallFailed as failure:
            assert failure.name == "LoginHostUnavailable" and failure.parameters["retryAfterSeconds"] <= 3
            return None

    fresh = eventually(refreshed, 30, "a fresh token")
    assert fresh != token and dot.userinfo(fresh) == 200
