"""Resource limits of a program in a sandbox: a program within its limits is left alone, whatever other programs do."""

import asyncio
from pathlib import Path

import pytest

from shiftwork.adapters.processes.supervisor.resource_watch import Watch
from shiftwork.adapters.processes.supervisor.spawn import Bounds, Cause, Exit
from shiftwork.adapters.processes.supervisor.supervise import supervise
from shiftwork.adapters.sandbox.sandbox import Room
from shiftwork.testing.conformance.agent import marked
from tests.attacks.kernel_rig import ran
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, confined

pytestmark = [pytest.mark.timeout(120), NEEDS_BUBBLEWRAP]

MB = 1_000_000
SHARED = """\
import os, time
held = os.urandom(60_000_000)
for _ in range(6):
    if os.fork() == 0:
        time.sleep(4)
        os._exit(0)
time.sleep(4)
print("done")
"""


def test_memory_that_processes_share_counts_once(tmp_path: Path) -> None:
    outcome = ran("auto", tmp_path, SHARED, Bounds(memory=250 * MB, processes=40, disk=60 * MB))
    assert outcome.output == "began\ndone"


def test_what_is_ended_leaves_no_process_and_is_no_ordinary_failure(tmp_path: Path) -> None:
    inside = confined(tmp_path)
    walls = inside.allowing(bounds=Bounds(memory=10**12, processes=3, disk=10**12)).walls
    spawn = inside.spawn("for n in 1 2 3 4 5 6; do (trap '' TERM; sleep 60) & done; wait")
    over: Exit = asyncio.run(supervise(walls.enclosed(spawn, Room(tree=inside.tree)), print))
    assert over.cause is Cause.EXCEEDED
    assert over.exceeded.endswith("processes under [sandbox] allows 3")
    assert over.seconds < 30
    assert marked(inside.marker) == []


def test_a_disk_that_somebody_else_fills_is_not_held_against_a_program(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    watch = Watch(Bounds(memory=10**12, processes=10, disk=2 * MB, folders=(own,)), main=0)
    for number in range(4):
        other.with_name(f"other-{number}").write_bytes(b"x" * 3 * MB)
        assert watch.broken(()) == ""
    reasons = []
    for number in range(4):
        (own / str(number)).write_bytes(b"x" * 3 * MB)
        reasons.append(watch.broken(()))
    assert any("disk_gb under [sandbox]" in reason for reason in reasons)


def test_a_folder_in_memory_ends_where_memory_does(tmp_path: Path) -> None:
    script = "import os; s = os.statvfs('/tmp'); print(s.f_blocks * s.f_frsize < 20_100_000)"
    assert ran("auto", tmp_path, script, Bounds(memory=20 * MB, processes=40, disk=MB)).output == "began\nTrue"
