"""What systemd itself says of the units."""

import pytest
from machine import run

UNITS = "/usr/local/lib/systemd"


@pytest.mark.parametrize("unit", ["system/scened.service", "system/scened.socket"])
def test_verify(unit):
    result = run("systemd-analyze", "verify", "--man=yes", f"{UNITS}/{unit}")
    assert result.stdout + result.stderr == ""


@pytest.mark.parametrize("unit", ["user/scened.service", "user/scened.socket"])
def test_verify_user(user, unit):
    result = user.person.run("systemd-analyze", "--user", "verify", "--man=yes", f"{UNITS}/{unit}")
    assert result.stdout + result.stderr == ""


@pytest.mark.parametrize("unit, threshold", [("system/scened.service", 15), ("user/scened.service", 20)])
def test_exposure(unit, threshold):
    """In tenths: at most 1.5 for the system's instance, 2.0 for a user's."""
    run("systemd-analyze", "security", "--no-pager", "--offline=true", f"--threshold={threshold}", f"{UNITS}/{unit}")


def test_private_users():
    """A user's instance lives in a user namespace; the system's must not, or it could not tell users apart."""
    with open(f"{UNITS}/user/scened.service") as user, open(f"{UNITS}/system/scened.service") as system:
        assert "\nPrivateUsers=yes\n" in user.read() and "PrivateUsers=yes" not in system.read()
