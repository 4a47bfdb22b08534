"""An agent that prints without end: its attempts are ended, and nothing of its work lands."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.durability.rig import Bench, make_bench
from tests.e2e.cli_rig import SHIFTWORK

pytestmark = pytest.mark.slow

FLOOD = f"""\
if [ "$SHIFTWORK_STEP_TYPE" = context_gathering ]; then
  echo flood > flood.txt
  if [ "$SHIFTWORK_ATTEMPT_NUMBER" = 1 ]; then
    yes {"0123456789" * 16} | head -c 52428800
  else
    head -c 52428800 /dev/zero | tr '\\0' x
  fi
fi
"""
"""Many lines at first, and then one."""


def measured(bench: Bench, *words: str) -> tuple[int, str, int]:
    """How the command ended, what it said, and the most that any process of it needed, in KiB.

    Measures this process alone: the figure for all children would include those of other tests.
    """
    output = bench.root / "output"
    with output.open("wb") as said:
        process = subprocess.Popen(
            (SHIFTWORK, *words), cwd=bench.repo, env=bench.environment(), stdout=said, stderr=said
        )
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        process.kill()
        raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, output.read_text(), used.ru_maxrss


def test_fifty_megabytes_of_output_end_the_attempt(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", special=FLOOD)
    code, said, peak = measured(bench, "run", "Make work.txt")
    assert code == 1, said
    story = bench.status()["stories"][0]
    assert story["status"] == "failed"
    assert "context_gathering failed after 2 attempts" in story["failure"]
    assert bench.git("log", "--format=%s", "main") == "start"
    assert bench.marked() == []
    logs = list((bench.state / "logs").rglob("*.jsonl"))
    assert len(logs) == 2
    assert all(log.stat().st_size < 40 * 1024 * 1024 for log in logs), "the log is bounded"
    assert [line for line in said.splitlines() if len(line) >= 800] == [], "what an agent prints is not"
    assert peak < 600 * 1024, f"no process needed more than 600 MiB, it was {peak // 1024}"
