"""Started with standard input, output or error closed, as some supervisors do."""

import os
import subprocess

import pytest
from daemon import SCENED
from scene import call
from scenes import eventually


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", "2>&-", ">&-"])
def test_nothing_of_scened_takes_a_standard_descriptor(directory, scripted, closed):
    configuration = f"{directory}/config"
    os.makedirs(f"{configuration}/apps.d")
    with open(f"{configuration}/apps.d/notes.conf", "w") as file:
        file.write(scripted.configuration())
    socket = f"{directory}/session"
    command = f"exec {SCENED} --user --socket {socket} --state {directory}/state --config {configuration} {closed}"
    process = subprocess.Popen(
        ["/bin/sh", "-c", command], env={"PATH": os.environ["PATH"], "HOME": directory}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: os.path.exists(socket), 20, "the socket")
        call(socket, "Lock", app="notes")
        taken = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)]
        assert taken == ["/dev/null"] * 3
    finally:
        process.terminate()
        assert process.wait(20) == 0
