"""leaks.py SCENED [--refreshes N] [--only memory|valgrind]: what refreshes leave behind in the daemon's memory."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tests", "acceptance"))

from answering_idp import Answer, AnsweringProvider  # noqa: E402

# Of the daemon's memory, as pages come and go: more than this between the first tenth and the end is a leak.
TOLERATED_KIB = 1024
# Of its heap, bytes: a leak of two bytes for each of the other refreshes is more.
TOLERATED_HEAP = 16 * 1024
# How long the daemon may take to start and to answer, seconds: valgrind is slow, and so may the machine be.
PATIENCE = 300


def memory(pid):
    """What is the process's own, KiB."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith(("Private_Clean", "Private_Dirty")))


def drive(daemon, provider, refreshes, look):
    """One refresh after another, as a resource that refuses each token would have it; `look` after each tenth."""
    with daemon.connect(PATIENCE) as connection:
        token = connection.call("GetAccessToken", app="notes")["token"]["value"]
        for number in range(1, refreshes + 1):
            before, token = token, connection.call("GetAccessToken", app="notes", rejected=token)["token"]["value"]
            assert token != before
            if number % (refreshes // 10) == 0:
                look(number)
    assert provider.refreshes == refreshes and provider.reused == []


def measured(daemon, provider, refreshes):
    """The daemon as it is: its memory on the way. Whether it stays as it is."""
    seen = []

    def look(number):
        seen.append(memory(daemon.process.pid))
        print(f"  after {number:6} refreshes: {seen[-1]:6} KiB")

    drive(daemon, provider, refreshes, look)
    grown = seen[-1] - seen[0]
    print(f"memory: {grown:+} KiB from refresh {refreshes // 10} to {refreshes} (at most {TOLERATED_KIB})")
    return grown <= TOLERATED_KIB


def drop(asked):
    raise ConnectionAbortedError


TROUBLES = (
    drop, lambda asked: Answer(429, "", Retry_After="60"), lambda asked: Answer(500, "<html>", Content_Type="text/html"),
    lambda asked: Answer(200, '{"access_token": '), lambda asked: Answer(400, {"error": "invalid_grant"}),
    lambda asked: Answer(200, {"access_token": "a", "token_type": "Bearer", "id_token": "eyJhbGciOiJSUzI1NiJ9.e30.c2ln"}),
)


def lost(pid):
    """What memcheck finds now, while all that is in use is still pointed to: bytes by kind, with `heap` for all that is
    allocated, and its text."""
    text = subprocess.run(["vgdb", f"--pid={pid}", "leak_check", "full", "definiteleak", "any"], check=True,
                          capture_output=True, text=True, timeout=PATIENCE).stdout
    found = {kind: int(count.replace(",", "")) for kind, count in
             re.findall(r"(definitely|indirectly|possibly|still|suppressed)(?: lost| reachable)?: ([\d,]+) bytes", text)}
    assert len(found) == 5, text
    return {"heap": sum(found.values()), **found}, text


def checked(daemon, provider, refreshes, log):
    """The daemon under valgrind: whether nothing was lost, and nothing read that was not there."""
    from calls import sign_in
    from scene import CallFailed

    heap = []

    def look(number):
        found, _ = lost(daemon.process.pid)
        heap.append(found["heap"])
        print(f"  after {number:6} refreshes: {found['heap']} bytes, definitely lost {found['definitely']}", flush=True)

    drive(daemon, provider, refreshes, look)
    # And what a login, a refresh that comes to nothing and a logout leave behind.
    for number in range(20):
        account = sign_in(daemon, f"user{number}")["id"]
        token = daemon.call("GetAccessToken", account=account)["token"]["value"]
        provider.faults["token"] = list(TROUBLES)[number % len(TROUBLES)]
        try:
            daemon.call("GetAccessToken", account=account, rejected=token)
            raise AssertionError("no trouble")
        except CallFailed:
            del provider.faults["token"]
        daemon.call("Logout", account=account)
    found, text = lost(daemon.process.pid)
    # What is left at the very end is the one loop and what hangs on it.
    assert daemon.stop(PATIENCE) == 0, daemon.stderr()
    with open(log) as file:
        said = file.read()
    errors = [line for line in said.splitlines() if re.search("== (Invalid|Conditional|Use of|Syscall param|Mismatched)", line)]
    grown = heap[-1] - heap[0]
    print(f"valgrind: definitely lost: {found['definitely']} bytes, indirectly lost: {found['indirectly']} bytes; "
          f"heap {grown:+} bytes from refresh {refreshes // 10} to {refreshes} (at most {TOLERATED_HEAP}); "
          f"{len(errors)} other errors")
    good = not errors and not found["definitely"] and not found["indirectly"] and grown <= TOLERATED_HEAP
    if not good:
        print(text, said)
    return good


def run(name, program, body, refreshes):
    with tempfile.TemporaryDirectory(prefix="scened-") as directory:
        os.makedirs(f"{directory}/bin")
        with open(f"{directory}/bin/scened", "w") as script:
            script.write(f'#!/bin/sh\nexec {program.format(log=directory + "/valgrind")} "$@"\n')
        os.chmod(f"{directory}/bin/scened", 0o755)
        os.environ["SCENED_BIN"] = f"{directory}/bin"
        for module in ("daemon", "calls"):
            sys.modules.pop(module, None)
        from calls import sign_in
        from daemon import Daemon
        provider = AnsweringProvider()
        daemon = Daemon(f"{directory}/daemon", {"notes": provider.configuration()})
        daemon.wait_notified = lambda *arguments, wait=daemon.wait_notified: wait(*arguments, timeout=PATIENCE)
        try:
            daemon.start()
            sign_in(daemon, "alice")
            began = time.monotonic()
            print(f"{name}:", flush=True)
            good = body(daemon, provider, refreshes, *([f"{directory}/valgrind"] if body is checked else []))
            print(f"  in {time.monotonic() - began:.0f} s", flush=True)
            return good
        finally:
            daemon.close()
            provider.stop()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("scened")
    parser.add_argument("--refreshes", type=int, default=10_000)
    parser.add_argument("--only", choices=["memory", "valgrind"])
    arguments = parser.parse_args()
    if arguments.refreshes < 10:
        parser.error("--refreshes is at least 10")
    suppressions = os.path.join(os.path.dirname(os.path.abspath(__file__)), "swift.supp")
    valgrind = f"valgrind --num-callers=30 --suppressions={suppressions} --log-file={{log}} {arguments.scened}"
    good = True
    if arguments.only != "valgrind":
        good = run("As it is", arguments.scened, measured, arguments.refreshes) and good
    if arguments.only != "memory":
        good = run("Under valgrind", valgrind, checked, arguments.refreshes) and good
    sys.exit(0 if good else 1)
