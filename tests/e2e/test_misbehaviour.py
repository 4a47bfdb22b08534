"""Agents that flood, daemonize or draw on the terminal: each ends in a clear state, and nothing of it lands."""

import resource
import time
from pathlib import Path

import pytest

from tests.durability.rig import make_bench

pytestmark = pytest.mark.slow

FLOOD = """\
if [ "$SHIFTWORK_STEP_TYPE" = context_gathering ]; then
  echo flood > flood.txt
  {flood}
fi
"""


@pytest.mark.parametrize(
    "flood",
    ["yes 0123456789012345678901234567890123456789 | head -c 52428800", "head -c 52428800 /dev/zero | tr '\\0' x"],
    ids=["many lines", "one line"],
)
def test_fifty_megabytes_of_output_end_the_attempt(flood: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", special=FLOOD.format(flood=flood))
    ran = bench.shiftwork("run", "Make work.txt")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    story = bench.status()["stories"][0]
    assert story["status"] == "failed"
    assert "context_gathering failed after 2 attempts" in story["failure"]
    assert bench.git("log", "--format=%s", "main") == "start"
    assert bench.marked() == []
    logs = list((bench.repo / ".shiftwork" / "logs").rglob("*.jsonl"))
    assert len(logs) == 2
    assert all(log.stat().st_size < 40 * 1024 * 1024 for log in logs), "the log is bounded"
    assert all(len(line) < 400 for line in ran.stdout.splitlines()), "the terminal is not flooded"
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert peak < 600 * 1024, f"no process needed more than 600 MiB, it was {peak // 1024}"


def test_a_daemon_with_a_cleared_environment_does_not_outlive_its_attempt(tmp_path: Path) -> None:
    late = tmp_path / "late"
    daemon = f"(setsid env -i sh -c 'sleep 2; touch {late}' >/dev/null 2>&1 &)"
    bench = make_bench(tmp_path, "", special=f'[ "$SHIFTWORK_STEP_TYPE" = coding ] && {daemon}')
    ran = bench.shiftwork("run", "Make work.txt")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    time.sleep(2.5)
    assert not late.exists()
    assert bench.git("log", "--format=%s", "main").splitlines()[0] == "feat: US-001 - Make work.txt"
