"""What scened is for, shown with real processes, a real OpenID provider and a real sign-in: see `run`."""

import os
import shutil
import signal
import sys
import tempfile
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "Tests", "acceptance"))
from daemon import Daemon  # noqa: E402
from provider import Provider  # noqa: E402
from scenes import eventually  # noqa: E402
from visitor import Visitor  # noqa: E402

COLOURS = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
NAMES = ["editor", "reader", "search"]


def paint(code, text):
    return f"\x1b[{code}m{text}\x1b[0m" if COLOURS else text


class Wrong(Exception):
    """Something did not go as it should."""


def headline(text):
    print(f"\n{paint('1', text)}", flush=True)


def tell(who, what, good=None):
    mark = {True: paint("32", "✓"), False: paint("31", "✗"), None: " "}[good]
    print(f"  {mark} {paint('36', who.ljust(10))} {what}", flush=True)


def expect(who, what, condition):
    tell(who, what, bool(condition))
    if not condition:
        raise Wrong(f"{who}: {what}")


class Window:
    """A scene with a name, and how far its events have been shown."""

    def __init__(self, daemon, name):
        self.name = name
        self.scene = daemon.scene("notes", "--title", name.title())
        self._shown = 0

    def show_up_to(self, at):
        """Print what this window was sent, up to a place in history."""
        self.scene.wait_cursor(at["sequence"])
        events = self.scene.events[self._shown:]
        self._shown += len(events)
        seen = ", ".join(filter(None, (describe(event) for event in events)))
        expect(self.name, f"saw {seen or 'nothing'}", self.is_whole())

    def is_whole(self):
        """Every event once, in order, without a hole."""
        sequences = [event["at"]["sequence"] for event in self.scene.events]
        return sequences == list(range(sequences[0], sequences[0] + len(sequences)))


def name_of(account):
    return account.get("username") or account["subject"] if account else "nobody"


def describe(event):
    kind = event["kind"]
    if kind in ("loggedIn", "accountChanged"):
        return f"{kind} {name_of(event['account'])}"
    if kind in ("loggedOut", "loginRequired"):
        return f"{kind} {name_of(event.get('account'))}".removesuffix(" nobody") + (
            f" ({event['reason']})" if event.get("reason") else "")
    if kind == "currentUserChanged":
        return f"{kind} {name_of(event.get('previous'))} → {name_of(event.get('current'))}"
    return {"snapshot": None, "resumed": None}.get(kind, kind)


def place(at):
    return f"{at['epoch'][:8]}:{at['sequence']}"


def sign_in(user, progress, provider):
    before = provider.authorizations()
    tell(user, "opens the login screen " + progress["loginScreen"].rsplit("/", 1)[0] + "/…")
    Visitor(user).sign_in(progress["loginScreen"])
    count = len(provider.authorizations() - before)
    expect("provider", f"had {count} authorization request", count == 1)


def show(windows):
    """What each window has seen of all that has happened by now."""
    now = windows[0].scene.call("ListAccounts", as_scene=False).wait()["at"]
    for window in windows:
        window.show_up_to(now)


def three_ask_at_once(windows, provider):
    headline("Three windows of one app ask for a sign-in at the same moment")
    calls = [window.scene.call("LoginIfRequired", more=True) for window in windows]
    first = [call.wait_progress("presenting", "waiting") for call in calls]
    names = {window.scene.id: window.name for window in windows}
    for window, progress in zip(windows, first):
        presents = progress["state"] == "presenting"
        tell(window.name, "is to present the login screen" if presents else
             f"waits for {names.get(progress.get('presenter'), 'another')}")
    presenting = [progress for progress in first if progress["state"] == "presenting"]
    expect("scened", "runs one login for the three", len(presenting) == 1)
    sign_in("alice", presenting[0], provider)
    for window, call in zip(windows, calls):
        progress = call.wait()["progress"]
        expect(window.name, f"is signed in as {name_of(progress['account'])}, from {place(progress['at'])} on",
               progress["state"] == "signedIn" and name_of(progress["account"]) == "alice")
    places = {place(call.progress[-1]["at"]) for call in calls}
    expect("scened", "named the same place in history to all", len(places) == 1)
    show(windows)
    return calls[0].progress[-1]["account"]


def use_token(window, provider, user, wanted, **parameters):
    token = window.scene.call("GetAccessToken", as_scene=False, **parameters).wait()["token"]
    status = provider.userinfo(token["value"])
    expect(window.name, f"uses a token of {user}'s at the provider: {status}", status == wanted)
    return token["value"]


def second_account(window, windows, provider):
    headline("A second account, from another window")
    call = window.scene.call("Login", more=True)
    progress = call.wait_progress("presenting")
    sign_in("bob", progress, provider)
    done = call.wait()["progress"]
    expect(window.name, f"is signed in as {name_of(done['account'])}", name_of(done["account"]) == "bob")
    show(windows)
    return done["account"]


def switch_back(window, windows, account):
    headline("A switch back")
    reply = window.scene.call("SwitchAccount", account=account["id"]).wait()
    expect(window.name, f"switched to {name_of(reply['account'])}", reply["account"]["id"] == account["id"])
    show(windows)


def log_out(window, windows, provider, account, token):
    headline("Alice signs out; Bob, who is left, becomes the current user")
    reply = window.scene.call("Logout", account=account["id"], reason="end of shift").wait()
    remote = reply["result"]["remote"]
    expect(window.name, f"signed {name_of(account)} out; at the provider: {remote}", remote == "revoked")
    show(windows)
    status = provider.userinfo(token)
    expect("provider", f"answers alice's token with {status}", status == 401)


def log_all_out(window, windows, daemon):
    headline("Everybody signs out")
    reply = window.scene.call("LogoutAll").wait()
    gone = [name_of(result["account"]) for result in reply["results"]]
    expect(window.name, f"signed out {', '.join(gone)}", gone == ["bob"])
    show(windows)
    expect("scened", "has nobody left and listens for no browser",
           daemon.call("ListAccounts")["accounts"] == [] and eventually(lambda: not daemon.listening_ports()))


def story(daemon, provider):
    windows = [Window(daemon, name) for name in NAMES]
    try:
        headline("Three windows connect, each a process of its own")
        for window in windows:
            first = window.scene.wait_event("snapshot")
            tell(window.name, f"process {window.scene.process.pid}, scene {first['scene'][:13]}, nobody signed in")
        editor, reader, search = windows
        alice = three_ask_at_once(windows, provider)
        token = use_token(editor, provider, "alice", 200)
        second_account(reader, windows, provider)
        switch_back(search, windows, alice)
        log_out(editor, windows, provider, alice, token)
        log_all_out(reader, windows, daemon)
    finally:
        for window in windows:
            window.scene.close()


def main():
    # No proxy of the user's environment stands between us and loopback.
    urllib.request.install_opener(urllib.request.build_opener(urllib.request.ProxyHandler({})))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(130))
    directory = tempfile.mkdtemp(prefix="scened-")
    provider = daemon = None
    try:
        print("Starting a local OpenID provider and a private scened …", flush=True)
        provider = Provider("dot")
        daemon = Daemon(directory, {"notes": provider.configuration()})
        daemon.start()
        story(daemon, provider)
        print(f"\n{paint('32;1', 'All went as it should.')}")
        return 0
    except (Wrong, AssertionError, OSError) as wrong:
        print(f"\n{paint('31;1', 'This went wrong:')} {wrong}", file=sys.stderr)
        if daemon and daemon.process:
            print(f"scened said:\n{daemon.stderr()[-4000:]}", file=sys.stderr)
        return 1
    finally:
        if daemon:
            daemon.close()
        if provider:
            provider.stop()
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
