"""The line to a login host's token endpoint, with every fault that a line, a proxy or an overloaded host has.

It passes what it is sent on to the host, or does what its `fault` says. A fault is a function of the connection.
"""

import contextlib
import datetime
import ipaddress
import socket
import ssl
import struct
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class FaultyLine:
    """`context` makes it TLS. `times` are those of the connections that it has taken, since the last `break_with`."""

    def __init__(self, port, context=None):
        self.context, self._good, self._port = context, context, port
        self.fault, self.times = None, []
        self._listener = None
        self.port = 0
        self.open()

    @property
    def url(self):
        return f"{'https' if self._good else 'http'}://127.0.0.1:{self.port}/token"

    def open(self):
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=1024)
        self.port = self._listener.getsockname()[1]
        self._accepting = threading.Thread(target=self._accept, args=[self._listener], daemon=True)
        self._accepting.start()

    def close(self):
        """From now on connections are refused."""
        if self._listener:
            # Wakes the thread, which closing alone would not.
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._accepting.join()
            self._listener.close()
            self._listener = None

    def break_with(self, fault):
        self.times = []
        self.fault = fault
        if fault is refuses:
            self.close()
        elif isinstance(fault, Certificate):
            self.context = fault.context

    def heal(self):
        if self._listener is None:
            self.open()
        self.fault, self.context = None, self._good

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.times.append(time.monotonic())
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            if self.context and self.fault is not speaks_no_tls:
                connection = self.context.wrap_socket(connection, server_side=True)
            if self.fault is None or isinstance(self.fault, Certificate):
                connection.sendall(self.forward(connection))
            else:
                self.fault(self, connection)
            connection.close()

    def forward(self, connection):
        """Has the host do what is asked; its answer."""
        head, body = message(connection)
        with socket.create_connection(("127.0.0.1", self._port)) as host:
            host.sendall(head + body)
            return b"".join(message(host))


def message(connection):
    """A whole request or answer: its head, and its body."""
    received = b""
    while b"\r\n\r\n" not in received:
        chunk = connection.recv(65536)
        if not chunk:
            raise ConnectionError
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n", body


# Faults of the line.

def refuses(line, connection):
    raise AssertionError("nobody gets here")


def resets(line, connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def resets_after_the_request(line, connection):
    message(connection)
    resets(line, connection)


def closes_after_the_request(line, connection):
    message(connection)


def is_silent(line, connection):
    """Until it is healed: then it closes."""
    message(connection)
    while line.fault is is_silent:
        time.sleep(0.01)


def speaks_no_tls(line, connection):
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def drops_the_answer(line, connection):
    """What was asked is done at the host."""
    line.forward(connection)


def cuts_the_answer(line, connection):
    answer = line.forward(connection)
    connection.sendall(answer[:-20])


def sends_headers_without_end(line, connection):
    message(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while line.fault is sends_headers_without_end:
        connection.sendall(b"X-Padding: " + b"x" * 1000 + b"\r\n")


def raw(*parts):
    def answers(line, connection):
        message(connection)
        connection.sendall(b"".join(parts))
    return answers


def answer(status, body=b"", **headers):
    """`headers` that can be called are made when they are sent."""
    def answers(line, connection):
        message(connection)
        lines = [f"HTTP/1.1 {status} Reason", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value() if callable(value) else value}" for name, value in headers.items()]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return answers


class Certificate:
    """A fault of the host's certificate: with this one, it is not to be trusted."""

    def __init__(self, context):
        self.context = context


# Certificates.

class Authority:
    """A certificate authority of our own, in `directory`."""

    def __init__(self, directory):
        self._directory, self._count = directory, 0
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._certificate = self._make("Test Authority", self._key, x509.BasicConstraints(True, None))
        self.file = f"{directory}/authority.pem"
        with open(self.file, "wb") as file:
            file.write(self._certificate.public_bytes(serialization.Encoding.PEM))

    def _make(self, name, key, extension, days=(-2, 2), by_itself=True):
        now = datetime.datetime.now(datetime.timezone.utc)
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        return (
            x509.CertificateBuilder().subject_name(subject)
            .issuer_name(subject if by_itself else self._certificate.subject).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now + datetime.timedelta(days[0]))
            .not_valid_after(now + datetime.timedelta(days[1])).add_extension(extension, False)
            .sign(key if by_itself else self._key, hashes.SHA256()))

    def context(self, address="127.0.0.1", days=(-2, 2), by_itself=False):
        """What a server shows: for an address, for a time, signed by the authority or by itself."""
        self._count += 1
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
        path = f"{self._directory}/{self._count}.pem"
        with open(path, "wb") as file:
            file.write(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            file.write(self._make("login host", key, names, days, by_itself).public_bytes(serialization.Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context
