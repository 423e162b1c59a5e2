"""A network of one's own: nothing but a loopback interface, which can be taken down and up again."""

import contextlib
import ctypes
import fcntl
import os
import socket
import struct

CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
_libc = ctypes.CDLL(None, use_errno=True)


def _call(function, *arguments):
    if getattr(_libc, function)(*arguments) != 0:
        raise OSError(ctypes.get_errno(), f"{function}: {os.strerror(ctypes.get_errno())}")


class Network:
    """What this thread, and the processes that it starts, are in (network_namespaces(7)). Root only."""

    def set_loopback(self, up):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            name = b"lo".ljust(16, b"\0")
            (flags,) = struct.unpack_from("H", fcntl.ioctl(control, SIOCGIFFLAGS, name + bytes(24)), 16)
            flags = flags | IFF_UP if up else flags & ~IFF_UP
            fcntl.ioctl(control, SIOCSIFFLAGS, name + struct.pack("H", flags) + bytes(22))

    def goes_away(self):
        self.set_loopback(False)

    def comes_back(self):
        self.set_loopback(True)


@contextlib.contextmanager
def own_network():
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _call("unshare", CLONE_NEWNET)
        network = Network()
        network.comes_back()
        try:
            yield network
        finally:
            _call("setns", before, CLONE_NEWNET)
    finally:
        os.close(before)
