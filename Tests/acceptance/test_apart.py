"""Two users and two apps at once, on one instance of the system's."""

import os
import shutil

import pytest
from calls import authorize, kinds
from daemon import Daemon
from provider import free_port
from scene import CallFailed
from scenes import SCENE, Scene, eventually
from test_local_users import NOBODY, request as get_as
from users import MALLORY, VICTOR, connect


def test_two_users_and_two_apps_never_meet(directory, scripted):
    os.chmod(directory, 0o711)
    # One listener for all of them.
    redirect = f"http://127.0.0.1:{free_port()}/callback"
    # Where another user may read it.
    script = shutil.copy(SCENE, f"{directory}/scene.py")
    apps = ["notes", "mail"]
    daemon = Daemon(
        f"{directory}/0", {app: scripted.configuration(app, RedirectURI=redirect) for app in apps}, instance="system").start()
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    scenes = {
        (uid, app): Scene(daemon.socket, app, prefix=as_nobody if uid else (), script=script)
        for uid in (0, NOBODY) for app in apps}
    try:
        monitor = scenes[NOBODY, "mail"].call("org.scened.Manager.Monitor", more=True, as_scene=False, app=None)
        # Four logins at once, each of a user of its own.
        calls = {key: scene.log_in(loginHint=f"{key[1]}-{key[0]}") for key, scene in scenes.items()}
        screens = {key: call.wait_progress("presenting") for key, call in calls.items()}
        assert len({screen["loginScreen"] for screen in screens.values()}) == 4
        assert len(daemon.listening_ports()) == 1
        # One that is cancelled ends no other.
        scenes[NOBODY, "mail"].call("CancelLogin", as_scene=False).wait()
        assert calls[NOBODY, "mail"].wait_error() == "LoginCancelled"
        calls[NOBODY, "mail"] = scenes[NOBODY, "mail"].log_in(loginHint=f"mail-{NOBODY}")
        screens[NOBODY, "mail"] = calls[NOBODY, "mail"].wait_progress("presenting")
        for (uid, app), screen in screens.items():
            callback = authorize(screen["authorizationUri"])
            assert get_as(callback, user=NOBODY if uid == 0 else 0).split()[1:2] in ([], ["403"])
            assert not calls[uid, app].ended
            get_as(callback, user=uid)
        accounts = {key: call.wait()["progress"]["account"] for key, call in calls.items()}
        assert {key: a["username"] for key, a in accounts.items()} == {key: f"{key[1]}-{key[0]}" for key in scenes}

        # Nobody sees, names or ends what is another's.
        for key, scene in scenes.items():
            for other, account in accounts.items():
                if other == key:
                    continue
                for method in ("Logout", "SwitchAccount", "GetAccessToken"):
                    call = scene.call(method, as_scene=False, account=account["id"])
                    assert call.wait_error() == "UnknownAccount"
                call = scene.call("UpdateScene", as_scene=False, scene=scenes[other].id, activation="foreground")
                assert call.wait_error() == "UnknownScene"
            listed = scene.call("ListAccounts", as_scene=False).wait()
            assert [a["id"] for a in listed["accounts"]] == [accounts[key]["id"]]
        seen = scenes[NOBODY, "mail"].call("org.scened.Manager.ListScenes", as_scene=False, app=None).wait()["scenes"]
        assert {(s["uid"], s["app"]) for s in seen} == {(NOBODY, app) for app in apps}

        # All at once, and different things.
        changes = [
            scenes[0, "notes"].call("LogoutAll"), scenes[NOBODY, "notes"].call("Lock", as_scene=False),
            scenes[0, "mail"].call("Logout", account=accounts[0, "mail"]["id"]),
            scenes[NOBODY, "mail"].call("AddLoginHost", url="https://more.example")]
        for change in changes:
            change.wait()
        expected = {
            (0, "notes"): ["loggedOut", "currentUserChanged", "loginRequired"], (NOBODY, "notes"): ["locked"],
            (0, "mail"): ["loggedOut", "currentUserChanged", "loginRequired"], (NOBODY, "mail"): []}
        for (uid, app), scene in scenes.items():
            listed = scene.call("ListAccounts", as_scene=False).wait()
            scene.wait_cursor(listed["at"]["sequence"])
            cancelled = ["loginStarted", "loginEnded"] if (uid, app) == (NOBODY, "mail") else []
            assert kinds(scene.events) == [
                "snapshot", *cancelled, "loginStarted", "loggedIn", "currentUserChanged", "loginEnded",
                *expected[uid, app]]
            assert kinds(scene.events)[0] == "snapshot" and not scene.events[0]["snapshot"]["accounts"]
            names = {e[m]["username"] for e in scene.events for m in ("account", "current", "previous") if e.get(m)}
            assert names == {f"{app}-{uid}"}

        # The administrator signs one user out of one app; no other user may.
        call = scenes[NOBODY, "mail"].call("org.scened.Manager.LogoutUser", as_scene=False, uid=0)
        assert call.wait_error() == "org.scened.Manager.AccessDenied"
        assert daemon.manager("LogoutUser", uid=NOBODY, app="mail") == {"accounts": 1}
        scenes[NOBODY, "mail"].wait_event("loggedOut")
        eventually(lambda: "loggedOut" in [r["event"]["kind"] for r in monitor.replies], what="the monitor shows it")
        assert {(r["uid"], r["app"]) for r in monitor.replies} == {(NOBODY, app) for app in apps}
        listed = scenes[NOBODY, "notes"].call("ListAccounts", as_scene=False).wait()
        assert [a["id"] for a in listed["accounts"]] == [accounts[NOBODY, "notes"]["id"]]
    finally:
        for scene in scenes.values():
            scene.close()
        assert daemon.close() == 0, daemon.stderr()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as several users")
def test_what_is_counted_is_told_to_its_user_alone(instance, scripted):
    daemon = instance({"notes": scripted.configuration()}, Scenes=1)
    held = ("scened.scenes", "scened.logins_under_way", "scened.connections_open")
    with connect(daemon, MALLORY) as scene, connect(daemon, MALLORY) as login, connect(daemon, MALLORY) as late, \
            connect(daemon, VICTOR) as victor, connect(daemon, 0) as root:
        def told(connection):
            metrics = connection.call("org.scened.Manager.GetMetrics")["metrics"]
            return {metric["name"]: metric["value"] for metric in metrics}

        scene.send("ConnectScene", {"app": "notes"}, more=True)
        scene.reply()
        login.send("Login", {"app": "notes"}, more=True)
        assert login.reply()[0]["progress"]["state"] == "presenting"
        late.send("ConnectScene", {"app": "notes"}, more=True)
        with pytest.raises(CallFailed, match="QuotaExceeded"):
            late.reply()
        own, others, all_ = told(late), told(victor), told(root)
        assert [own[name] for name in held] == [1, 1, 3] and [others[name] for name in held] == [0, 0, 1]
        assert (own["scened.logins"], own["scened.quota_refusals"], own["scened.refusals"]) == (1, 1, 1)
        assert (others["scened.connections"], others["scened.calls"]) == (1, 1)
        happened = set(others) - {"scened.uptime", "scened.connections", "scened.calls", "scened.connections_open"}
        assert not any(others[name] for name in happened), others
        assert all(all_[name] >= own[name] for name in own) and all_["scened.connections_open"] == 5
        status = victor.call("org.scened.Manager.GetStatus")
        assert [status[name] for name in ("scenes", "accounts", "sessions", "logins", "restoredScenes")] == [0] * 5
        assert status["problems"] == [] and len(late.call("org.scened.Manager.GetStatus")["problems"]) == 1
