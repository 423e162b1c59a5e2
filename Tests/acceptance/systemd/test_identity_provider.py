"""An identity provider app that is started by its unit, by the hardened service of a user's own instance."""

import os

import pytest
from machine import SHARED
from scenes import eventually

UNIT = """\
[Service]
ExecStart=/bin/sh -c 'sleep infinity | exec /usr/bin/python3 -IS %s/acceptance/scene.py --socket %s --app notes'
"""


@pytest.fixture
def apps(user, dot):
    """Notes may be asked by mail, and has a unit."""
    unit = f"{user.person.runtime}/systemd/user/notes.service"
    files = {
        "/etc/scened/apps.d/notes.conf.d/provider.conf":
            "[App]\nIdentityProviderFor=mail\nIdentityProviderUnit=notes.service\n",
        "/etc/scened/apps.d/mail.conf": dot.configuration("mail", IdentityProvider="notes"),
        unit: UNIT % (SHARED, user.socket)}
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    user.systemctl("daemon-reload")
    yield user
    user.systemctl("stop", "notes.service", check=False)
    for path in files:
        os.unlink(path)
    user.systemctl("daemon-reload")


def test_the_provider_is_started_by_its_unit(apps, ada):
    account = ada.sign_in(apps.socket)
    with ada.scene(apps.socket, "mail") as mail:
        login = mail.log_in()
        assert login.wait_progress("waiting")["identityProvider"] == "notes"

        def asked():
            call = mail.call("ListAuthorizations", as_scene=False, app="notes")
            return call.wait()["requests"]
        [request] = eventually(asked, 30, "the request")
        page = mail.call("AuthorizeApp", as_scene=False, app="notes", scene=request["presenter"],
                         request=request["request"], decision="approve", account=account["id"]).wait()
        ada.run("/usr/bin/python3", f"{SHARED}/acceptance/visitor.py", "alice", page["loginScreen"])
        assert login.wait()["progress"]["account"]["username"] == "alice"
        state = apps.systemctl("show", "--value", "--property=ActiveState", "notes.service").stdout.strip()
        assert state == "active"


def test_a_unit_that_is_not_there(apps, ada):
    os.unlink(f"{apps.person.runtime}/systemd/user/notes.service")
    apps.systemctl("daemon-reload")
    try:
        with ada.scene(apps.socket, "mail") as mail:
            shown = mail.log_in().wait_progress("presenting")
            assert shown["reason"] == "noIdentityProviderScene"
            mail.call("CancelLogin").wait()
        assert any("could not be started" in entry["MESSAGE"] for entry in apps.journal())
    finally:
        with open(f"{apps.person.runtime}/systemd/user/notes.service", "w") as file:
            file.write(UNIT % (SHARED, apps.socket))
