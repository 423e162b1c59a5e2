"""A daemon's state directory, looked at from outside; and what its daemon says of it."""

import os

import pytest
from scene import CallFailed
from scenes import eventually


def files(state):
    """Every file's content by its name; a directory has none."""
    found = {}
    for entry in os.scandir(state):
        if entry.is_file():
            with open(entry.path, "rb") as file:
                found[entry.name] = file.read()
    return found


def refused(daemon, *words, method="ListAccounts"):
    """A call is refused, with a reason that GetStatus and the journal have as well."""
    with pytest.raises(CallFailed) as failed:
        daemon.call(method)
    assert failed.value.name == "StorageUnavailable"
    reason = failed.value.parameters["reason"]
    assert all(word in reason for word in words), reason
    reported(daemon, reason)


def reported(daemon, problem):
    assert problem in daemon.manager("GetStatus")["problems"]
    # Written by a thread of its own.
    eventually(lambda: problem in daemon.stderr(), 10, f"{problem} in the journal")


def is_kept(before, state):
    """What was there is there, to the byte."""
    after = files(state)
    assert {name: after.get(name) for name in before} == before


def users(daemon):
    return [account["username"] for account in daemon.call("ListAccounts")["accounts"]]


def is_whole(daemon):
    """Alice is there, and her tokens; nothing is wrong, and one more change can be made."""
    daemon.manager("Reload")
    assert users(daemon) == ["alice"]
    assert daemon.manager("GetStatus")["problems"] == []
    assert daemon.call("GetAccessToken", rejected="none")["token"]["value"]
    daemon.call("Lock")
    daemon.call("Unlock")
