"""Varlink clients that we did not write list our interfaces, call methods, stream events and get our errors by name."""

import asyncio

import asyncvarlink
import pytest
import varlink
from asyncvarlink.serviceinterface import VarlinkServiceInterface

INTERFACES = {"org.varlink.service", "org.scened.Session", "org.scened.Manager"}


@pytest.fixture
def daemon(start, scripted):
    return start(notes=scripted)


@pytest.fixture
def client(daemon):
    return varlink.Client.new_with_address("unix:" + daemon.socket)


def test_varlink_lists_and_describes(client):
    assert set(client.get_interfaces()) == INTERFACES
    with client.open("org.varlink.service") as service:
        assert service.GetInfo()["product"].lower().startswith("scened")
    session = client.get_interface("org.scened.Session")
    assert "LoginIfRequired" in session.get_description()


def test_varlink_calls(client):
    with client.open("org.scened.Session") as session:
        reply = session.ListAccounts(app="notes")
        assert reply["accounts"] == [] and reply["at"]["epoch"]
        assert session.GetLoginScreen(app="notes")["screen"]["loginHosts"][0]["selected"] is True
    with client.open("org.scened.Manager") as manager:
        assert [app["name"] for app in manager.ListApps()["apps"]] == ["notes"]


def test_varlink_streams_events(client, daemon):
    with client.open("org.scened.Session") as session, client.open("org.scened.Session") as other:
        events = session.ConnectScene(app="notes", _more=True)
        first = next(events)["event"]
        assert first["kind"] == "snapshot" and first["scene"] and first["snapshot"]["accounts"] == []
        other.AddLoginHost(app="notes", url="https://login.example.org", label="Added")
        other.SelectLoginHost(app="notes", url="https://login.example.org")
        changed = next(events)["event"]
        while changed["kind"] != "loginHostChanged" or changed.get("loginHost") != "https://login.example.org":
            changed = next(events)["event"]
        assert changed["at"]["sequence"] > first["at"]["sequence"]


@pytest.mark.parametrize("method, arguments, error", [
    ("ListAccounts", {"app": "nowhere"}, "org.scened.Session.UnknownApp"),
    ("SwitchAccount", {"app": "notes", "account": "nobody"}, "org.scened.Session.UnknownAccount"),
    ("GetAccessToken", {"app": "notes"}, "org.scened.Session.NotSignedIn"),
    ("SelectLoginHost", {"app": "notes", "url": "https://elsewhere.example"}, "org.scened.Session.UnknownLoginHost"),
])
def test_varlink_gets_errors_by_name(client, method, arguments, error):
    with client.open("org.scened.Session") as session:
        with pytest.raises(varlink.VarlinkError) as raised:
            getattr(session, method)(**arguments)
    assert raised.value.error() == error
    # What an error is about comes with it.
    for value in [v for k, v in arguments.items() if v not in ("notes",)]:
        assert value in raised.value.parameters().values()


def test_varlink_standard_errors(client):
    with client.open("org.scened.Session") as session:
        with pytest.raises(varlink.VarlinkError) as raised:
            session.ConnectScene(app="notes")
        assert raised.value.error() == "org.varlink.service.ExpectedMore"
    # The Python client checks parameters against the description itself, so this one is written by hand.
    with client.open_connection() as connection:
        connection.sendall(b'{"method":"org.scened.Session.ListAccounts","parameters":{"app":"notes","apt":1}}\0'
                           b'{"method":"org.scened.Session.Nothing"}\0{"method":"org.nowhere.Nothing"}\0')
        received = b""
        while received.count(b"\0") < 3:
            received += connection.recv(65536)
    assert b"InvalidParameter" in received and b'"apt"' in received
    assert b"MethodNotFound" in received and b"InterfaceNotFound" in received


def with_asyncvarlink(daemon, use):
    async def run():
        transport, protocol = await asyncvarlink.connect_unix_varlink(
            asyncvarlink.VarlinkClientProtocol, daemon.socket)
        try:
            return await use(protocol)
        finally:
            transport.close()
    return asyncio.run(asyncio.wait_for(run(), 60))


def method_call(method, parameters, **flags):
    return asyncvarlink.VarlinkMethodCall("org.scened.Session." + method, parameters, **flags)


def test_asyncvarlink_lists_and_describes(daemon):
    async def use(protocol):
        service = protocol.make_proxy(VarlinkServiceInterface)
        return await service.GetInfo(), await service.GetInterfaceDescription(interface="org.scened.Session")
    info, description = with_asyncvarlink(daemon, use)
    assert set(info["interfaces"]) == INTERFACES
    assert "interface org.scened.Session" in description["description"]


def test_asyncvarlink_calls_and_gets_errors_by_name(daemon):
    async def use(protocol):
        reply, _ = await protocol.call(method_call("ListAccounts", {"app": "notes"}))
        refusal, _ = await protocol.call(method_call("ListAccounts", {"app": "nowhere"}))
        return reply, refusal
    reply, refusal = with_asyncvarlink(daemon, use)
    assert reply.error is None and reply.parameters["accounts"] == []
    assert refusal.error == "org.scened.Session.UnknownApp" and refusal.parameters == {"app": "nowhere"}


def test_asyncvarlink_streams_events(daemon, alice):
    async def use(protocol):
        kinds = []
        async for reply, _ in protocol.call_more(method_call("ConnectScene", {"app": "notes"}, more=True)):
            assert reply.continues
            kinds.append(reply.parameters["event"]["kind"])
            if len(kinds) == 1:
                asyncio.get_running_loop().run_in_executor(None, daemon.sign_in, alice)
            if "currentUserChanged" in kinds:
                return kinds
    kinds = with_asyncvarlink(daemon, use)
    assert kinds[0] == "snapshot" and "loggedIn" in kinds
