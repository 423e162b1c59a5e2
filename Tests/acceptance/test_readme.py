"""What the README shows works as it stands there."""

import os
import re
import subprocess

from daemon import ROOT


def example(language, number=0):
    with open(os.path.join(ROOT, "README.md")) as file:
        return re.findall(rf"```{language}\n(.*?)```", file.read(), re.S)[number]


def test_the_python_example(start, scripted, alice):
    daemon = start(notes=scripted)
    text = example("python").replace("/run/scened/session", daemon.socket)
    assert daemon.socket in text
    program = subprocess.Popen(["/usr/bin/python3", "-u", "-c", text], stdout=subprocess.PIPE, text=True)
    try:
        alice.sign_in(re.fullmatch(r"Open (http://\S+)\n", program.stdout.readline())[1])
        assert program.stdout.readline() == "Signed in as Alice\n"
        assert program.stdout.readline().startswith("snapshot ")
        daemon.call("LogoutAll")
        assert program.stdout.readline().startswith("loggedOut ")
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


def test_the_varlink_example(start, scripted, alice):
    daemon = start(notes=scripted)
    account = daemon.sign_in(alice)
    text = example("python", 1).replace("/run/scened/session", daemon.socket)
    shown = subprocess.run([os.path.join(ROOT, ".venv/bin/python"), "-c", text], capture_output=True, text=True, check=True,
                           timeout=30).stdout
    assert account["id"] in shown


def test_the_configuration_example(start):
    daemon = start(notes=example("ini"))
    (app,) = daemon.manager("ListApps")["apps"]
    assert app["displayName"] == "Notes" and app["problems"] == []
    assert daemon.call("GetLoginScreen")["screen"]["loginHosts"][0]["url"] == "https://login.example.com"
