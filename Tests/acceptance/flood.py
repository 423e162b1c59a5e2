#!/usr/bin/python3
"""flood.py SOCKET: all that a hostile process can think of, until its standard input ends; a line "ready" when it is at it.

A hundred scenes that have stopped reading; a hundred connections with pipelined calls whose answers nobody reads; two
hundred with messages that stop before their end; sixteen with messages that have none; sixty-four that call as fast as
they are answered; one that connects and leaves; and one whose changes make events for the scenes.
"""

import json
import os
import select
import socket
import sys
import threading

PATH = sys.argv[1]


def call(method, more=False, **parameters):
    name = method if "." in method else "org.scened.Session." + method
    return json.dumps({"method": name, "parameters": parameters, "more": more}).encode() + b"\0"


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(PATH)
    return connection


def stopped_reader(number):
    scene = connect()
    scene.sendall(call("ConnectScene", more=True, app="notes", title=f"deaf {number}"))
    scene.recv(1 << 16)
    return scene


def keep_sending(count, message, most=None):
    """Keep so many connections sending, up to so many bytes each; one that is closed is opened anew."""
    def begin():
        connection = connect()
        connection.setblocking(False)
        sent[connection] = 0
        poll.register(connection, select.EPOLLOUT)
        numbers[connection.fileno()] = connection

    sent, numbers, poll = {}, {}, select.epoll()
    for _ in range(count):
        begin()
    while True:
        for number, _ in poll.poll(1):
            connection = numbers[number]
            try:
                sent[connection] += connection.send(message[:most and most - sent[connection]])
                if sent[connection] == most:
                    # Only its end is of interest from here on.
                    poll.modify(connection, 0)
            except BlockingIOError:
                pass
            except OSError:
                del numbers[number], sent[connection]
                connection.close()
                begin()


def chatter():
    connections = [connect() for _ in range(64)]
    calls = call("ListAccounts", app="notes") * 500
    pending = {connection: b"" for connection in connections}
    for connection in connections:
        connection.setblocking(False)
    while True:
        readable, writable, _ = select.select(connections, connections, [], 1)
        for connection in readable:
            connection.recv(1 << 16)
        for connection in writable:
            data = pending[connection] or calls
            try:
                pending[connection] = data[connection.send(data):]
            except BlockingIOError:
                pass


def come_and_go():
    while True:
        try:
            connect().close()
        except OSError:
            pass


def stir():
    """Every scene hears of each."""
    connection = connect()
    while True:
        for method in ("Lock", "Unlock"):
            connection.sendall(call(method, app="notes"))
            connection.recv(1 << 16)


deaf = [stopped_reader(number) for number in range(100)]
unread = call("org.varlink.service.GetInterfaceDescription", interface="org.scened.Session") * 200
for work in (
    lambda: keep_sending(100, unread), lambda: keep_sending(200, b"x" * 65536, 1_000_000),
    lambda: keep_sending(16, b"x" * 65536),
    chatter, come_and_go, stir,
):
    threading.Thread(target=work, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
os._exit(0)
