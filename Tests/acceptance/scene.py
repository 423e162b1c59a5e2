#!/usr/bin/python3
"""scene.py --socket PATH --app NAME [--scene ID] [--title TEXT]

A scene: a process that is connected by ConnectScene for as long as it runs. It prints what it is
sent and takes calls, both as JSON, one object a line, so that tests and the demonstration can have
as many processes of their own as they like:

  in   {"id": 1, "method": "LoginIfRequired", "parameters": {}}
  out  {"event": {...}}                        an event of the session
       {"id": 1, "reply": {...}, "last": true}
       {"id": 1, "error": "LoginCancelled", "parameters": {...}}

The app, and with "asScene" this scene's identifier, are added to the parameters. It ends with its
standard input. Nothing but the standard library is used, and `Connection` is a whole Varlink client.
"""

import argparse
import json
import os
import socket
import sys
import threading

SESSION = "org.scened.Session."


class CallFailed(Exception):
    """An error reply; `name` is without the interface where that is ours."""

    def __init__(self, name, parameters):
        super().__init__(f"{name} {parameters}")
        self.name = name.removeprefix(SESSION)
        self.parameters = parameters


class Connection:
    """A Varlink connection: NUL-ended JSON objects over a Unix socket."""

    def __init__(self, path, timeout=60):
        self.socket = socket.socket(socket.AF_UNIX)
        # Without a time limit, which would make a full backlog an error.
        self.socket.connect(os.fspath(path))
        self.socket.settimeout(timeout)
        self._received = bytearray()

    def send(self, method, parameters=None, **flags):
        call = {"method": method if "." in method else SESSION + method, **flags}
        if parameters is not None:
            call["parameters"] = parameters
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        """The next message as it is: a dict."""
        searched = 0
        while (end := self._received.find(b"\0", searched)) < 0:
            searched = len(self._received)
            chunk = self.socket.recv(1 << 16)
            if not chunk:
                raise ConnectionError("the service closed the connection")
            self._received += chunk
        message = json.loads(self._received[:end])
        del self._received[: end + 1]
        return message

    def reply(self):
        """The next reply: its parameters, and whether more follow."""
        message = self.receive()
        if "error" in message:
            raise CallFailed(message["error"], message.get("parameters") or {})
        return message.get("parameters") or {}, message.get("continues", False)

    def call(self, method, **parameters):
        self.send(method, parameters)
        return self.reply()[0]

    def stream(self, method, **parameters):
        """The replies of a call with `more`, as they come."""
        self.send(method, parameters, more=True)
        continues = True
        while continues:
            parameters, continues = self.reply()
            yield parameters

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def call(path, method, timeout=60, **parameters):
    """One call on a connection of its own."""
    with Connection(path, timeout) as connection:
        return connection.call(method, **parameters)


class _Program:
    def __init__(self, arguments):
        self.arguments = arguments
        self.scene = None
        self._output = threading.Lock()

    def say(self, **line):
        with self._output:
            sys.stdout.write(json.dumps(line) + "\n")
            sys.stdout.flush()

    def follow(self, connection):
        wanted = {k: v for k, v in vars(self.arguments).items() if k in ("app", "scene", "title") and v is not None}
        try:
            for reply in connection.stream("ConnectScene", **wanted):
                self.scene = reply["event"].get("scene") or self.scene
                self.say(event=reply["event"])
        except CallFailed as failure:
            self.say(closed=failure.name, parameters=failure.parameters)
        except (OSError, ValueError) as error:
            self.say(closed=str(error))

    def answer(self, line):
        parameters = {"app": self.arguments.app, **line.get("parameters", {})}
        if line.get("asScene"):
            parameters["scene"] = self.scene
        try:
            with Connection(self.arguments.socket, timeout=None) as connection:
                connection.send(line["method"], parameters, more=line.get("more", False))
                continues = True
                while continues:
                    reply, continues = connection.reply()
                    self.say(id=line["id"], reply=reply, last=not continues)
        except CallFailed as failure:
            self.say(id=line["id"], error=failure.name, parameters=failure.parameters)
        except (OSError, ValueError) as error:
            self.say(id=line["id"], error="connection", parameters={"reason": str(error)})

    def run(self):
        connection = Connection(self.arguments.socket, timeout=None)
        threading.Thread(target=self.follow, args=[connection], daemon=True).start()
        for line in sys.stdin:
            threading.Thread(target=self.answer, args=[json.loads(line)], daemon=True).start()
        os._exit(0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--socket", required=True)
    parser.add_argument("--app", required=True)
    parser.add_argument("--scene")
    parser.add_argument("--title")
    _Program(parser.parse_args()).run()
