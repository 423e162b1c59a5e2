import contextlib
import shutil
import tempfile

import pytest
from daemon import Daemon
from faulty_idp import FaultyProvider
from provider import Provider
from scripted_idp import ScriptedProvider
from visitor import Visitor


@contextlib.contextmanager
def _providing(name):
    provider = Provider(name)
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def dot():
    with _providing("dot") as provider:
        yield provider


@pytest.fixture(scope="session")
def glewlwyd():
    with _providing("glewlwyd") as provider:
        yield provider


@pytest.fixture(params=["dot", "glewlwyd"])
def provider(request):
    """Each of the two real providers."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def scripted():
    """A small provider of our own, that remembers every secret it gave out."""
    provider = ScriptedProvider()
    yield provider
    provider.stop()


@pytest.fixture
def faulty():
    """The same, with a switch for each thing that it can get wrong."""
    provider = FaultyProvider()
    yield provider
    provider.stop()


@pytest.fixture
def directory():
    """Short, as a socket's address has to be."""
    path = tempfile.mkdtemp(prefix="scened-")
    yield path
    shutil.rmtree(path)


@pytest.fixture
def start(directory):
    """Start a scened with these apps: name to provider, or to the text of its configuration."""
    daemons = []

    def started(**apps):
        texts = {name: app if isinstance(app, str) else app.configuration(name) for name, app in apps.items()}
        daemon = Daemon(f"{directory}/{len(daemons)}", texts)
        daemons.append(daemon)
        return daemon.start()

    yield started
    for daemon in daemons:
        status = daemon.close()
        assert status == 0, f"scened ended with {status}:\n{daemon.stderr()}"


@pytest.fixture
def alice():
    return Visitor("alice")


@pytest.fixture
def bob():
    return Visitor("bob")
