"""A system bus with a logind on it that does as it is told: it goes away, comes back, answers with errors, forges.

Bus and logind are one; it speaks as much of the D-Bus protocol (the D-Bus specification, "Message Protocol") as scened
uses. The real ones: systemd/test_lock.py.
"""

import contextlib
import os
import socket
import struct
import threading

LOGIND = ":1.2"
STRANGER = ":1.66"
_CALL, _RETURN, _ERROR, _SIGNAL = 1, 2, 3, 4
_PATH, _INTERFACE, _MEMBER, _ERROR_NAME, _REPLY_SERIAL, _SENDER, _SIGNATURE = 1, 2, 3, 4, 5, 7, 8


class _Body(bytearray):
    def align(self, size):
        self.extend(bytes(-len(self) % size))
        return self

    def number(self, value):
        self.align(4).extend(struct.pack("<I", value))
        return self

    def string(self, text):
        self.number(len(text.encode())).extend(text.encode() + b"\0")
        return self

    def signature(self, text):
        self.extend(bytes([len(text)]) + text.encode() + b"\0")
        return self

    def array(self, items, write, element=8):
        self.number(0)
        place = len(self) - 4
        start = len(self.align(element))
        for item in items:
            self.align(element)
            write(item)
        struct.pack_into("<I", self, place, len(self) - start)
        return self

    def property(self, item):
        name, value = item
        self.string(name)
        if isinstance(value, bool):
            self.signature("b").number(value)
        elif isinstance(value, int):
            self.signature("(uo)").align(8)
            self.number(value).string(f"/org/freedesktop/login1/user/_{value}")
        else:
            self.signature("s").string(value)


def _message(kind, serial, fields, signature="", body=b""):
    def field(item):
        code, value = item
        message.append(code)
        if code == _REPLY_SERIAL:
            message.signature("u").number(value)
        elif code == _SIGNATURE:
            message.signature("g").signature(value)
        else:
            message.signature("o" if code == _PATH else "s").string(value)
    message = _Body(struct.pack("<cBBBII", b"l", kind, 1, 1, len(body), serial))
    message.array([*fields.items(), *([(_SIGNATURE, signature)] if signature else [])], field)
    return bytes(message.align(8) + body)


def _fields(header):
    """Path and member of a call."""
    found, place, end = {}, 16, 16 + struct.unpack_from("<I", header, 12)[0]
    while place < end:
        place += -place % 8
        code, kind = header[place], header[place + 2 : place + 3]
        place += 4
        if kind == b"g":
            place += header[place] + 2
            continue
        place += -place % 4
        (value,) = struct.unpack_from("<I", header, place)
        place += 4
        if kind in b"so":
            found[code] = header[place : place + value].decode()
            place += value + 1
    return found


class FakeLogind:
    """`sessions`: by identifier, their properties. `refused`: methods that are answered with an error."""

    def __init__(self, path):
        self.path, self.sessions, self.refused, self.asked = path, {}, set(), []
        self._changed = threading.Condition()
        self._listener = self._connection = self._serving = None
        self._serial = 0

    def session(self, name, uid=None, kind="wayland", locked=False, category="user"):
        self.sessions[name] = {"User": os.getuid() if uid is None else uid, "Type": kind, "Class": category,
                               "LockedHint": locked, "Name": "somebody"}

    @staticmethod
    def _path(name):
        return f"/org/freedesktop/login1/session/{name}"

    # MARK: The bus

    def open(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        self._serving = threading.Thread(target=self._serve, args=[self._listener], daemon=True)
        self._serving.start()

    def close(self):
        """The bus goes away."""
        # The thread may have accepted one more.
        while self._serving and self._serving.is_alive():
            for end in (self._listener, self._connection):
                with contextlib.suppress(OSError, AttributeError):
                    end.shutdown(socket.SHUT_RDWR)
            self._serving.join(0.1)
        for end in (self._listener, self._connection):
            if end:
                end.close()

    def wait_asked(self, member, count=1):
        with self._changed:
            assert self._changed.wait_for(lambda: self.asked.count(member) >= count, 30), self.asked

    def _serve(self, listener):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self._connection = connection
                with contextlib.suppress(OSError, ConnectionError):
                    self._converse(connection.makefile("rb"), connection)

    def _converse(self, received, connection):
        received.read(1)
        while (line := received.readline().strip()) != b"BEGIN":
            if not line:
                return
            answer = {b"DATA": b"OK " + b"0" * 31 + b"1", b"NEGOTIATE_UNIX_FD": b"AGREE_UNIX_FD"}.get(line, b"DATA")
            connection.sendall((b"OK " + b"0" * 31 + b"1" if line.count(b" ") == 2 else answer) + b"\r\n")
        while len(header := received.read(16)) == 16:
            body, serial, fields = struct.unpack_from("<III", header, 4)
            header += received.read(fields + -fields % 8)
            received.read(body)
            self._answer(serial, _fields(header))

    def _answer(self, serial, fields):
        member = fields[_MEMBER]
        signature, body = "", _Body()
        if member == "Hello":
            signature, body = "s", body.string(":1.9")
        elif member == "GetNameOwner":
            signature, body = "s", body.string(LOGIND)
        elif member == "ListSessions":
            def item(pair):
                name, properties = pair
                body.string(name).number(properties["User"]).string("somebody").string("").string(self._path(name))
            signature, body = "a(susso)", body.array(self.sessions.items(), item)
        elif member == "GetAll":
            properties = self.sessions[fields[_PATH].rsplit("/", 1)[1]]
            signature, body = "a{sv}", body.array(properties.items(), body.property)
        reply = {_REPLY_SERIAL: serial, _SENDER: "org.freedesktop.DBus"}
        if member in self.refused:
            self._send(_ERROR, {**reply, _ERROR_NAME: "org.freedesktop.DBus.Error.NoReply"})
        else:
            self._send(_RETURN, reply, signature, body)
        with self._changed:
            self.asked.append(member)
            self._changed.notify_all()

    def _send(self, kind, fields, signature="", body=b""):
        self._serial += 1
        self._connection.sendall(_message(kind, self._serial, fields, signature, body))

    # MARK: What happens

    def raw(self, data):
        self._connection.sendall(data)

    def say(self, member, name, sender=LOGIND):
        """Lock or Unlock."""
        self._send(_SIGNAL, {_PATH: self._path(name), _INTERFACE: "org.freedesktop.login1.Session", _MEMBER: member,
                             _SENDER: sender})

    def hint(self, name, locked, sender=LOGIND):
        body = _Body().string("org.freedesktop.login1.Session")
        body.array([("IdleHint", False), ("LockedHint", locked)], body.property)
        body.array([], body.string, 4)
        self._send(_SIGNAL, {_PATH: self._path(name), _INTERFACE: "org.freedesktop.DBus.Properties",
                             _MEMBER: "PropertiesChanged", _SENDER: sender}, "sa{sv}as", body)
        if sender == LOGIND:
            self.sessions[name]["LockedHint"] = locked
