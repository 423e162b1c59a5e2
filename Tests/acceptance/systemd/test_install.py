"""Installation and its undoing."""

import os

from machine import MANIFEST, ROOT, install, run, uninstall

INSTALL = f"{ROOT}/systemd/install"


def below(*roots):
    return {os.path.join(folder, name) for root in roots for folder, _, names in os.walk(root) for name in names}


def test_uninstall_removes_what_was_installed(system, ada):
    ada.sign_in(system.socket)
    run("systemctl", "enable", "scened.socket")
    with open(MANIFEST) as file:
        installed = set(file.read().split())
    assert "/usr/local/bin/scened" in installed and all(os.path.exists(path) for path in installed)
    before = below("/usr/local", "/etc/scened")
    said = run(INSTALL, "--uninstall").stdout
    gone = before - below("/usr/local", "/etc/scened")
    assert gone == installed | {MANIFEST}
    assert os.path.exists("/etc/scened/apps.d/notes.conf") and os.path.exists("/var/lib/scened/sessions.sqlite")
    assert "/var/lib/scened" in said and "/etc/scened" in said
    assert not os.path.exists("/run/scened/session")
    assert run("systemctl", "is-enabled", "scened.socket", check=False).returncode != 0
    assert run(INSTALL, "--uninstall", check=False).returncode == 1
    # And back: what was kept is used again.
    install()
    run("systemctl", "start", "scened.socket")
    assert ada.call(system.socket, "ListAccounts")["current"]["username"] == "alice"


def test_without_root_for_oneself(ada):
    home = f"/home/{ada.name}"
    run("cp", "-r", f"{ROOT}/systemd", f"{ROOT}/README.md", home)
    os.mkdir(f"{home}/built")
    for program in ("scened", "scenectl"):
        run("cp", f"{os.environ['SCENED_RELEASE']}/{program}", f"{home}/built")
    run("chown", "-R", ada.name, home)
    # What the tests have installed for everybody would be found first.
    uninstall()
    ada.start_manager()
    ada.run(f"{home}/systemd/install", "--user-only", "--from", f"{home}/built")
    assert os.path.exists(f"{home}/.local/bin/scened")
    unit = f"{home}/.local/share/systemd/user/scened.service"
    with open(unit) as file:
        assert f"ExecStart={home}/.local/bin/scened" in file.read()
    ada.systemctl("daemon-reload")
    ada.systemctl("start", "scened.socket")
    assert ada.call(f"{ada.runtime}/scened/session", "ListAccounts")["accounts"] == []
    ada.run(f"{home}/systemd/install", "--uninstall", "--user-only")
    assert not os.path.exists(f"{home}/.local/bin/scened") and not os.path.exists(unit)
    assert ada.run(f"{home}/systemd/install", check=False).returncode == 1
