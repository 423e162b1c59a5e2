"""State that is damaged, or too new: reported, kept as it is, and the rest goes on."""

import contextlib
import os
import sqlite3

import pytest
from durable_changes import sign_in
from scene import CallFailed
from state_files import files, is_kept, is_whole, refused, reported, users


@pytest.mark.parametrize("length", [0, 1, 50, 100, 512, 4096, 5000, 20_000, 40_000])
@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_a_truncated_database(signed_in, state, length, killed):
    daemon = signed_in
    daemon.start()
    daemon.call("Lock")
    if killed:
        daemon.kill()
    else:
        assert daemon.stop() == 0
    os.truncate(f"{state}/sessions.sqlite", length)
    set_aside_or_whole(daemon, state)


@pytest.mark.parametrize("offset", [0, 30, 100, 4096, 5 * 4096, 8 * 4096])
def test_an_overwritten_page(signed_in, state, offset):
    with open(f"{state}/sessions.sqlite", "rb+") as file:
        file.seek(offset)
        file.write(b"\x5a" * 2000)
    set_aside_or_whole(signed_in, state)


@pytest.mark.parametrize("content", [b"\0" * 8192, b"not a database\n" * 400, os.urandom(20_000)],
                         ids=["zeros", "text", "noise"])
def test_what_is_no_database(signed_in, state, content):
    with open(f"{state}/sessions.sqlite", "wb") as file:
        file.write(content)
    set_aside_or_whole(signed_in, state)


def set_aside_or_whole(daemon, state):
    """What is damaged is kept to the byte, and told; what is whole in spite of all is used. Either way it goes on."""
    before = files(state)
    daemon.start()
    problems = daemon.manager("GetStatus")["problems"]
    after = files(state)
    if users(daemon) == ["alice"] and not problems:
        assert not any("damaged" in name for name in after)
    elif before["sessions.sqlite"] or "sessions.sqlite-wal" in before:
        (problem,) = problems
        name = min(name for name in after if name.startswith("sessions.sqlite.damaged-"))
        assert name in problem
        reported(daemon, problem)
        assert after[name] == before["sessions.sqlite"]
        if "sessions.sqlite-wal" in before:
            assert after[name + "-wal"] == before["sessions.sqlite-wal"]
    assert after["key"] == before["key"]
    daemon.call("Unlock")
    sign_in(daemon, "carol")
    kept = users(daemon)
    assert daemon.stop() == 0
    daemon.start()
    assert users(daemon) == kept and "carol" in kept
    assert daemon.manager("GetStatus")["problems"] == []


def test_a_newer_schema(signed_in, state):
    path = f"{state}/sessions.sqlite"
    version = set_version(path, 99)
    before = files(state)
    daemon = signed_in.start()
    refused(daemon, "newer scened", "99")
    is_kept(before, state)
    set_version(path, version)
    is_whole(daemon)


def set_version(path, version):
    """The version before."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        [(former,)] = database.execute("PRAGMA user_version")
        database.execute(f"PRAGMA user_version = {version}")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return former


def test_an_account_that_cannot_be_read(signed_in, scripted, state):
    """Its row stays, and the others are there."""
    daemon = signed_in.start()
    sign_in(daemon, "bob")
    assert daemon.stop() == 0
    query = "SELECT id, refresh_token FROM accounts ORDER BY number"
    with contextlib.closing(sqlite3.connect(f"{state}/sessions.sqlite")) as database:
        rows = database.execute(query).fetchall()
        broken = rows[0][1][:-1] + bytes([rows[0][1][-1] ^ 1])
        database.execute("UPDATE accounts SET refresh_token = ? WHERE id = ?", (broken, rows[0][0]))
        database.commit()
    daemon.start()
    (problem,) = daemon.manager("GetStatus")["problems"]
    assert rows[0][0] in problem
    reported(daemon, problem)
    assert users(daemon) == ["bob"]
    assert scripted.is_good(daemon.call("GetAccessToken", rejected="none")["token"]["value"])
    sign_in(daemon, "carol")
    assert daemon.stop() == 0
    with contextlib.closing(sqlite3.connect(f"{state}/sessions.sqlite")) as database:
        assert (rows[0][0], broken) in database.execute(query).fetchall()


def test_emptied_while_it_runs(signed_in, state):
    """Another program has cut the database under it: no crash, no hang, and the next start tells."""
    daemon = signed_in.start()
    os.truncate(f"{state}/sessions.sqlite", 0)
    for method in ("Lock", "Unlock", "LogoutAll"):
        with contextlib.suppress(CallFailed):
            daemon.call(method)
    assert daemon.manager("GetStatus")["version"]
    assert daemon.stop() == 0
    daemon.start()
    sign_in(daemon, "carol")
    assert "carol" in users(daemon)
