"""Signing in with a code that is typed on another device (RFC 8628)."""

import json
import os
import re
import subprocess

import pytest
from daemon import SCENECTL
from descriptor_store import KeepingDaemon
from real_devices import approve, configured
from scene import CallFailed
from scenes import eventually
from scripted_devices import Devices


@pytest.fixture
def daemon(start, scripted):
    return start(notes=scripted)


def files(daemon):
    """What has been written to disk."""
    yield daemon.log
    for directory, _, names in os.walk(daemon.state):
        yield from (os.path.join(directory, name) for name in names)


def test_all_scenes_sign_in_by_one_code(daemon, scripted):
    devices = Devices(scripted)
    with daemon.scene() as presenter, daemon.scene() as waiting:
        assert presenter.id != waiting.id
        first = presenter.log_in(presentation="device", loginHint="ada")
        shown = first.wait_progress("presenting")
        address = scripted.issuer + "/device"
        assert shown["verificationUri"] == address and "loginScreen" not in shown and "authorizationUri" not in shown
        assert shown["verificationUriComplete"] == f"{address}?user_code={shown['userCode']}"
        assert 290 <= shown["expiresInSeconds"] <= 300
        second = waiting.log_in()
        assert second.wait_progress("waiting")["userCode"] == shown["userCode"]
        assert min(devices.wait_polls(3)) >= 1
        assert daemon.listening_ports() == []

        presenter.kill()
        taken = second.wait_progress("presenting")
        assert taken["userCode"] == shown["userCode"] and taken["expiresInSeconds"] <= shown["expiresInSeconds"]
        devices.approve(shown["userCode"])
        done = second.wait()["progress"]
        assert done["account"]["username"] == "alice"
        waiting.wait_cursor(done["at"]["sequence"])
        assert [event["kind"] for event in waiting.events[1:]] == [
            "loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
        (asked,) = devices.asked
        assert asked == {"client_id": "scene", "scope": "openid profile email offline_access", "login_hint": "ada"}
        assert min(devices.wait_polls(4)) >= 1
    token = daemon.call("GetAccessToken")["token"]["value"]
    assert scripted.is_good(token)
    assert scripted.is_good(daemon.call("GetAccessToken", rejected=token)["token"]["value"])
    assert scripted.refreshes == 1
    daemon.stop()
    for file in files(daemon):
        with open(file, "rb") as opened:
            content = opened.read()
        assert not [secret for secret in scripted.secrets if secret.encode() in content], file


def test_the_interval_grows_as_it_has_to(daemon, scripted):
    devices = Devices(scripted, ["authorization_pending", 503, "drop", "slow_down"])
    with daemon.scene() as scene:
        call = scene.log_in(presentation="device")
        code = call.wait_progress("presenting")["userCode"]
        devices.wait_polls(4)
        devices.approve(code)
        call.wait()
        pauses = devices.wait_polls(5)
    assert all(pause >= least for pause, least in zip(pauses, [1, 2, 4, 6], strict=True)), pauses


@pytest.mark.parametrize("answer", ["access_denied", "expired_token", "invalid_grant"])
def test_the_login_host_says_no(daemon, scripted, answer):
    Devices(scripted, [answer])
    with daemon.scene() as scene, daemon.scene() as other:
        calls = [scene.log_in(presentation="device")]
        calls[0].wait_progress("presenting")
        calls.append(other.log_in())
        for call in calls:
            assert call.wait_error() == "LoginFailed" and call.error_parameters["code"] == answer
        assert scene.wait_event("loginEnded")["reason"] == answer
    assert daemon.call("ListAccounts")["accounts"] == []


def test_nobody_uses_the_code(daemon, scripted):
    devices = Devices(scripted, expires_in=2)
    with daemon.scene() as scene:
        call = scene.log_in(presentation="device")
        assert call.wait_error() == "LoginFailed" and call.error_parameters["code"] == "expired_token"
        assert 1 <= len(devices.polls[devices.codes[0]]) <= 2
        # A new one is to be had at once.
        devices.response["expires_in"] = 300
        again = scene.log_in(presentation="device")
        devices.approve(again.wait_progress("presenting")["userCode"])
        again.wait()


def test_a_cancelled_login_is_not_asked_for_any_more(daemon, scripted):
    devices = Devices(scripted)
    with daemon.scene() as scene, daemon.scene() as other:
        calls = [scene.log_in(presentation="device")]
        code = calls[0].wait_progress("presenting")["userCode"]
        calls.append(other.log_in())
        calls[1].wait_progress("waiting")
        devices.wait_polls(1)
        scene.call("CancelLogin").wait()
        assert [call.wait_error() for call in calls] == ["LoginCancelled"] * 2
        asked = len(devices.polls[devices.codes[0]])
        devices.approve(code, "mallory")
        again = scene.log_in(presentation="device")
        again.wait_progress("presenting")
        devices.wait_polls(3)
        devices.approve(again.progress[-1]["userCode"])
        assert again.wait()["progress"]["account"]["username"] == "alice"
        assert len(devices.polls[devices.codes[0]]) == asked


def test_tokens_that_come_too_late_are_revoked(daemon, scripted):
    devices = Devices(scripted)
    devices.gate.clear()
    with daemon.scene() as scene:
        call = scene.log_in(presentation="device")
        devices.approve(call.wait_progress("presenting")["userCode"])
        assert devices.granting.wait(30)
        scene.call("CancelLogin").wait()
        assert call.wait_error() == "LoginCancelled"
        devices.gate.set()
        eventually(lambda: scripted.revocations, 20, "the revocation")
        assert daemon.call("ListAccounts")["accounts"] == [] and not scripted._refresh
        eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], 20, "an empty queue")


def test_an_app_whose_login_host_has_no_device_flow(daemon, scripted, alice):
    with pytest.raises(CallFailed) as failed:
        daemon.sign_in(alice, presentation="device")
    assert failed.value.name == "LoginFailed" and failed.value.parameters["code"] == "noDeviceFlow"
    assert "DeviceAuthorizationEndpoint=" in failed.value.parameters["description"]
    assert daemon.sign_in(alice)["username"] == "alice"


@pytest.mark.parametrize("response", [
    {"user_code": "\x1b[2J\x1b[H"}, {"user_code": "AB\u202eCD"}, {"user_code": None}, {"device_code": None},
    {"verification_uri": "http://login.example.com/device"}, {"verification_uri": "javascript:alert(1)"},
    {"verification_uri": "https://login.example.com/\x1b]0;x\x07"}, {"expires_in": None}, {"expires_in": -1},
], ids=str)
def test_what_must_not_be_shown_is_not(daemon, scripted, response):
    devices = Devices(scripted, **response)
    with daemon.scene() as scene:
        call = scene.log_in(presentation="device")
        assert call.wait_error() == "LoginFailed" and call.error_parameters["code"] == "invalid_device_response"
        assert call.replies == [] and not any(devices.polls.values())


@pytest.mark.parametrize("dies", [False, True], ids=["stopped", "killed"])
def test_a_restart_is_no_event(directory, scripted, dies):
    devices = Devices(scripted)
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration()}).start()
    try:
        with daemon.scene() as scene:
            code = scene.log_in(presentation="device").wait_progress("presenting")["userCode"]
            devices.wait_polls(1)
            daemon.wait_notified("FDNAME=login-")
            daemon.kill() if dies else daemon.stop()
            daemon.start()
            call = scene.log_in()
            shown = call.wait_progress("presenting")
            assert shown["userCode"] == code and shown["expiresInSeconds"] < 300
            devices.approve(code)
            done = call.wait()["progress"]
            assert done["account"]["username"] == "alice"
            scene.wait_cursor(done["at"]["sequence"])
            assert len(devices.codes) == 1
            assert [event["kind"] for event in scene.events[1:]] == [
                "loginStarted", "loggedIn", "currentUserChanged", "loginEnded"]
            eventually(lambda: not [name for name, _ in daemon.kept if name.startswith("login-")], 10, "nothing kept")
    finally:
        assert daemon.close() == 0, daemon.stderr()


def test_with_a_real_provider(start, provider):
    daemon = start(notes=configured(provider))
    with daemon.scene() as scene:
        call = scene.log_in(presentation="device")
        shown = call.wait_progress("presenting")
        approve(shown)
        account = call.wait(60)["progress"]["account"]
        assert account["issuer"].rstrip("/") == provider.issuer.rstrip("/")
    token = daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"]
    assert provider.userinfo(token) == 200
    # A refresh is as good as after a sign-in with a browser.
    newer = daemon.call("GetAccessToken", rejected=token)["token"]["value"]
    assert newer != token and provider.userinfo(newer) == 200
    assert daemon.call("Logout", account=account["id"])["result"]["account"]["id"] == account["id"]
    assert daemon.call("ListAccounts")["accounts"] == []


def test_a_real_provider_denies(start, dot):
    daemon = start(notes=configured(dot))
    with daemon.scene() as scene:
        call = scene.log_in(presentation="device")
        approve(call.wait_progress("presenting"), "--deny")
        assert call.wait_error(60) == "LoginFailed" and call.error_parameters["code"] == "access_denied"


# scenectl


def test_a_script_reads_the_code(daemon, scripted):
    devices = Devices(scripted)
    login = subprocess.Popen([SCENECTL, "login", "--device", "--json"], env=daemon.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    progress = json.loads(login.stdout.readline())["progress"]
    assert progress["state"] == "presenting" and progress["verificationUri"] == scripted.issuer + "/device"
    devices.approve(progress["userCode"])
    output, errors = login.communicate(timeout=60)
    assert login.returncode == 0 and json.loads(output)["progress"]["state"] == "signedIn"
    assert not re.search("[█▀▄\x1b]", errors)


@pytest.mark.parametrize("answer, code, said", [
    ("access_denied", 77, "denied"), ("expired_token", 75, "Nobody used the code in time")])
def test_scenectl_says_how_it_ended(daemon, scripted, answer, code, said):
    Devices(scripted, [answer])
    ended = daemon.scenectl("login")
    assert ended.returncode == code and said in ended.stderr and ended.stdout == ""


def test_scenectl_falls_back_to_a_browser(daemon, scripted, alice):
    login = subprocess.Popen([SCENECTL, "login"], env=daemon.environment, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert "no device flow" in login.stderr.readline()
    while not (found := re.search(r"http://127\.0\.0\.1:\S+", login.stderr.readline())):
        pass
    alice.sign_in(found[0])
    assert "Alice" in login.communicate(timeout=60)[0] and login.returncode == 0
    refused = daemon.scenectl("login", "--device")
    assert refused.returncode == 1 and "--no-browser" in refused.stderr
