#!/usr/bin/python3
"""callers.py SOCKET COUNT PARAMETERS

A process that asks for tokens on COUNT connections at once: it says "ready" when they are open, asks when it is sent a line,
and prints what each got, as JSON, in one line: a token's value, or an error's name.
"""

import json
import sys

from scene import CallFailed, Connection


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
