"""The service under its managers: the system's, and a user's."""

import os
import re
import signal

import pytest
from machine import SHARED, run
from scenes import eventually


@pytest.fixture(params=["system", "user"])
def unit(request):
    return request.getfixturevalue(request.param)


def test_socket_activation_readiness_and_a_sign_in(unit, dot, ada):
    assert unit.show("ActiveState") == "inactive" and os.path.exists(unit.socket)
    with ada.scene(unit.socket) as scene:
        assert scene.id
        # It serves as soon as it is ready, and the manager reads of that a moment later.
        eventually(lambda: unit.show("ActiveState") == "active", 30, "the manager has read that it is ready")
        assert unit.show("Type") == "notify"
        account = ada.sign_in(unit.socket)
        assert account["username"] == "alice"
        assert scene.wait_event("currentUserChanged")["current"]["id"] == account["id"]
        token = scene.call("GetAccessToken", as_scene=False).wait()["token"]["value"]
        assert dot.userinfo(token) == 200
    assert re.search(r"\d", unit.show("StatusText")), "a status that says something"


def test_ready_means_ready(unit, ada):
    unit.systemctl("start", "scened.service")
    assert unit.show("ActiveState") == "active"
    assert ada.call(unit.socket, "ListAccounts")["accounts"] == []


def test_stopping_is_clean(unit, ada):
    with ada.scene(unit.socket) as scene:
        scene.id
        unit.systemctl("stop", "scened.service")
        assert unit.show("Result") == "success" and unit.show("ActiveState") == "inactive"
        scene.wait_closed()
    # The socket brings it back.
    assert ada.call(unit.socket, "ListAccounts")["accounts"] == []


def test_watchdog(unit, ada):
    unit.drop_in("[Service]\nWatchdogSec=2\n")
    ada.sign_in(unit.socket)
    before = unit.pid
    # It is fed while nothing happens.
    fed = unit.show("WatchdogTimestampMonotonic")
    eventually(lambda: unit.show("WatchdogTimestampMonotonic") != fed, 10, "a sign of life")
    assert unit.pid == before and unit.show("NRestarts") == "0"
    os.kill(before, signal.SIGSTOP)
    eventually(lambda: unit.show("NRestarts") == "1", 30, "the watchdog's restart")
    unit.wait_active()
    assert unit.pid != before
    # What was there is there.
    assert ada.call(unit.socket, "ListAccounts")["current"]["username"] == "alice"


def test_killed_and_back(unit, dot, ada):
    ada.sign_in(unit.socket)
    for kill in range(3):
        os.kill(unit.pid, signal.SIGKILL)
        eventually(lambda: unit.show("NRestarts") == str(kill + 1), 30, "the restart")
        unit.wait_active()
        assert dot.userinfo(ada.call(unit.socket, "GetAccessToken")["token"]["value"]) == 200


def test_the_journal_says_who_did_what(unit, ada):
    account = ada.sign_in(unit.socket)
    with ada.scene(unit.socket) as scene:
        scene.call("Logout", account=account["id"], reason="end of shift").wait()
    entries = [entry for entry in unit.journal() if "MESSAGE_ID" in entry]
    kinds = {entry["MESSAGE_ID"]: entry.get("SCENED_EVENT") for entry in entries}
    assert all(re.fullmatch("[0-9a-f]{32}", kind) for kind in kinds)
    # One identifier for each kind of event, and the other way round.
    named = [event for event in kinds.values() if event]
    assert len(named) == len(set(named)) >= 3
    for event, reason in (("signedIn", None), ("signedOut", "end of shift")):
        entry = [e for e in entries if e.get("SCENED_EVENT") == event and e["SCENED_ACCOUNT"] == account["id"]][-1]
        assert entry["SCENED_APP"] == "notes" and entry["SCENED_UID"] == str(ada.uid)
        assert entry["SCENED_SCENE"] and entry.get("SCENED_REASON") == reason
        assert entry["PRIORITY"] in "56" and "notes" in entry["MESSAGE"] and "alice" in entry["MESSAGE"]
    assert entry["SCENED_SCENE"] == scene.id


def test_no_secret_is_in_the_journal(unit, dot, ada):
    account = ada.sign_in(unit.socket)
    token = ada.call(unit.socket, "GetAccessToken")["token"]["value"]
    ada.call(unit.socket, "GetAccessToken", rejected=token)
    ada.call(unit.socket, "Logout", account=account["id"])
    unit.systemctl("restart", "scened.service")
    run("journalctl", "--sync")
    journal = run("journalctl", "--boot", "--all", "--output=export").stdout
    assert "signedOut" in journal and len(dot.secrets()) >= 8 and token in dot.secrets()
    assert [secret[:6] for secret in dot.secrets() if secret in journal] == []


def test_reload(system, dot, ada):
    with ada.scene(system.socket) as scene:
        scene.id
        before = system.pid
        run("cp", "/etc/scened/apps.d/notes.conf", "/etc/scened/apps.d/mail.conf")
        try:
            run("systemctl", "reload", "scened.service")
            eventually(lambda: ada.scene(system.socket, "mail").call(
                "ListAccounts", as_scene=False).wait()["accounts"] == [], what="the new app")
            assert system.pid == before and scene.closed is None
            assert scene.call("ListAccounts", as_scene=False).wait()["accounts"] == []
        finally:
            os.unlink("/etc/scened/apps.d/mail.conf")
        run("systemctl", "reload", "scened.service")


def test_a_broken_app_takes_nobody_down(system, ada):
    with open("/etc/scened/apps.d/broken.conf", "w") as file:
        file.write("[App]\nNonsense\n")
    try:
        result = run("scened", "--system", "--check-config", check=False)
        assert result.returncode == 78 and "broken.conf:2" in result.stdout + result.stderr
        assert ada.call(system.socket, "ListAccounts")["accounts"] == []
        run("systemctl", "reload", "scened.service")
        assert ada.call(system.socket, "ListAccounts")["accounts"] == []
    finally:
        os.unlink("/etc/scened/apps.d/broken.conf")
    assert run("scened", "--system", "--check-config").returncode == 0


def test_uids_never_meet(system, dot, ada, ben):
    ada.sign_in(system.socket)
    assert ben.call(system.socket, "ListAccounts")["accounts"] == []
    with ben.scene(system.socket) as scene:
        refused = scene.call("GetAccessToken", as_scene=False)
        assert refused.wait_error() == "NotSignedIn"
        account = ben.sign_in(system.socket, "bob")
        assert scene.wait_event("currentUserChanged")["current"]["id"] == account["id"]
    assert ada.call(system.socket, "ListAccounts")["current"]["username"] == "alice"


def test_another_users_browser_is_refused(system, ada, ben):
    with ada.scene(system.socket) as scene:
        call = scene.log_in()
        screen = call.wait_progress("presenting")["loginScreen"]
        stranger = ben.run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", "bob", screen, check=False)
        assert stranger.returncode != 0
        # Nor root's, whose sockets look like an orphan's.
        assert run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", "bob", screen, check=False).returncode != 0
        assert not call.ended
        ada.run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", "alice", screen)
        assert call.wait()["progress"]["account"]["username"] == "alice"


def test_state_is_closed_to_others(unit, ada):
    ada.sign_in(unit.socket)
    directory = f"/home/{ada.name}/.local/state/scened" if unit.person else "/var/lib/scened"
    owner = ada.name if unit.person else "scened"
    for folder, _, names in os.walk(directory):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            assert os.stat(path).st_mode & 0o077 == 0, path
            assert run("stat", "-c", "%U", path).stdout.strip() == owner


def test_a_systemd_credential_is_the_key(system, dot, ada):
    os.makedirs("/etc/credstore.encrypted", exist_ok=True)
    key = os.popen("head -c 32 /dev/urandom | base64 -w 0").read()
    with open("/run/key", "w") as file:
        file.write(key)
    system.drop_in("[Service]\nLoadCredential=scened.key:/run/key\n")
    ada.sign_in(system.socket)
    status = run("scenectl", "--socket", system.socket, "status", "--json").stdout
    assert '"keySource":"credential"' in status.replace(" ", "")
    assert not [name for name in os.listdir("/var/lib/scened") if "key" in name]
    run("systemctl", "restart", "scened.service")
    assert dot.userinfo(ada.call(system.socket, "GetAccessToken")["token"]["value"]) == 200


def test_as_a_user_without_an_instance(system, ada):
    """scenectl finds the system's instance by itself."""
    result = ada.run("scenectl", "apps")
    assert "notes" in result.stdout
