"""What a login host may answer to a revocation: what passes stays queued, and is told when it can be."""

import pytest
from calls import sign_in
from faulty_line import FaultyLine, refuses
from scenes import eventually

PAGE = b"<!DOCTYPE html><title>Welcome to the WLAN</title>"

QUEUED = {
    "503": (503, b""), "503 for seconds": (503, b"", {"Retry-After": "1"}), "429": (429, b"{}"), "500": (500, {}),
    "a portal": (200, PAGE, {"Content-Type": "text/html"}), "a redirect": (302, b"", {"Location": "http://portal.example"}),
    "400 of a proxy": (400, PAGE), "an error that passes": (400, {"error": "temporarily_unavailable"}),
}
REVOKED = {
    "nothing": (200, b"", {"Content-Type": "text/html; charset=utf-8"}), "an object": (200, {}), "204": (204, b""),
    "an unknown token": (400, {"error": "invalid_token"}),
}
UNSUPPORTED = {
    "another type": (400, {"error": "unsupported_token_type"}), "not this client": (401, {"error": "invalid_client"}),
    "not this method": (405, b""), "not there": (404, b"no such page"),
}


def queue(daemon):
    return daemon.manager("ListRevocations")["revocations"]


def log_out(daemon, host, instead):
    account = sign_in(daemon, "alice")
    host.instead = {"/revoke": instead}
    return daemon.call("Logout", account=account["id"])["result"]["remote"]


@pytest.mark.parametrize("answer", QUEUED)
def test_what_passes_is_waited_out(start, faulty, answer):
    """Shown in the status, kept over a restart, and told when it can be."""
    daemon = start(notes=faulty)
    assert log_out(daemon, faulty, QUEUED[answer]) == "queued"
    (entry,) = eventually(lambda: [e for e in queue(daemon) if e["attempts"] == 1], 30, "it was tried once")
    assert entry["reason"] == "signedOut" and entry["loginHost"] == faulty.issuer
    assert 0 < entry["nextAttemptSeconds"] <= 10
    shown = daemon.scenectl("status").stdout
    assert faulty.issuer in shown and "signedOut" in shown
    # Nobody is asked before its time.
    assert len(faulty.of("/revoke")) == 1
    if answer != "503 for seconds":
        return
    assert daemon.stop() == 0
    daemon.start()
    assert [e["reason"] for e in queue(daemon)] == ["signedOut"]


@pytest.mark.parametrize("answer", REVOKED)
def test_what_is_as_good_as_done(start, faulty, answer):
    daemon = start(notes=faulty)
    assert log_out(daemon, faulty, REVOKED[answer]) == "revoked"
    eventually(lambda: queue(daemon) == [], what="nothing left to revoke")


@pytest.mark.parametrize("answer", UNSUPPORTED)
def test_what_is_not_to_be_had(start, faulty, answer):
    daemon = start(notes=faulty)
    assert log_out(daemon, faulty, UNSUPPORTED[answer]) == "unsupported"
    eventually(lambda: queue(daemon) == [], what="nothing left to revoke")


def test_a_confidential_client_whose_secret_has_expired(start, faulty, directory):
    """Somebody will mend that: until then, the tokens are not given up."""
    with open(f"{directory}/secret", "w") as file:
        file.write("expired")
    daemon = start(notes=faulty.configuration(ClientSecretFile=f"{directory}/secret"))
    assert log_out(daemon, faulty, (401, {"error": "invalid_client"})) == "queued"
    assert len(queue(daemon)) == 1


def test_nobody_there(start, faulty):
    line = FaultyLine(faulty._server.server_port)
    faulty.metadata = {"revocation_endpoint": line.url.replace("/token", "/revoke")}
    daemon = start(notes=faulty)
    account = sign_in(daemon, "alice")
    line.break_with(refuses)
    assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "queued"
    (entry,) = eventually(lambda: [e for e in queue(daemon) if e["attempts"] == 1], 30, "it was tried once")
    assert 0 < entry["nextAttemptSeconds"] <= 10
    line.heal()
    eventually(lambda: queue(daemon) == [], 60, "nothing left to revoke")
    assert faulty.grants("alice") == 0 and len(faulty.of("/revoke")) == 2
    line.close()
