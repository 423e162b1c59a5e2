"""Several Unix users of the machine's instance.

They need no process of theirs: who a connection is by is settled when it is made (SO_PEERCRED).
"""

import contextlib
import os

from scene import Connection

MALLORY, VICTOR, TRENT = 65534, 65532, 65531
# Its login host is not there.
APP = """[App]
ClientID=scene
[LoginHost]
URL=http://127.0.0.1:9
"""


def quota(**limits):
    """Settings of scened.conf."""
    return "[Quota]\n" + "".join(f"{key}={value}\n" for key, value in limits.items())


@contextlib.contextmanager
def acting_as(uid):
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)


def connect(daemon, uid, timeout=60):
    with acting_as(uid):
        return Connection(daemon.socket, timeout)
