"""RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0): offered to who signed out, and never waited for."""

import os
import time
import urllib.parse

import pytest
from calls import Watcher, place, same_for_all, sign_in
from answering_idp import AnsweringProvider
from scene import CallFailed
from visitor import Browser, Visitor

SIGNED_OUT = "http://127.0.0.1:8765/signed-out"


@pytest.fixture
def host():
    provider = AnsweringProvider()
    provider.metadata["end_session_endpoint"] = provider.issuer + "/end"
    yield provider
    provider.stop()


def parameters(uri):
    """The address without its query, and the query's members; none is there twice."""
    parts = urllib.parse.urlsplit(uri)
    members = urllib.parse.parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)
    assert len(dict(members)) == len(members) and not parts.fragment
    return parts._replace(query="").geturl(), dict(members)


def log_out(daemon):
    id_token = daemon.call("GetIdentity")["idToken"]
    result = daemon.call("Logout")["result"]
    return result, id_token


@pytest.mark.parametrize("configured", [False, True], ids=["announced", "configured"])
def test_the_address(start, host, configured):
    keys = {"PostLogoutRedirectURI": "https://notes.example/signed-out?from=a%20b&to=c"}
    text = host.configuration(**keys)
    if configured:
        del host.metadata["end_session_endpoint"]
        text += f"EndSessionEndpoint={host.issuer}/end\n"
    daemon = start(notes=text)
    sign_in(daemon, "alice")
    result, id_token = log_out(daemon)
    assert result["remote"] == "revoked"
    address, asked = parameters(result["endSessionUri"])
    assert address == host.issuer + "/end"
    assert len(asked.pop("state")) >= 22
    assert asked == {"id_token_hint": id_token, "client_id": "scene",
                     "post_logout_redirect_uri": keys["PostLogoutRedirectURI"]}
    # Escaped: nothing of a value is read as another member, or as another place.
    assert result["endSessionUri"].count("&") == 3 and result["endSessionUri"].count("?") == 1


def test_an_endpoint_with_a_query_of_its_own(start, host):
    host.metadata["end_session_endpoint"] = host.issuer + "/end?theme=dark&tenant=a%26b"
    daemon = start(notes=host)
    sign_in(daemon, "alice")
    result, id_token = log_out(daemon)
    address, asked = parameters(result["endSessionUri"])
    assert address == host.issuer + "/end" and len(asked.pop("state")) >= 22
    assert asked == {"theme": "dark", "tenant": "a&b", "id_token_hint": id_token, "client_id": "scene"}


@pytest.mark.parametrize("endpoint", [None, "http://login.example/end", "javascript:alert(1)", "/end", "",
                                      "https://user@login.example/end", "https://login.example/end#x"])
def test_none_where_the_host_has_none(start, host, endpoint):
    """Nor one where we would not send anybody."""
    host.metadata["end_session_endpoint"] = endpoint
    daemon = start(notes=host)
    sign_in(daemon, "alice")
    assert "endSessionUri" not in daemon.call("Logout")["result"]


def dropped(asked):
    raise ConnectionAbortedError


@pytest.mark.parametrize("trouble", ["unsupported", "refused", "overloaded", "no answer", "down"])
def test_whatever_becomes_of_the_revocation(start, host, trouble):
    remote = "queued"
    if trouble == "unsupported":
        host.offers_revocation, remote = False, "unsupported"
    daemon = start(notes=host)
    sign_in(daemon, "alice")
    if trouble == "refused":
        host.faults["revoke"], remote = lambda asked: (401, {"error": "invalid_client"}), "unsupported"
    elif trouble == "overloaded":
        host.faults["revoke"] = lambda asked: (503, {})
    elif trouble == "down":
        host.faults["revoke"] = dropped
        host.stop()
    began = time.monotonic()
    if trouble == "no answer":
        with host.holding("/revoke"):
            result, id_token = log_out(daemon)
    else:
        result, id_token = log_out(daemon)
    assert result["remote"] == remote and time.monotonic() - began < 20
    address, asked = parameters(result["endSessionUri"])
    assert address == host.issuer + "/end" and asked["id_token_hint"] == id_token


def test_after_a_restart(start, host):
    """Nothing is known of the host any more: it is asked, and not only once it has revoked."""
    daemon = start(notes=host)
    for user in ("alice", "bob"):
        sign_in(daemon, user)
    daemon.stop()
    daemon.start()
    with host.holding("/revoke"):
        result, id_token = log_out(daemon)
        assert result["remote"] == "queued"
        assert parameters(result["endSessionUri"])[1]["id_token_hint"] == id_token
    daemon.stop()
    host.stop()
    daemon.start()
    result = daemon.call("Logout")["result"]
    assert result["remote"] == "queued" and "endSessionUri" not in result


def test_one_for_each_account(start, host):
    daemon = start(notes=host)
    accounts = {sign_in(daemon, user)["id"] for user in ("alice", "bob", "carol")}
    tokens = {account: daemon.call("GetIdentity", account=account)["idToken"] for account in accounts}
    results = daemon.call("LogoutAll")["results"]
    asked = {result["account"]["id"]: parameters(result["endSessionUri"])[1] for result in results}
    assert {account: query["id_token_hint"] for account, query in asked.items()} == tokens
    assert len({query["state"] for query in asked.values()}) == 3


def test_only_to_who_signed_out(start, host):
    """It holds an ID token: it is no news for the other scenes, nor for who asks again."""
    daemon = start(notes=host)
    account = sign_in(daemon, "alice")
    others = [Watcher(daemon), Watcher(daemon)]
    result, id_token = log_out(daemon)
    news = same_for_all(others, place(daemon))
    assert "loggedOut" in [event["kind"] for event in news]
    assert id_token not in str(news) and "/end" not in str(news)
    again = daemon.call("Logout", account=account["id"])["result"]
    assert again["remote"] == "revoked" and "endSessionUri" not in again
    for other in others:
        other.close()


def test_scenectl_prints_it_and_opens_it_without_the_id_token(start, host, directory):
    daemon = start(notes=host)
    sign_in(daemon, "alice")
    id_token = daemon.call("GetIdentity")["idToken"]
    with open(f"{directory}/xdg-open", "w") as script:
        script.write(f'#!/bin/sh\necho "$@" >>{directory}/opened\n')

    os.chmod(f"{directory}/xdg-open", 0o755)
    environment = {"DISPLAY": ":0", "PATH": f"{directory}:{os.environ['PATH']}"}
    shown = daemon.scenectl("logout", "--app", "notes", "--browser", environment=environment)
    assert shown.returncode == 0, shown.stderr
    printed = shown.stdout.split("open ")[1].strip()
    with open(f"{directory}/opened") as opened:
        (opened,) = opened.read().split()
    address, asked = parameters(opened)
    _, complete = parameters(printed)
    assert complete.pop("id_token_hint") == id_token
    assert address == host.issuer + "/end" and asked == complete and set(asked) == {"client_id", "state"}


# What the OpenID Foundation's plan for RP-initiated logout has its provider do to a client (rp-init-logout,
# rp-init-logout-other-state, rp-init-logout-no-state): the browser comes back to the app's page, not to scened, which has
# signed the user out before. Nothing that comes back undoes or repeats it.
@pytest.mark.parametrize("back", [
    lambda state: {"state": state}, lambda state: {"state": "another"}, lambda state: {}, lambda state: {"state": ""},
    lambda state: {"state": state, "error": "access_denied"}, lambda state: {"state": state, "code": "code-1"},
], ids=["rp-init-logout", "rp-init-logout-other-state", "rp-init-logout-no-state", "an empty state", "an error", "a code"])
def test_the_browser_comes_back(start, host, back):
    daemon = start(notes=host.configuration(PostLogoutRedirectURI="com.example.notes:/signed-out"))
    sign_in(daemon, "alice")
    result, _ = log_out(daemon)
    _, asked = parameters(result["endSessionUri"])
    before = place(daemon)
    url = asked["post_logout_redirect_uri"] + "?" + urllib.parse.urlencode(back(asked["state"]))
    with daemon.connect() as connection:
        assert connection.call("HandleResponse", url=url) == {"handled": False}
    assert place(daemon) == before and daemon.call("ListAccounts")["accounts"] == []
    assert sign_in(daemon, "alice")["username"] == "alice"


def test_the_real_hosts_session_ends(start, provider):
    """At two providers of others: the browser's session is over there, and it comes back to the app's page."""
    visitor = Visitor("alice")
    daemon = start(notes=provider.configuration(PostLogoutRedirectURI=SIGNED_OUT))
    daemon.sign_in(visitor)
    # Who has a session is not asked who they are.
    remembered = Visitor("alice")
    remembered._browser = Browser(None)
    remembered._browser.jar = visitor._browser.jar
    remembered._browser._opener = visitor._browser._opener
    daemon.sign_in(remembered)
    result, _ = log_out(daemon)
    _, asked = parameters(result["endSessionUri"])
    back = visitor._browser.drive(result["endSessionUri"])
    assert back == f"{SIGNED_OUT}?state={asked['state']}"
    with daemon.connect() as connection:
        replies = connection.stream("Login", app="notes")
        uri = next(r["progress"]["authorizationUri"] for r in replies if r["progress"].get("authorizationUri"))
        with pytest.raises(Exception, match="Stuck|form again|401|password") as stuck:
            remembered._browser.drive(uri)
        assert type(stuck.value).__name__ == "Stuck", stuck.value
    with pytest.raises(CallFailed):
        daemon.call("GetAccessToken")
