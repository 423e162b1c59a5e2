"""How each case runs: a server, the driver against it, and who takes part beside them."""

import json
import os
import subprocess
import sys

from servers import BUILT, HERE, MISSED, ROOT
from visitor import Visitor

# How many stop reading, and how many events they are behind in the end: more than a history holds.
STOPPED, BEHIND = 100, 1200
FEW = 10


def core(number):
    return ["taskset", "-c", str(number)]


def words(server, case, clients, length):
    """The driver's command line."""
    processes = ",".join(str(process) for process in [server.process.pid, *server.parts])
    line = [os.path.join(BUILT, "load"), case, server.socket, processes]
    sequence, turns = str(server.sequence), [f"{name}{turn}" for turn in "01" for name in ("trigger", "event", "reply")]
    if case == "rtt":
        return [*line, str(clients), str(length), *server.messages("request", "reply")]
    if case in ("token", "dial"):
        line[1] = "rtt" if case == "token" else "dial"
        return [*line, str(clients), str(length), *server.messages("token", "token_reply")]
    if case == "refresh":
        return [*line, str(clients), *server.messages("requests")]
    if case == "fan":
        return [*line, str(clients), str(length), sequence, *server.messages("hello", "welcome", *turns)]
    if case == "stopped":
        return [*line, str(clients), str(4 * length), sequence, str(STOPPED), str(BEHIND),
                *server.messages("hello", "welcome", *turns)]
    if case == "growth":
        return [*line, str(FEW), str(clients), sequence, str(length), *server.messages(
            "hello", "welcome", "named", "named_reply", "update", "updated")]
    if case == "back":
        return [*line, str(clients), sequence, *server.messages("hello", "first", "after", "resumed")]
    if case == "replay":
        return [*line, str(clients), str(MISSED), sequence, *server.messages("missed", "resumed", "event0", "event1")]
    assert case == "login"
    return [*line, str(clients), *server.messages("ask")]


def load(server, case, clients, length, pin=()):
    """The driver's figures; it fails on the first byte that is not as it should be."""
    driver = subprocess.Popen([*pin, *words(server, case, clients, length)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        if case == "back":
            lose(server, driver)
        elif case == "login":
            sign_in(driver)
        output, errors = driver.communicate(timeout=600)
    finally:
        driver.kill()
        driver.wait()
    if driver.returncode:
        raise SystemExit(f"{server.name}, {case} with {clients}: {errors}")
    return json.loads(output)


def tell(driver, line):
    driver.stdin.write(f"{line}\n")
    driver.stdin.flush()


def lose(server, driver):
    """A restart without anybody who keeps connections."""
    if not driver.stdout.readline():
        return
    server.stop()
    tell(driver, "")
    server.go_on(core(0))
    if driver.stdout.readline():
        tell(driver, server.process.pid)


def sign_in(driver):
    """The user, from the login screen to just before the way back."""
    presenting = driver.stdout.readline()
    if not presenting:
        return
    visitor = Visitor("alice")
    screen = json.loads(presenting.rstrip("\n\0"))["parameters"]["progress"]["loginScreen"]
    callback = visitor.authorize(visitor.open(screen))
    tell(driver, "go")
    visitor.deliver(callback)


def timed(server, case, clients, length):
    # Who wakes the other in turn shares a core with it, so that no idle core's waking is counted. The others have a
    # core each.
    split = clients > 1 and case != "growth"
    server.mode = case
    server.start(core(0))
    try:
        return load(server, case, clients, length, core(int(split)))
    finally:
        server.stop()


def restarts(rounds, scenes):
    """Under a systemd of its own: the scenes' pauses in each of the restarts."""
    command = [os.path.join(ROOT, "Tests", "tools", "with-systemd"), "--timeout", "300", "--", sys.executable,
               os.path.join(HERE, "restart.py"), str(rounds), str(scenes)]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    if run.returncode:
        raise SystemExit(f"restarts with {scenes} scenes: {run.stderr}{run.stdout}")
    return json.loads(run.stdout.splitlines()[-1])
