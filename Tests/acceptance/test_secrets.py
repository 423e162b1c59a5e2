"""No secret is where it does not belong, and the database is of no use without its key."""

import base64
import contextlib
import os
import resource
import shutil
import signal
import sqlite3
import subprocess

import pytest
from daemon import SCENECTL
from scene import CallFailed
from scenes import eventually
from visitor import Visitor


def forms(secret):
    """A secret as it would look raw, in hex and in base64, wherever in a longer text it starts."""
    raw = secret if isinstance(secret, bytes) else secret.encode()
    yield raw
    yield raw.hex().encode()
    yield raw.hex().upper().encode()
    for shift in range(3):
        text = base64.b64encode(b"\0" * shift + raw)
        # The characters at the ends depend on the neighbours too.
        middle = text[(4 if shift else 0):-4]
        yield middle
        yield middle.translate(bytes.maketrans(b"+/", b"-_"))


def occurrences(secrets, content, where):
    return [f"{where}: {secret[:6]!r}…" for secret in secrets if secret for form in forms(secret) if form in content]


def files(directory):
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    yield path, file.read()


def is_key(path):
    return path.endswith((".key", "/key"))


@pytest.fixture
def used(start, scripted):
    """A daemon that has had much to do with secrets."""
    daemon = start(notes=scripted)
    for user in ("alice", "bob"):
        account = daemon.sign_in(Visitor(user), loginHint=user)
    token = daemon.call("GetAccessToken")["token"]["value"]
    daemon.call("GetAccessToken", rejected=token)
    daemon.call("GetIdentity")
    daemon.call("Logout", account=account["id"])
    with pytest.raises(CallFailed):
        daemon.call("GetAccessToken", account=account["id"])
    return daemon


def test_none_in_the_journal(used, scripted):
    used.scenectl("status")
    assert used.stop() == 0
    assert len(scripted.secrets) > 8
    assert occurrences(scripted.secrets, used.stderr().encode(), "stderr") == []
    told = "\n".join(used.notifications).encode()
    assert occurrences(scripted.secrets, told, "what the service manager is told") == []


def test_none_in_the_state(used, scripted):
    databases = [path for path, content in files(used.state) if content.startswith(b"SQLite format 3")]
    assert databases
    found = [o for path, content in files(used.state) for o in occurrences(scripted.secrets, content, path)]
    assert used.stop() == 0
    found += [o for path, content in files(used.state) for o in occurrences(scripted.secrets, content, path)]
    assert found == []
    keys = [content for path, content in files(used.state) if is_key(path)]
    assert len(keys) == 1
    assert not [o for path, content in files(used.state) if not is_key(path) for o in occurrences(keys, content, path)]
    for folder, _, names in os.walk(used.state):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            assert os.stat(path).st_mode & 0o077 == 0, f"{path} is open to others"


def sealed(state):
    """All that stands sealed in the database's tables."""
    (database,) = [path for path, content in files(state) if content.startswith(b"SQLite format 3")]
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        tables = [name for name, in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {value for table in tables for row in connection.execute(f'SELECT * FROM "{table}"')
                for value in row if isinstance(value, bytes) and len(value) >= 40}


def test_what_is_revoked_is_erased(start, scripted, alice):
    """Not even the sealed form of a token stays behind a logout."""
    daemon = start(notes=scripted)
    account = daemon.sign_in(alice)
    before = sealed(daemon.state)
    assert daemon.call("Logout", account=account["id"])["result"]["remote"] == "revoked"
    eventually(lambda: daemon.manager("ListRevocations")["revocations"] == [], what="nothing left to revoke")
    assert daemon.stop() == 0
    gone = before - sealed(daemon.state)
    assert len(gone) >= 3, "the tokens"
    assert [path for path, content in files(daemon.state) for blob in gone if blob[:40] in content] == []


def test_none_in_arguments_or_environment(used, scripted, directory):
    trace = f"{directory}/trace"
    shown = set()
    for arguments in (["token"], ["token", "--json"], ["accounts"], ["status", "--json"], ["watch"]):
        try:
            shown.add(subprocess.run(
                ["strace", "-f", "-v", "-s", "1000000", "-e", "trace=execve,execveat", "-o", trace, SCENECTL,
                 *arguments, "--socket", used.socket, "--app", "notes"],
                env=used.environment, capture_output=True, text=True, timeout=3 if "watch" in arguments else 30).stdout)
        except subprocess.TimeoutExpired:
            pass
        with open(trace, "rb") as file:
            content = file.read()
        assert b"execve(" in content
        assert occurrences(scripted.secrets, content, " ".join(arguments)) == []
    # It did have its hands on one.
    assert used.call("GetAccessToken")["token"]["value"] in "".join(shown)
    with open(f"/proc/{used.process.pid}/environ", "rb") as environ, open(f"/proc/{used.process.pid}/cmdline",
                                                                          "rb") as cmdline:
        assert occurrences(scripted.secrets, environ.read() + cmdline.read(), "scened") == []


def test_none_in_a_core_dump(used, scripted, directory):
    """Neither by its own crash nor through a debugger of the same user."""
    assert used.call("GetAccessToken")["token"]["value"] in scripted.secrets
    control = subprocess.Popen(["sleep", "60"], cwd=directory)
    for process in (control, used.process):
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    # What a process lets its own user see is root's once it lets nobody.
    assert os.stat(f"/proc/{used.process.pid}/mem").st_uid == 0
    dumped = []
    for process in (control, used.process):
        os.kill(process.pid, signal.SIGABRT)
        _, status = os.waitpid(process.pid, 0)
        process.returncode = -os.WTERMSIG(status)
        dumped.append(os.WCOREDUMP(status))
    assert dumped == [True, False]
    used.start()
    assert used.call("ListAccounts")["current"]


@pytest.mark.parametrize("key", ["missing", "another"])
def test_the_database_without_its_key(used, key):
    token = used.call("GetAccessToken")["token"]["value"]
    used.stop()
    (path,) = [path for path, _ in files(used.state) if is_key(path)]
    shutil.copy2(path, used.directory + "/key")
    if key == "missing":
        os.unlink(path)
    else:
        with open(path, "r+b") as file:
            content = bytearray(file.read())
            # Another byte of the same alphabet, should it have one.
            content[3] = content[4] if content[3] != content[4] else content[5]
            file.seek(0)
            file.write(content)
    used.start()
    for method in ("GetAccessToken", "GetIdentity"):
        with pytest.raises(CallFailed) as failure:
            used.call(method)
        assert failure.value.name == "StorageUnavailable"
    status = used.manager("GetStatus")
    assert status["problems"]
    used.stop()
    # Nothing was lost over it.
    shutil.copy2(used.directory + "/key", path)
    used.start()
    assert used.call("GetAccessToken")["token"]["value"] == token
