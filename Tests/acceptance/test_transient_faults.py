"""Transient is not terminal: whatever happens to a refresh on its way, nobody is signed out, and it mends by itself.

One table for all; its rows run at the same time, each with an app, a login host and a line to it of its own.
"""

import email.utils
import json
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from callers import Callers
from calls import Watcher, kinds, place, same_for_all, sign_in
from daemon import Daemon
from faulty_idp import FaultyProvider
from faulty_line import (
    Authority, Certificate, FaultyLine, answer, closes_after_the_request, cuts_the_answer, drops_the_answer, is_silent,
    raw, refuses, resets, resets_after_the_request, sends_headers_without_end, speaks_no_tls)
from scene import CallFailed
from scenes import eventually

PORTAL = b"<!DOCTYPE html><title>Welcome to the WLAN</title><p>Accept the terms"
GOOD = json.dumps({"access_token": "a" * 20, "token_type": "Bearer", "expires_in": 300}).encode()
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def date(seconds):
    return lambda: email.utils.formatdate(time.time() + seconds, usegmt=True)


def limited(retry_after=None):
    return answer(429, b"slow down", **({"Retry_After": retry_after} if retry_after is not None else {}))


# The fault, and how long the host wants not to be asked, in seconds.
FAULTS = {
    "refused": (refuses, 0),
    "reset before the request": (resets, 0),
    "reset after the request": (resets_after_the_request, 0),
    "closed after the request": (closes_after_the_request, 0),
    "silence": (is_silent, 0),
    "no TLS": (speaks_no_tls, 0),
    "certificate signed by itself": ({"by_itself": True}, 0),
    "certificate of another host": ({"address": "127.0.0.2"}, 0),
    "certificate that has ended": ({"days": (-2, -1)}, 0),
    "certificate that is not valid yet": ({"days": (1, 2)}, 0),
    "portal with 200": (answer(200, PORTAL, Content_Type="text/html"), 0),
    "portal with 200, said to be JSON": (answer(200, PORTAL, Content_Type="application/json"), 0),
    "portal by 302": (answer(302, PORTAL, Location="http://portal.example/"), 0),
    "portal by 303": (answer(303, Location="http://127.0.0.1:9/"), 0),
    "portal by 307": (answer(307, Location="http://portal.example/"), 0),
    "portal by 308": (answer(308, Location="https://portal.example/"), 0),
    "portal by 511": (answer(511, PORTAL, Content_Type="text/html"), 0),
    "401 of a proxy": (answer(407, PORTAL), 0),
    "403 of a proxy": (answer(403, PORTAL, Content_Type="text/html"), 0),
    "404": (answer(404, PORTAL), 0),
    "408": (answer(408), 0),
    "429": (limited(), 0),
    "429 for seconds": (limited("3"), 3),
    "429 until a date": (limited(date(4)), 3),
    "429 until a date that has passed": (limited(date(-3600)), 0),
    "429 for no time": (limited("0"), 0),
    "429 for less than no time": (limited("-5"), 0),
    "429 for a fraction": (limited("1.5"), 0),
    "429 until soon": (limited("soon"), 0),
    "429 for nothing": (limited(""), 0),
    "500": (answer(500, b'{"error":"invalid_grant"}', Content_Type="application/json"), 0),
    "502": (answer(502, PORTAL), 0),
    "503": (answer(503), 0),
    "503 for seconds": (answer(503, b"", Retry_After="3"), 3),
    "504": (answer(504), 0),
    "an error that passes": (answer(400, b'{"error":"temporarily_unavailable"}'), 0),
    "a body that breaks off": (raw(HEAD, b"Content-Length: 9999\r\n\r\n", GOOD), 0),
    "chunks that break off": (raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\n", b"%x\r\n" % len(GOOD), GOOD), 0),
    "a chunk of no length": (raw(HEAD, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", GOOD), 0),
    "an answer that ends in its head": (raw(HEAD), 0),
    "no HTTP": (raw(b"220 mail.example ESMTP\r\n"), 0),
    "nothing with 200": (answer(200), 0),
    "204": (raw(b"HTTP/1.1 204 No Content\r\n\r\n"), 0),
    "10 MB": (answer(200, b" " * (10 << 20)), 0),
    "10 MB that were not announced": (raw(HEAD, b"\r\n", b"x" * (10 << 20)), 0),
    "headers without end": (sends_headers_without_end, 0),
    "a header of 1 MB": (raw(b"HTTP/1.1 200 OK\r\nX: ", b"x" * (1 << 20), b"\r\n\r\n", GOOD), 0),
    "a form in place of JSON": (
        answer(200, b"access_token=a&token_type=bearer", Content_Type="application/x-www-form-urlencoded"), 0),
    # Done at the host, and what it gave is lost.
    "answer dropped": (drops_the_answer, 0),
    "answer cut": (cuts_the_answer, 0),
}


class Stage:
    """A daemon for all, and an app for each row."""

    def __init__(self, directory):
        self.authority = Authority(directory)
        self._directory, self._hosts = directory, {}
        self.daemon = None

    def start(self, names):
        apps = {}
        for number, name in enumerate(names):
            host = FaultyProvider()
            # Those of the certificates need TLS.
            fault, _ = FAULTS[name]
            tls = fault is speaks_no_tls or isinstance(fault, dict)
            host.line = FaultyLine(host._server.server_port, self.authority.context() if tls else None)
            host.metadata = {"token_endpoint": host.line.url}
            self._hosts[name] = (f"app{number}", host)
            apps[f"app{number}"] = host.configuration()
        self.daemon = Daemon(f"{self._directory}/d", apps, f"[Daemon]\nCertificateFile={self.authority.file}\n")
        self.daemon.start()

    def of(self, name):
        return self._hosts[name]

    def stop(self):
        for _, host in self._hosts.values():
            host.line.close()
            host.stop()
        return self.daemon.close()


@pytest.fixture(scope="module")
def outcomes(request):
    """What comes of each row that is to be looked at."""
    names = [item.callspec.params["fault"] for item in request.session.items
             if getattr(item, "originalname", "") == "test_fault"]
    with tempfile.TemporaryDirectory(prefix="scened-") as directory, ThreadPoolExecutor(16) as pool:
        stage = Stage(directory)
        stage.start(dict.fromkeys(names))
        try:
            futures = {name: pool.submit(passes, stage, name) for name in dict.fromkeys(names)}
            yield futures
            for future in futures.values():
                future.exception(120)
        finally:
            status = stage.stop()
        assert status == 0, f"scened ended with {status}:\n{stage.daemon.stderr()}"


@pytest.mark.parametrize("fault", FAULTS)
def test_fault(outcomes, fault):
    outcomes[fault].result(120)


def passes(stage, name):
    daemon, (app, host) = stage.daemon, stage.of(name)
    fault, at_least = FAULTS[name]
    line = host.line
    sign_in(daemon, "alice", app)
    scenes = [Watcher(daemon, app) for _ in range(2)]
    begin = place(daemon, app)
    old = daemon.call("GetAccessToken", app=app)["token"]["value"]
    line.break_with(Certificate(stage.authority.context(**fault)) if isinstance(fault, dict) else fault)
    began = time.monotonic()
    waits = unavailable(daemon, app, old, line)
    assert at_least <= waits <= max(at_least, 2) + 1
    # It is not asked for each who asks; and a token that lives is handed out, whatever is asked of it.
    asked = len(line.times)
    for _ in range(20):
        unavailable(daemon, app, old)
        assert daemon.call("GetAccessToken", app=app, minimumValiditySeconds=299)["token"]["value"] == old
    if time.monotonic() - began < at_least:
        assert len(line.times) == asked
    eventually(lambda: account(daemon, app)["state"] == "degraded", 30, "degraded")
    # It tries again by itself, and not too often.
    if fault is not refuses:
        eventually(lambda: len(line.times) > 1, 30, "it tries again")
        assert line.times[1] - line.times[0] > max(0.9, at_least - 0.1)
    passed = time.monotonic() - began
    assert len(line.times) <= 1 + sum(passed > after for after in (0.9, 2.9, 6.9, 14.9, 30.9))
    line.heal()
    told = [event for scene in scenes for event in [scene.until(begin + 2)]]
    assert told[0] == told[1] and kinds(told[0]) == ["accountChanged"] * 2
    assert [event["account"]["state"] for event in told[0]] == ["degraded", "active"]
    new = daemon.call("GetAccessToken", app=app, rejected=old)["token"]["value"]
    assert new != old and host.is_good(new) and host.reused == []
    assert account(daemon, app)["username"] == "alice"
    for scene in scenes:
        scene.close()


def account(daemon, app="notes"):
    (account,) = daemon.call("ListAccounts", app=app)["accounts"]
    return account


def unavailable(daemon, app, old, line=None):
    """The token was refused, and there is no other now: how long to wait, in seconds."""
    with daemon.connect() as connection, pytest.raises(CallFailed) as failure:
        connection.send("GetAccessToken", {"app": app, "rejected": old})
        if line and line.fault is is_silent:
            # Others are answered in the meantime.
            eventually(lambda: line.times, 30, "it is asked")
            assert daemon.call("GetAccessToken", app=app)["token"]["value"] == old
            line.heal()
            line.fault = closes_after_the_request
        connection.reply()
    assert failure.value.name == "LoginHostUnavailable", failure.value
    return failure.value.parameters["retryAfterSeconds"]


@pytest.fixture
def behind(start, faulty):
    """A daemon, and a line to the login host."""
    faulty.line = FaultyLine(faulty._server.server_port)
    faulty.metadata = {"token_endpoint": faulty.line.url}
    yield start(notes=faulty)
    faulty.line.close()


@pytest.mark.parametrize("fault", ["refused", "portal with 200", "429 for seconds"])
def test_a_token_that_has_ended(behind, faulty, fault):
    """Nobody is signed out, and each who asks is told when to ask again."""
    faulty.lifetime = 3
    sign_in(behind, "alice")
    faulty.line.break_with(FAULTS[fault][0])

    def ends():
        try:
            behind.call("GetAccessToken", minimumValiditySeconds=1)
        except CallFailed as failure:
            return failure
    failure = eventually(ends, 30, "the token's end")
    assert failure.name == "LoginHostUnavailable" and failure.parameters["retryAfterSeconds"] >= 1
    eventually(lambda: account(behind)["state"] == "degraded", 30, "degraded")
    faulty.lifetime = 300
    faulty.line.heal()
    eventually(lambda: account(behind)["state"] == "active", 60, "it recovers by itself")
    assert faulty.is_good(behind.call("GetAccessToken")["token"]["value"]) and faulty.reused == []


@pytest.mark.parametrize("retry_after", ["99999999999999999999", "86401", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_absurd_values_are_kept_in_bounds(behind, faulty, retry_after):
    """A day at the most; and a daemon that is started anew asks again."""
    sign_in(behind, "alice")
    old = behind.call("GetAccessToken")["token"]["value"]
    faulty.line.break_with(limited(retry_after))
    assert 86_000 < unavailable(behind, "notes", old) <= 86_401
    assert 86_000 < unavailable(behind, "notes", old) <= 86_401 and len(faulty.line.times) == 1
    faulty.line.heal()
    assert behind.stop() == 0
    behind.start()
    eventually(lambda: account(behind)["state"] == "active", 30, "it recovers by itself")


def test_a_name_that_does_not_resolve(start, faulty):
    daemon = start(notes=faulty)
    sign_in(daemon, "alice")
    old = daemon.call("GetAccessToken")["token"]["value"]
    assert daemon.stop() == 0
    faulty.metadata = {"token_endpoint": "https://nowhere.invalid/token"}
    daemon.start()
    unavailable(daemon, "notes", old)
    assert daemon.call("GetAccessToken")["token"]["value"] == old
    eventually(lambda: account(daemon)["state"] == "degraded", what="degraded")
    assert daemon.stop() == 0
    faulty.metadata = {}
    daemon.start()
    eventually(lambda: account(daemon)["state"] == "active", 30, "it recovers by itself")


@pytest.mark.parametrize("path", ["/jwks", "/.well-known/openid-configuration"])
@pytest.mark.parametrize("answered", [(503, b""), (200, PORTAL, {"Content-Type": "text/html"})], ids=["503", "HTML"])
def test_documents_that_cannot_be_had(start, faulty, path, answered):
    """Known ones do as long as they have to. Without metadata, which a new daemon does not know, it waits."""
    daemon = start(notes=faulty)
    sign_in(daemon, "alice")
    faulty.instead = {path: answered}
    for restarted in (False, True):
        old = daemon.call("GetAccessToken")["token"]["value"]
        if restarted:
            assert daemon.stop() == 0
            daemon.start()
        if restarted and path != "/jwks":
            if answered[0] == 503:
                unavailable(daemon, "notes", old)
            assert daemon.call("GetAccessToken")["token"]["value"] == old
            faulty.instead = {}
        new = eventually(lambda old=old: refreshed(daemon, old), 30, "a fresh token")
        assert new != old and faulty.is_good(new)
        assert account(daemon)["state"] == "active" or not restarted


def refreshed(daemon, old):
    try:
        return daemon.call("GetAccessToken", rejected=old)["token"]["value"]
    except CallFailed as failure:
        assert failure.name == "LoginHostUnavailable", failure
        return None


def test_a_storm_against_a_host_that_says_429(behind, faulty):
    """A thousand callers of ten processes, twice, while the host wants to be left alone: one request."""
    sign_in(behind, "alice")
    old = behind.call("GetAccessToken")["token"]["value"]
    scenes = [Watcher(behind) for _ in range(3)]
    faulty.line.break_with(limited("5"))
    with Callers(behind, 5, 100, rejected=old) as refused, Callers(behind, 5, 100, minimumValiditySeconds=300) as early:
        refused.ask()
        early.ask()
        answers = [refused.answers(), early.answers()]
    assert answers == [["LoginHostUnavailable"] * 500, [old] * 500]
    passed = time.monotonic() - faulty.line.times[0]
    assert len(faulty.line.times) <= 1 + passed // 5
    faulty.line.heal()
    (degraded, active) = same_for_all(scenes, place(behind) if account(behind)["state"] == "active" else
                                      scenes[0].first["at"]["sequence"] + 2)
    assert [event["account"]["state"] for event in (degraded, active)] == ["degraded", "active"]
    assert faulty.is_good(behind.call("GetAccessToken", rejected=old)["token"]["value"]) and faulty.reused == []
    for scene in scenes:
        scene.close()
