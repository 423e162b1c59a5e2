#!/usr/bin/python3
"""callers.py SOCKET COUNT PARAMETERS

A process that asks for tokens on COUNT connections at once: it says "ready" when they are open, asks when it is sent a line,
and prints what each got, as JSON, in one line: a token's value, or an error's name. `Callers` is many of them.
"""

import contextlib
import json
import os
import subprocess
import sys

from scene import CallFailed, Connection


class Callers:
    """Processes with `count` connections each, which ask together once they are all there."""

    def __init__(self, daemon, processes, count, **parameters):
        command = [sys.executable, os.path.abspath(__file__), daemon.socket, str(count),
                   json.dumps({"app": "notes", **parameters})]
        with contextlib.ExitStack() as stack:
            self._processes = [
                stack.enter_context(
                    subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
                for _ in range(processes)]
            assert {process.stdout.readline() for process in self._processes} == {"ready\n"}
            self._stack = stack.pop_all()

    def ask(self):
        for process in self._processes:
            process.stdin.write("\n")
            process.stdin.flush()

    def answers(self):
        return [answer for process in self._processes for answer in json.loads(process.stdout.readline())]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()


def answer(connection):
    try:
        return connection.reply()[0]["token"]["value"]
    except CallFailed as failure:
        return failure.name


def main(path, count, parameters):
    connections = [Connection(path, timeout=120) for _ in range(int(count))]
    print("ready", flush=True)
    sys.stdin.readline()
    for connection in connections:
        connection.send("GetAccessToken", json.loads(parameters))
    print(json.dumps([answer(connection) for connection in connections]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
