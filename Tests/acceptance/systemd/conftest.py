"""Tests under a real systemd: run by Tests/tools/with-systemd, whose container they may change as they like."""

import os
import resource
import shutil

import pytest
from machine import HERE, ROOT, SHARED, Person, Unit, install, run
from provider import Provider


@pytest.fixture(scope="session", autouse=True)
def shared():
    assert os.path.isdir("/run/systemd/system"), "run these under Tests/tools/with-systemd"
    shutil.copytree(os.path.dirname(HERE), f"{SHARED}/acceptance")
    shutil.copytree(f"{ROOT}/Tests/idp", f"{SHARED}/idp")
    run("chmod", "-R", "a+rX", SHARED)
    # A thousand scenes.
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


@pytest.fixture(autouse=True)
def installed():
    install()


@pytest.fixture(scope="session")
def dot():
    provider = Provider("dot")
    os.makedirs("/etc/scened/apps.d", exist_ok=True)
    with open("/etc/scened/apps.d/notes.conf", "w") as file:
        file.write(provider.configuration())
    yield provider
    provider.stop()


@pytest.fixture(scope="session")
def ada():
    return Person("ada")


@pytest.fixture(scope="session")
def ben():
    return Person("ben")


@pytest.fixture
def system(dot):
    """The system instance, its socket listening, without state; the service not yet started."""
    unit = Unit()
    run("systemctl", "start", "scened.socket")
    yield unit
    unit.clear()


@pytest.fixture
def user(dot, ada):
    """The same for a person's own instance."""
    ada.start_manager()
    unit = Unit(ada)
    unit.systemctl("start", "scened.socket")
    yield unit
    unit.clear()
