"""restart.py RESTARTS SCENES: run by bench.py under Tests/tools/with-systemd. Installs scened, has `load` follow as many
scenes while systemd restarts it, and prints what they saw."""

import json
import os
import subprocess
import sys

from servers import BUILT, SCENE, ScriptedProvider, Visitor, text
from scene import Connection
from scenes import eventually

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "acceptance", "systemd"))
from machine import Unit, install, run  # noqa: E402


def sign_in(path, name):
    with Connection(path) as connection:
        for reply in connection.stream("Login", app="notes", options={"loginHint": name}):
            progress = reply["progress"]
            if progress["state"] == "presenting":
                Visitor(name).sign_in(progress["loginScreen"])
        return progress["account"], progress["at"]


def main(restarts, scenes):
    install()
    provider = ScriptedProvider(lifetime=86400)
    os.makedirs("/etc/scened/apps.d", exist_ok=True)
    with open("/etc/scened/apps.d/notes.conf", "w") as file:
        file.write(provider.configuration())
    unit = Unit()
    run("systemctl", "start", "scened.socket")
    accounts = [sign_in(unit.socket, name)[0] for name in ("alice", "bob")]
    directory = os.environ.get("TMPDIR", "/tmp")

    def message(name, content):
        path = os.path.join(directory, f"restart-{name}.message")
        with open(path, "wb") as file:
            file.write(content)
        return path

    hello = text("ConnectScene", {"app": "notes", "scene": SCENE}, ',"more":true')
    with Connection(unit.socket) as connection:
        connection.socket.sendall(hello.replace(b"########", b"00000000"))
        welcome = json.dumps(connection.receive(), separators=(",", ":")).encode() + b"\0"
        sequence = json.loads(welcome[:-1])["parameters"]["event"]["at"]["sequence"]
    triggers = [text("SwitchAccount", {"app": "notes", "account": account["id"]}) for account in accounts]
    driver = subprocess.Popen(
        [os.path.join(BUILT, "load"), "restart", unit.socket, str(scenes), str(restarts), str(sequence),
         message("hello", hello), message("welcome", welcome.replace(b"-00000000", b"-########")),
         *(message(f"trigger{turn}", content) for turn, content in enumerate(triggers)),
         "systemctl", "restart", "scened.service"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert driver.stdout.readline() == "connected\n"
    # The service manager is told by a thread of the daemon's own.
    eventually(lambda: int(unit.show("NFileDescriptorStore")) >= min(scenes, 1024) + 1, 60, "the store")
    output, _ = driver.communicate("go\n", timeout=280)
    assert driver.returncode == 0
    with Connection(unit.socket) as connection:
        assert connection.call("org.scened.Manager.GetStatus")["restoredScenes"] == scenes
    print(output.splitlines()[-1])


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
