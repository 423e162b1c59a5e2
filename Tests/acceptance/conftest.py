import contextlib
import os
import shutil
import tempfile

import pytest
from chromium import Chromium
from daemon import Daemon
from durable_changes import sign_in
from faulty_idp import FaultyProvider
from provider import Provider
from scripted_idp import ScriptedProvider
from users import APP, quota
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
def daemons(directory):
    """Those that a test has started; each ends well."""
    started = []
    yield started
    for daemon in started:
        status = daemon.close()
        assert status == 0, f"scened ended with {status}:\n{daemon.stderr()}"


@pytest.fixture
def start(directory, daemons):
    """Start a scened with these apps: name to provider, or to the text of its configuration."""

    def started(**apps):
        texts = {name: app if isinstance(app, str) else app.configuration(name) for name, app in apps.items()}
        daemon = Daemon(f"{directory}/{len(daemons)}", texts)
        daemons.append(daemon)
        return daemon.start()

    return started


@pytest.fixture
def state(directory):
    return f"{directory}/0/state"


@pytest.fixture
def signed_in(start, scripted):
    """A daemon that has signed alice in and was stopped."""
    daemon = start(notes=scripted)
    sign_in(daemon, "alice")
    assert daemon.stop() == 0
    return daemon


@pytest.fixture
def instance(directory, daemons):
    """Start the machine's instance, for all users, with these limits."""
    os.chmod(directory, 0o711)

    def started(apps=None, descriptors=None, **limits):
        daemon = Daemon(f"{directory}/{len(daemons)}", apps or {"notes": APP}, quota(**limits), instance="system",
                        descriptors=descriptors)
        daemons.append(daemon)
        return daemon.start()

    return started


@pytest.fixture(scope="session")
def chromium():
    browser = Chromium()
    yield browser
    browser.stop()


@pytest.fixture
def window(chromium):
    """Open a window of a real browser, as wide and as dark as is wanted."""
    windows = []

    def opened(**look):
        windows.append(chromium.window(**look))
        return windows[-1]

    yield opened
    for one in windows:
        one.close()


@pytest.fixture
def alice():
    return Visitor("alice")


@pytest.fixture
def bob():
    return Visitor("bob")
