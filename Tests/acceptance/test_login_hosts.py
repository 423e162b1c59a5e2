"""The login hosts of an app: the administrator's, the app's and the user's, and what a change of them does."""

import json
import os
import re

import pytest
from calls import Waiting, Watcher, authorize, kinds, place, same_for_all, sign_in
from descriptor_store import KeepingDaemon
from scene import CallFailed
from scene import call as call_once
from scenes import eventually
from scripted_idp import ScriptedProvider
from users import TRENT, VICTOR, connect
from visitor import get, leave_screen

MANAGED = "[LoginHost]\nURL=https://managed.example\nLabel=Managed\n"


@pytest.fixture
def other():
    """A second login host."""
    provider = ScriptedProvider()
    yield provider
    provider.stop()


def host_section(provider, label="Other"):
    return f"[LoginHost]\nURL={provider.issuer}\nLabel={label}\n"


def drop_in(daemon, text, app="notes", name="10-hosts"):
    directory = os.path.join(daemon.configuration, "apps.d", app + ".conf.d")
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name + ".conf"), "w") as file:
        file.write(text)


def hosts(daemon):
    """What the login screen lists: address, who set it, and whether it is selected."""
    screen = daemon.call("GetLoginScreen")["screen"]
    return [(host["url"], host["origin"], host["selected"]) for host in screen["loginHosts"]]


def refused(daemon, method, **parameters):
    with pytest.raises(CallFailed) as failure:
        daemon.call(method, **parameters)
    return failure.value.name


def changes(events):
    return [(e["previousLoginHost"], e["loginHost"]) for e in events if e["kind"] == "loginHostChanged"]


def test_the_administrators_come_first_and_may_be_all(start, scripted):
    daemon = start(notes=scripted)
    daemon.call("AddLoginHost", url="  own.example/ ", label="Own")
    daemon.call("SelectLoginHost", url="OWN.example")
    scene = Watcher(daemon)
    before = place(daemon)
    drop_in(daemon, MANAGED)
    daemon.manager("Reload")
    own, managed = "https://own.example", "https://managed.example"
    assert hosts(daemon) == [(managed, "managed", False), (scripted.issuer, "app", False), (own, "user", True)]
    for url in (managed, scripted.issuer):
        assert refused(daemon, "RemoveLoginHost", url=url) == "LoginHostNotRemovable"

    drop_in(daemon, "[App]\nOnlyAuthorizedLoginHosts=yes\n" + MANAGED)
    daemon.manager("Reload")
    assert hosts(daemon) == [(managed, "managed", True)]
    assert daemon.call("GetLoginScreen")["screen"]["canAddLoginHost"] is False
    assert refused(daemon, "AddLoginHost", url="more.example") == "AccessDenied"
    for method in ("SelectLoginHost", "RemoveLoginHost"):
        assert refused(daemon, method, url=own) == "UnknownLoginHost"
    assert refused(daemon, "Login", options={"loginHost": scripted.issuer}) == "UnknownLoginHost"
    assert changes(scene.until(grown_to(daemon, before + 1))) == [(own, managed)]
    scene.close()


def test_an_account_stays_with_its_host(start, scripted, other):
    """Whether its host is no longer selected, hidden, or removed."""
    scripted.lifetime = other.lifetime = 1
    daemon = start(notes=scripted)
    daemon.call("AddLoginHost", url=other.issuer)
    daemon.call("SelectLoginHost", url=other.issuer)
    guest = sign_in(daemon, "alice")
    daemon.call("RemoveLoginHost", url=other.issuer)
    own = sign_in(daemon, "bob")
    assert (guest["loginHost"], own["loginHost"]) == (other.issuer, scripted.issuer)
    drop_in(daemon, "[App]\nOnlyAuthorizedLoginHosts=yes\n" + MANAGED)
    daemon.manager("Reload")
    for account, host in ((guest, other), (own, scripted)):
        before = host.refreshes
        token = daemon.call("GetAccessToken", account=account["id"], minimumValiditySeconds=0)["token"]["value"]
        eventually(lambda: not host.is_good(token), what="the token ends")  # noqa: B023
        assert host.is_good(daemon.call("GetAccessToken", account=account["id"], rejected=token)["token"]["value"])
        assert host.refreshes > before
    assert daemon.call("Logout", account=guest["id"])["result"]["remote"] == "revoked" and other.revocations


# MARK: The configuration changes the selected one


def grown_to(daemon, sequence):
    """The history's end, when what is owed to it has been stored."""
    eventually(lambda: place(daemon) >= sequence, what=f"history reaches {sequence}")
    return place(daemon)


def test_a_reload_that_selects_another_is_told_once(start, scripted):
    app = scripted.configuration()
    daemon = start(notes=app + MANAGED)
    daemon.call("SelectLoginHost", url="managed.example")
    scenes = [Watcher(daemon) for _ in range(3)]
    for text, expected in (
            (app, [("https://managed.example", scripted.issuer)]),
            (app, []),
            # It is there again, and is the one that was chosen.
            (app + MANAGED, [(scripted.issuer, "https://managed.example")]),
            # What is broken leaves the app as it was.
            ("[App]\n", [])):
        before = place(daemon)
        daemon.configure("notes", text)
        daemon.manager("Reload")
        assert changes(same_for_all(scenes, grown_to(daemon, before + len(expected)))) == expected
        newcomer = Watcher(daemon)
        newcomer.close()
        assert newcomer.snapshot["loginHost"] == next(url for url, _, selected in hosts(daemon) if selected)
    for scene in scenes:
        scene.close()


def test_a_restart_with_another_configuration_is_told(directory, scripted):
    daemon = KeepingDaemon(f"{directory}/0", {"notes": scripted.configuration() + MANAGED})
    daemon.start()
    try:
        daemon.call("SelectLoginHost", url="managed.example")
        kept = Watcher(daemon)
        cursor = kept.at
        daemon.configure("notes", scripted.configuration())
        assert daemon.stop() == 0
        daemon.start()
        expected = [("https://managed.example", scripted.issuer)]
        assert changes(kept.until(grown_to(daemon, cursor["sequence"] + 1))) == expected
        late = Watcher(daemon, after=cursor)
        assert late.first["kind"] == "resumed" and changes(late.until(place(daemon))) == expected
        # And once only.
        assert daemon.stop() == 0
        daemon.start()
        assert place(daemon) == late.at["sequence"]
        kept.close()
        late.close()
    finally:
        assert daemon.close() == 0


# MARK: While a login is under way


@pytest.mark.parametrize("named", [True, False], ids=["a scene", "no scene"])
def test_the_login_of_who_chooses_goes_on_there(start, scripted, other, named):
    daemon = start(notes=scripted.configuration() + host_section(other))
    scene, watcher = Watcher(daemon), Watcher(daemon)
    call = Waiting(daemon, scene=scene.id if named else None)
    before = call.until("presenting")
    forged = authorize(before["authorizationUri"], "mallory")
    daemon.call("SelectLoginHost", url=other.issuer, **({"scene": scene.id} if named else {}))
    after = call.until("presenting")
    # The window that is open is good for it.
    assert after["loginScreen"] == before["loginScreen"]
    assert after["authorizationUri"].startswith(other.issuer)
    assert leave_screen(after["loginScreen"]) == after["authorizationUri"]
    assert get(forged)[0] >= 400
    assert call_once(daemon.socket, "HandleResponse", url=forged)["handled"] is False
    get(authorize(after["authorizationUri"], "alice"))
    account = call.end()["account"]
    assert (account["username"], account["loginHost"]) == ("alice", other.issuer)
    assert scripted.grants("mallory") == 0
    events = same_for_all([scene, watcher], place(daemon))
    assert kinds(events) == ["loginStarted", "loginHostChanged", "loggedIn", "currentUserChanged", "loginEnded"]
    for scene in (scene, watcher):
        scene.close()


def test_the_login_of_another_goes_on_where_it_is(start, scripted, other):
    daemon = start(notes=scripted.configuration() + host_section(other))
    scene, onlooker = Watcher(daemon), Watcher(daemon)
    call = Waiting(daemon, scene=scene.id)
    uri = call.until("presenting")["authorizationUri"]
    daemon.call("SelectLoginHost", url=other.issuer, scene=onlooker.id)
    assert daemon.scenectl("hosts", "select", scripted.issuer).returncode == 0
    assert daemon.scenectl("hosts", "select", other.issuer).returncode == 0
    get(authorize(uri, "alice"))
    assert call.end()["account"]["loginHost"] == scripted.issuer
    assert changes(same_for_all([scene, onlooker], place(daemon)))[-1][1] == other.issuer
    for scene in (scene, onlooker):
        scene.close()


def test_a_login_begins_again_at_a_host_with_its_own_redirect(start, scripted, other):
    own = host_section(other) + "RedirectURI=http://localhost/elsewhere\n"
    daemon = start(notes=scripted.configuration() + own)
    scene = Watcher(daemon)
    call = Waiting(daemon, scene=scene.id)
    before = call.until("presenting")
    for _ in range(2):
        daemon.call("SelectLoginHost", url=other.issuer, scene=scene.id)
        there = call.until("presenting")
        assert there["loginScreen"] == before["loginScreen"]
        daemon.call("SelectLoginHost", url=scripted.issuer, scene=scene.id)
        assert call.until("presenting")["loginScreen"] == before["loginScreen"]
    daemon.call("SelectLoginHost", url=other.issuer, scene=scene.id)
    callback = authorize(call.until("presenting")["authorizationUri"], "alice")
    assert "localhost" in callback and "/elsewhere" in callback
    get(callback)
    assert call.end()["account"]["loginHost"] == other.issuer
    eventually(lambda: not daemon.listening_ports(), what="the listeners closed")
    scene.close()


def test_a_host_that_is_not_there_ends_the_login(start, scripted):
    daemon = start(notes=scripted.configuration() + "[LoginHost]\nURL=http://127.0.0.1:9\n")
    scene = Watcher(daemon)
    call = Waiting(daemon, scene=scene.id)
    call.until("presenting")
    daemon.call("SelectLoginHost", url="http://127.0.0.1:9", scene=scene.id)
    assert call.error()[0] == "LoginHostUnavailable"
    eventually(lambda: not daemon.listening_ports(), what="the listener closed")
    scene.close()


# MARK: scenectl hosts


def test_scenectl_hosts(start, scripted):
    daemon = start(notes=scripted.configuration() + MANAGED)

    def listed():
        answer = daemon.scenectl("hosts", "list", "--json")
        assert answer.returncode == 0
        return [host["url"] for host in json.loads(answer.stdout)["screen"]["loginHosts"]]

    for _ in range(2):
        assert daemon.scenectl("hosts", "add", " Own.example ", "--label", "Own").returncode == 0
    assert listed() == [scripted.issuer, "https://managed.example", "https://own.example"]
    assert daemon.scenectl("hosts", "select", "own.example").returncode == 0
    table = daemon.scenectl("hosts", "list").stdout.splitlines()
    assert re.fullmatch(r"\*\s+Own\s+you\s+https://own\.example\s*", table[-1])
    # Of the user's, for good.
    assert daemon.stop() == 0
    daemon.start()
    assert hosts(daemon)[-1] == ("https://own.example", "user", True)
    refusal = daemon.scenectl("hosts", "remove", scripted.issuer)
    assert refusal.returncode == 77 and "only your own" in refusal.stderr
    assert daemon.scenectl("hosts", "remove", "own.example").returncode == 0
    assert hosts(daemon)[0] == (scripted.issuer, "app", True) and len(hosts(daemon)) == 2
    gone = daemon.scenectl("hosts", "remove", "own.example")
    assert gone.returncode == 1 and "is not a login host" in gone.stderr


@pytest.mark.parametrize("address", [
    "", "javascript:alert(1)", "file:///etc/passwd", "http://login.example.com", "<script>alert(1)</script>",
    "https://user@evil.example", "https://a.example/?q=1", "\x1b[31mred", "https://" + "a" * 5000,
])
def test_what_is_no_login_host(start, scripted, address):
    daemon = start(notes=scripted)
    assert refused(daemon, "AddLoginHost", url=address) == "InvalidLoginHost"
    answer = daemon.scenectl("hosts", "add", "--", address)
    assert answer.returncode in (1, 64) and "\x1b" not in answer.stderr
    assert [url for url, _, _ in hosts(daemon)] == [scripted.issuer]


def test_users_hosts_are_their_own(instance):
    daemon = instance()
    with connect(daemon, VICTOR) as victor, connect(daemon, TRENT) as trent:
        victor.call("AddLoginHost", app="notes", url="own.example", label="<b>Own</b>")
        victor.call("SelectLoginHost", app="notes", url="own.example")
        screens = [peer.call("GetLoginScreen", app="notes")["screen"]["loginHosts"] for peer in (victor, trent)]
    assert [[host["url"] for host in screen] for screen in screens] == [
        ["http://127.0.0.1:9", "https://own.example"], ["http://127.0.0.1:9"]]


def test_a_hundred_thousand_hosts(start, scripted):
    """In drop-ins, as a file has its limit: one fault, and nobody else is the worse for it."""
    daemon = start(notes=scripted, mail=scripted)
    for part in range(10):
        drop_in(daemon, "".join(f"[LoginHost]\nURL=https://h{part}-{n}.example\n" for n in range(10_000)),
                name=str(part))
    daemon.manager("Reload")
    problems = {app["name"]: app["problems"] for app in daemon.manager("ListApps")["apps"]}
    assert problems["mail"] == [] and len(problems["notes"]) == 1
    assert re.search(r"0\.conf:\d+: an app has 1000 \[LoginHost\] sections at the most", problems["notes"][0])
    # It keeps what it had.
    assert hosts(daemon) == [(scripted.issuer, "app", True)]
