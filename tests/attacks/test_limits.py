"""Attacks on the machine's resources: memory, processes, disk, and folders of a sandbox that are in memory."""

import time
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.spawn import Bounds
from shiftwork.adapters.workspace.tree.untrusted_files import erase
from tests.attacks.kernel_rig import ran
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

pytestmark = [pytest.mark.timeout(120), NEEDS_BUBBLEWRAP]

MB = 1_000_000
BOUNDS = Bounds(memory=150 * MB, processes=40, disk=60 * MB)
DONE = "used all that it wanted"


def row(name: str) -> Attack:
    return Attack(name=name, layer="limits", severity=Severity.MEDIUM, harm=Harm.DENIAL, none=Outcome.SUCCEEDED)


def outcome(tier: str, folder: Path, script: str, setting: str) -> Outcome:
    """The script says when it is done. With bounds it is ended before, and the reason names the setting."""
    began = time.monotonic()
    waits = "long, short = 6, 0.4\n" if tier == "auto" else "long, short = 0.1, 0\n"  # no sandbox, no limits
    ended = ran(tier, folder, f"{waits}{script}\nprint({DONE!r})\n", bounds=BOUNDS)
    if DONE in ended.output:
        return Outcome.SUCCEEDED
    assert f"{setting} under [sandbox] allows" in ended.output, ended
    assert time.monotonic() - began < 60
    return Outcome.PREVENTED


@attack(row("a program takes all memory, by way of many small children"))
def test_memory(tier: str, tmp_path: Path) -> Outcome:
    script = """\
import os, time
held = bytearray(10_000_000)
for _ in range(24):
    if os.fork() == 0:
        own = bytearray(os.urandom(1000)) * 10_000
        time.sleep(long)
        os._exit(0)
time.sleep(long)
"""
    return outcome(tier, tmp_path, script, "memory_gb")


@attack(row("a program starts processes without end, each of them on its own"))
def test_processes(tier: str, tmp_path: Path) -> Outcome:
    script = """\
import os, time
for _ in range(80):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(long)
        os._exit(0)
time.sleep(long)
"""
    return outcome(tier, tmp_path, script, "processes")


@attack(row("a program fills the disk"))
def test_disk(tier: str, tmp_path: Path) -> Outcome:
    script = """\
import os, time
for number in range(200 if short else 8):
    with open(f"full-{number}", "wb") as file:
        file.write(os.urandom(10_000_000))
        os.fsync(file.fileno())
    time.sleep(short)
"""
    return outcome(tier, tmp_path, script, "disk_gb")


@attack(row("a program fills the disk with a file that has no name"))
def test_nameless_file(tier: str, tmp_path: Path) -> Outcome:
    script = """\
import os, time
file = open("full", "wb")
os.unlink("full")
for number in range(200 if short else 8):
    file.write(os.urandom(10_000_000))
    os.fsync(file.fileno())
    time.sleep(short)
"""
    return outcome(tier, tmp_path, script, "disk_gb")


@attack(row("a program fills the disk in folders that lie deeper than a path can name"))
def test_deep_folders(tier: str, tmp_path: Path) -> Outcome:
    script = """\
import os, time
for _ in range(5000):
    os.mkdir("d")
    os.chdir("d")
for number in range(200 if short else 8):
    with open(f"full-{number}", "wb") as file:
        file.write(os.urandom(10_000_000))
        os.fsync(file.fileno())
    time.sleep(short)
"""
    try:
        return outcome(tier, tmp_path, script, "disk_gb")
    finally:
        erase(tmp_path)  # pytest does not reach them either


@attack(row("a program fills folders of its sandbox that lie in memory"))
def test_folders_in_memory(tier: str, tmp_path: Path) -> Outcome:
    places = ["/tmp", "/var/tmp", "/dev/shm", "/run"] if tier == "auto" else [str(tmp_path)]  # noqa: S108 - its own
    script = f"""\
import os, time
folders = {places}
for number in range(20):
    with open(folders[number % len(folders)] + f"/full-{{number}}", "wb") as file:
        file.write(os.urandom(10_000_000))
    time.sleep(short)
try:
    open("/dev/full-0", "wb")
    print("unbounded")
except OSError:
    pass
"""
    return outcome(tier, tmp_path, script, "memory_gb")
