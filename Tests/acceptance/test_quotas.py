"""What one Unix user may hold of the machine's scened, and that others do not notice who wants more."""

import array
import contextlib
import json
import os
import shutil
import socket
import subprocess

import pytest
from daemon import SCENECTL
from descriptor_store import KeepingDaemon
from scene import CallFailed
from scenes import eventually
from users import APP, MALLORY, TRENT, VICTOR, acting_as, connect, quota

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as several users")

@pytest.fixture
def opened():
    with contextlib.ExitStack() as stack:
        yield lambda daemon, uid, count=1: [stack.enter_context(connect(daemon, uid)) for _ in range(count)]


def refusal(connection):
    """What the connection is refused for, after which it ends."""
    with pytest.raises(CallFailed) as failure:
        connection.reply()
    assert failure.value.name == "QuotaExceeded"
    return failure.value.parameters["resource"], failure.value.parameters["limit"]


def ended(connection):
    try:
        return connection.socket.recv(1 << 16) == b""
    except ConnectionResetError:
        return True


def served(connection):
    connection.call("ListAccounts", app="notes")
    return True


def others_are_served(daemon):
    with connect(daemon, VICTOR) as victor, connect(daemon, 0) as root:
        return served(victor) and served(root)


def held(daemon):
    metrics = daemon.manager("GetMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics}


def test_too_many_connections(instance, opened):
    daemon = instance(Connections=20)
    first, *_ = opened(daemon, MALLORY, 20)
    for _ in range(5):
        [late] = opened(daemon, MALLORY)
        assert refusal(late) == ("connections", 20) and ended(late)
    assert served(first) and others_are_served(daemon)
    [problem] = daemon.manager("GetStatus")["problems"]
    assert problem == f"uid {MALLORY} was refused 5 times: at most 20 connections"
    with connect(daemon, VICTOR) as victor:
        assert victor.call("org.scened.Manager.GetStatus")["problems"] == []
    assert held(daemon)["scened.quota_refusals"] == 5
    if not os.path.exists("/run/systemd/journal/socket"):
        assert daemon.stderr().count("Refused uid") == 1
    first.close()
    eventually(lambda: held(daemon)["scened.connections_open"] == 20, 10, "19 of the user, and the one that asks")
    assert served(opened(daemon, MALLORY)[0])


def test_scenectl_tells_what_to_do(instance, opened):
    daemon = instance(Connections=1)
    opened(daemon, MALLORY)
    # Where the sources are may be closed to other users.
    program = shutil.copy(SCENECTL, daemon.directory)
    with acting_as(MALLORY):
        refused = subprocess.run(
            [program, "status"], env=daemon.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60)
    assert refused.returncode == 75 and "1 connections at the most" in refused.stderr, refused


def test_a_new_limit_counts_for_what_comes_next(instance, opened):
    daemon = instance(Connections=5)
    early = opened(daemon, MALLORY, 5)
    daemon.set(quota(Connections=3))
    daemon.manager("Reload")
    assert all(served(connection) for connection in early)
    assert refusal(*opened(daemon, MALLORY)) == ("connections", 3)
    daemon.set(quota(Connections=7))
    daemon.manager("Reload")
    assert all(served(connection) for connection in opened(daemon, MALLORY, 2))
    daemon.set(quota(Connections="many"))
    daemon.manager("Reload")
    assert "Connections= is a number from 1 up" in daemon.manager("GetStatus")["problems"][0]
    assert refusal(*opened(daemon, MALLORY)) == ("connections", 7)


def test_messages_that_never_end(instance, opened):
    daemon = instance(Bytes="3M")
    part = json.dumps({"method": "org.varlink.service.GetInfo", "x": "x" * 1_000_000}).encode()
    connections = opened(daemon, MALLORY, 3)
    for connection in connections:
        connection.socket.sendall(part)
    [late] = opened(daemon, MALLORY)
    # 145,728 bytes are left.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        late.socket.sendall(part)
    assert refusal(late) == ("bytes", 3 << 20) and ended(late)
    assert others_are_served(daemon)
    # What is complete is answered, and what was held is given back.
    for connection in connections:
        connection.socket.sendall(b"\0")
        assert connection.reply()[0]["vendor"] == "scened"
    [late] = opened(daemon, MALLORY)
    late.socket.sendall(part + b"\0")
    assert late.reply()[0]["vendor"] == "scened"
    # Nobody may send one without end, whatever their share.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for _ in range(4):
            late.socket.sendall(b"x" * (1 << 20))
    assert ended(late)


def test_answers_that_nobody_reads(instance, opened):
    daemon = instance(Bytes="1M")
    ask = json.dumps({
        "method": "org.varlink.service.GetInterfaceDescription",
        "parameters": {"interface": "org.scened.Session"}}).encode() + b"\0"
    deaf = opened(daemon, MALLORY, 30)
    for connection in deaf:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.socket.sendall(ask * 100)
    eventually(lambda: held(daemon)["scened.quota_refusals"] >= 20, 20, "the refusal of what does not fit")
    assert others_are_served(daemon)
    # One that reads what it asks for is served all along.
    [good] = opened(daemon, MALLORY)
    assert all(served(good) for _ in range(100))
    for connection in deaf:
        connection.close()
    eventually(lambda: held(daemon)["scened.connections_open"] == 2, 10, "the end of the connections")


def test_calls_that_hold_much(instance, opened, scripted):
    daemon = instance({"notes": scripted.configuration()}, Bytes="3M")
    large = {"more": True, "x": "x" * 1_000_000}
    for connection in opened(daemon, MALLORY, 3):
        connection.send("LoginIfRequired", {"app": "notes"}, **large)
        assert connection.reply()[0]["progress"]["state"] in ("waiting", "presenting")
    [late] = opened(daemon, MALLORY)
    with contextlib.suppress(ConnectionError):
        late.send("LoginIfRequired", {"app": "notes"}, **large)
    assert refusal(late) == ("bytes", 3 << 20) and ended(late) and others_are_served(daemon)
    with opened(daemon, MALLORY)[0] as good:
        assert served(good)


def test_too_many_calls(instance, opened, scripted):
    daemon = instance({"notes": scripted.configuration()}, Calls=4)
    waiting = opened(daemon, MALLORY, 4)
    for connection in waiting:
        connection.send("LoginIfRequired", {"app": "notes"}, more=True)
        connection.reply()
    [late] = opened(daemon, MALLORY)
    assert late.socket and others_are_served(daemon)
    late.send("ListAccounts", {"app": "notes"})
    assert refusal(late) == ("calls", 4)
    # The connection is none the worse for it.
    waiting[0].close()
    eventually(lambda: held(daemon)["scened.connections_open"] == 5, 10, "the end of one waiting call")
    assert served(late)


def test_too_many_scenes(instance, opened):
    daemon = instance(Scenes=3)
    scenes = opened(daemon, MALLORY, 3)
    events = [next(scene.stream("ConnectScene", app="notes", scene=f"s{number}"))
              for number, scene in enumerate(scenes)]
    assert all(event["event"]["kind"] == "snapshot" for event in events)
    [late] = opened(daemon, MALLORY)
    late.send("ConnectScene", {"app": "notes"}, more=True)
    assert refusal(late) == ("scenes", 3)
    # One that comes back is not one more.
    assert next(late.stream("ConnectScene", app="notes", scene="s1"))["event"]["scene"] == "s1"
    assert ended(scenes[1]) and others_are_served(daemon)
    with connect(daemon, VICTOR) as victor:
        assert next(victor.stream("ConnectScene", app="notes"))["event"]["kind"] == "snapshot"


def test_too_many_logins(instance, opened, scripted):
    daemon = instance({"notes": scripted.configuration(), "mail": scripted.configuration("mail")}, Logins=1)
    first, second, watching = opened(daemon, MALLORY, 3)
    history = watching.stream("ConnectScene", app="mail")
    next(history)
    first.send("Login", {"app": "notes"}, more=True)
    while first.reply()[0]["progress"]["state"] != "presenting":
        pass
    second.send("Login", {"app": "mail"}, more=True)
    assert refusal(second) == ("logins", 1)
    kinds = [next(history)["event"] for _ in range(2)]
    assert [event["kind"] for event in kinds] == ["loginStarted", "loginEnded"]
    assert kinds[1]["reason"] == "quotaExceeded"
    # Another user's login is another matter.
    [other] = opened(daemon, VICTOR)
    other.send("Login", {"app": "mail"}, more=True)
    assert other.reply()[0]["progress"]["state"] == "presenting"
    opened(daemon, MALLORY)[0].call("CancelLogin", app="notes")
    second.send("Login", {"app": "mail"}, more=True)
    assert second.reply()[0]["progress"]["state"] == "presenting"


def test_kept_scenes_are_charged(directory):
    daemon = KeepingDaemon(f"{directory}/0", {"notes": APP}, quota(Scenes=2)).start()
    try:
        with daemon.scene() as one, daemon.scene() as two:
            assert one.id != two.id
            daemon.stop()
            daemon.start()
            assert daemon.manager("GetStatus")["restoredScenes"] == 2
            with daemon.connect() as late:
                late.send("ConnectScene", {"app": "notes"}, more=True)
                assert refusal(late) == ("scenes", 2)
                two.close()
                eventually(lambda: daemon.manager("GetStatus")["scenes"] == 1, 10, "the end of a scene")
                assert next(late.stream("ConnectScene", app="notes"))["event"]["kind"] == "snapshot"
    finally:
        assert daemon.close() == 0, daemon.stderr()


def test_root_gets_in_when_all_descriptors_are_taken(instance, opened):
    daemon = instance(descriptors=256)
    # Of 256, 32 are the daemon's own and 8 root's; one user of several gets half of the rest.
    for uid in (MALLORY, VICTOR):
        crowd = opened(daemon, uid, 108)
        assert refusal(*opened(daemon, uid)) == ("connections", 108)
        assert served(crowd[-1])
    assert refusal(*opened(daemon, TRENT)) == ("descriptors", 216)
    status = daemon.scenectl("status")
    assert status.returncode == 0 and f"uid {TRENT} was refused 1 times" in status.stdout, status


def test_a_byte_at_a_time_and_a_half_closed_socket(instance, opened):
    daemon = instance()
    call = json.dumps({"method": "org.scened.Session.ListAccounts", "parameters": {"app": "notes"}}).encode() + b"\0"
    slow, half = opened(daemon, MALLORY, 2)
    for byte in call[:-1]:
        slow.socket.sendall(bytes([byte]))
    assert others_are_served(daemon)
    slow.socket.sendall(call[-1:])
    assert slow.reply()[0]["accounts"] == []
    half.socket.sendall(call)
    half.socket.shutdown(socket.SHUT_WR)
    assert half.reply()[0]["accounts"] == [] and ended(half)


def test_a_thousand_calls_at_once(instance, opened):
    daemon = instance(Calls=1)
    [busy] = opened(daemon, MALLORY)
    calls = [{"method": "org.scened.Session." + ("ListAccounts" if number % 2 else "GetLoginScreen"),
              "parameters": {"app": "notes"}} for number in range(1000)]
    busy.socket.setblocking(False)
    rest = b"".join(json.dumps(call).encode() + b"\0" for call in calls)
    answers = 0
    while answers < len(calls):
        with contextlib.suppress(BlockingIOError):
            rest = rest[busy.socket.send(rest):] if rest else rest
        with contextlib.suppress(BlockingIOError):
            while True:
                reply = busy.reply()[0]
                assert ("accounts" if answers % 2 else "screen") in reply
                answers += 1
    assert others_are_served(daemon)


def test_descriptors_that_nobody_asked_for(instance, opened):
    daemon = instance()
    [connection] = opened(daemon, MALLORY)
    assert served(connection)
    before = len(os.listdir(f"/proc/{daemon.process.pid}/fd"))
    call = json.dumps({"method": "org.varlink.service.GetInfo"}).encode() + b"\0"
    for _ in range(50):
        reading, writing = os.pipe()
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [writing] * 10))
        # Linux 6.16 and later refuses them.
        with contextlib.suppress(PermissionError):
            connection.socket.sendmsg([call], [rights])
            assert connection.reply()[0]["vendor"] == "scened"
        os.close(writing)
        assert os.read(reading, 1) == b""
        os.close(reading)
    assert len(os.listdir(f"/proc/{daemon.process.pid}/fd")) == before
    assert served(connection)
