"""The durable changes of a session: what each of them stores, step by step, and what holds after it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from scene import CallFailed
from visitor import get, leave_screen

HOSTS = ["https://one.example"]


class Lost(Exception):
    """The daemon died, or the connection did, under the change: it may or may not have been done."""


@dataclass(frozen=True)
class Change:
    """`prepare(daemon)` makes what it starts from, `ready(daemon)` notes what is needed then, `act(daemon)` makes the
    change and gives the last reply.

    `commits` are the events of each step that is stored by itself. `complete(stage)` tells whether all of it is stored,
    where no event does. `holds(stage, complete)` checks what no event tells of, after the daemon was started anew.
    `last` are points at which all is over, where these may come later than the answer.
    """

    name: str
    act: Callable
    commits: list[list[str]]
    prepare: Callable = lambda daemon: None
    ready: Callable = lambda daemon: None
    holds: Callable = lambda stage, complete: None
    complete: Callable | None = None
    provider: dict = field(default_factory=dict)
    last: tuple[str, ...] = ()
    # Not so for what waits for no disk: it is answered before, and tried again some time.
    answered_when_stored: bool = True

    @property
    def events(self):
        return [kind for commit in self.commits for kind in commit]


def sign_in(daemon, user):
    """What a person with a browser does; the last reply of Login."""
    with daemon.connect(30) as connection:
        progress = None
        for reply in connection.stream("Login", app="notes", options={"loginHint": user}):
            progress = reply["progress"]
            if progress["state"] != "presenting":
                continue
            address = leave_screen(progress["loginScreen"])
            for _ in ("the login host", "the callback"):
                if not address:
                    raise Lost
                _, headers, _ = get(address)
                address = headers.get("Location")
        return progress


def users(*names):
    def prepare(daemon):
        for name in names:
            sign_in(daemon, name)
    return prepare


def account(daemon, user):
    return next(a["id"] for a in daemon.call("ListAccounts")["accounts"] if a["username"] == user)


def named(method, user):
    """A call about one of the accounts, whose identifier is found before anything is counted."""
    identifiers = {}

    def ready(daemon):
        identifiers[daemon] = account(daemon, user)
    return {"ready": ready, "act": lambda daemon: daemon.call(method, account=identifiers[daemon])}


# Tokens.

def refresh_current(daemon):
    return daemon.call("GetAccessToken", rejected=daemon.held_token)


def hold_token(daemon):
    daemon.held_token = daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"]


def refused_with(*names):
    """The refresh that is to end with one of these errors."""
    def act(daemon):
        try:
            refresh_current(daemon)
        except CallFailed as failure:
            if failure.name in names:
                return {"error": failure.name}
            raise
        raise AssertionError("the refresh should have failed")
    return act


def is_refreshed(stage):
    token = stage.daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"]
    return token != stage.daemon.held_token


def token_is_good(stage, complete):
    """The newest token is handed out; one that was lost on its way is fetched by one more refresh, with the newest
    refresh token that was stored."""
    daemon, provider = stage.daemon, stage.provider
    token = daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"]
    if stage.answer:
        assert token == stage.answer["token"]["value"], "another token was handed out than is stored"
    before = provider.refreshes
    fresh = daemon.call("GetAccessToken", rejected=daemon.held_token)["token"]["value"]
    assert provider.is_good(fresh) and provider.reused == []
    assert provider.refreshes - before == (0 if complete else 1)


def token_or_login_required(stage, complete):
    """At a host that takes no refresh token twice: where it has answered and the answer was not stored, there is one
    more try, and then a sign-in is required, for a reason of its own."""
    daemon, provider = stage.daemon, stage.provider
    if complete or provider.refreshes == 0:
        return token_is_good(stage, complete)
    asked = provider.refreshes
    try:
        daemon.call("GetAccessToken", rejected=daemon.held_token)
        raise AssertionError("a spent refresh token brought a token")
    except CallFailed as failure:
        assert failure.name == "InteractionRequired" and failure.parameters["reason"] == "refreshInterrupted", failure
    assert provider.refreshes == asked + 1
    assert daemon.call("ListAccounts")["accounts"][0]["state"] == "loginRequired"


def still_hands_out(stage, complete):
    """The token that still lives, whatever the account's state is."""
    assert stage.daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"] == stage.daemon.held_token


# Signing out.

def revoked(*names):
    def holds(stage, complete):
        stage.eventually(lambda: not stage.daemon.manager("ListRevocations")["revocations"], "no more revocations")
        for name in names:
            assert stage.provider.knows(name) != complete, f"{name}'s tokens: revoked must be who is signed out"
        # Who repeats it gets its result again.
        if complete and stage.signed_out:
            reply = stage.daemon.call("Logout", account=stage.signed_out)
            assert reply["result"]["account"]["username"] in names
    return holds


def revocation_is_kept(stage, complete):
    """The login host cannot be told now: the entry waits for its time."""
    queued = stage.daemon.manager("ListRevocations")["revocations"]
    assert len(queued) == (1 if complete else 0), queued
    assert stage.provider.knows("alice")


def replaced(stage, complete):
    stage.eventually(lambda: not stage.daemon.manager("ListRevocations")["revocations"], "no more revocations")
    token = stage.daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"]
    assert stage.provider.is_good(token)


def signed_in(stage, complete):
    if complete:
        token = stage.daemon.call("GetAccessToken", minimumValiditySeconds=0)["token"]["value"]
        assert stage.provider.is_good(token)


# Login hosts.

def has_host(stage):
    screen = stage.daemon.call("GetLoginScreen")["screen"]
    return HOSTS[0] in [host["url"] for host in screen["loginHosts"]]


def host_is_gone(stage, complete):
    assert has_host(stage) != complete


def host_call(method, url):
    return lambda daemon: daemon.call(method, url=url)


def calls(*methods):
    def prepare(daemon):
        for method in methods:
            method(daemon)
    return prepare


EMPTIED = ("ftruncate sessions.sqlite-wal #2",)
# The login page is kept no longer: its listener, and what belongs to it.
UNKEPT = ("send service-manager FDSTOREREMOVE #2",)
SIGN_IN = [["loginStarted"], ["loggedIn", "currentUserChanged", "loginEnded"]]

CHANGES = [
    Change("sign in", lambda daemon: sign_in(daemon, "alice"), SIGN_IN, holds=signed_in, last=UNKEPT),
    Change("sign in as one more", lambda daemon: sign_in(daemon, "bob"), SIGN_IN, users("alice"), holds=signed_in,
           last=UNKEPT),
    Change("sign in again", lambda daemon: sign_in(daemon, "alice"), [["loginStarted"], ["loggedIn", "loginEnded"], []],
           users("alice"), holds=replaced, last=(*UNKEPT, "ftruncate sessions.sqlite-wal #1")),
    Change("refresh", refresh_current, [[], []], users("alice"), hold_token, token_is_good,
           is_refreshed),
    Change("refresh, forgiven by nobody", refresh_current, [[], []], users("alice"), hold_token,
           token_or_login_required, is_refreshed, provider={"forgives": False}),
    Change("become degraded", refused_with("LoginHostUnavailable"), [[], ["accountChanged"]], users("alice"),
           hold_token, still_hands_out, provider={"instead": {"/token": (503, {})}}, answered_when_stored=False,
           last=("fdatasync sessions.sqlite-wal #3",)),
    Change("become loginRequired", refused_with("InteractionRequired"), [[], ["loginRequired"]], users("alice"),
           hold_token, provider={"instead": {"/token": (400, {"error": "invalid_grant"})}}),
    Change("switch", commits=[["currentUserChanged"]], prepare=users("alice", "bob"),
           **named("SwitchAccount", "alice")),
    Change("log out", commits=[["loggedOut", "currentUserChanged"], []], prepare=users("alice", "bob"),
           holds=revoked("bob"), last=EMPTIED, **named("Logout", "bob")),
    Change("log out to a choice", commits=[["loggedOut", "currentUserChanged", "selectionRequired"], []],
           prepare=users("alice", "bob", "carol"), holds=revoked("carol"), last=EMPTIED, **named("Logout", "carol")),
    Change("log out, host away", commits=[["loggedOut", "currentUserChanged", "loginRequired"], []],
           prepare=users("alice"), holds=revocation_is_kept, last=("fdatasync sessions.sqlite-wal #4",),
           provider={"instead": {"/revoke": (503, {})}}, **named("Logout", "alice")),
    Change("choose", commits=[["currentUserChanged"]],
           prepare=calls(users("alice", "bob", "carol"), lambda daemon: daemon.call("Logout")),
           **named("SwitchAccount", "alice")),
    Change("log all out", lambda daemon: daemon.call("LogoutAll"),
           [["loggedOut", "loggedOut", "currentUserChanged", "loginRequired"], [], []], users("alice", "bob"),
           holds=revoked("alice", "bob"), last=EMPTIED),
    Change("add a login host", host_call("AddLoginHost", HOSTS[0]), [[]], complete=has_host),
    Change("remove a login host", host_call("RemoveLoginHost", HOSTS[0]), [["loginHostChanged"]],
           calls(host_call("AddLoginHost", HOSTS[0]), host_call("SelectLoginHost", HOSTS[0])),
           holds=host_is_gone),
    Change("select a login host", host_call("SelectLoginHost", HOSTS[0]), [["loginHostChanged"]],
           host_call("AddLoginHost", HOSTS[0])),
    Change("lock", lambda daemon: daemon.call("Lock"), [["locked"]], users("alice")),
    Change("unlock", lambda daemon: daemon.call("Unlock"), [["unlocked"]],
           calls(users("alice"), lambda daemon: daemon.call("Lock"))),
]
