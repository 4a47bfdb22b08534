"""kill -9 of an orchestrator whose agents and gates are in a sandbox: they die with it, and everything lands once."""

import signal
from pathlib import Path

import pytest

from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP
from tests.durability.rig import assert_landed_once, make_bench
from tests.patience import STATUS_EVERY, eventually

pytestmark = [pytest.mark.durability, NEEDS_BUBBLEWRAP]

REQUEST = "../prd.json"


@pytest.mark.parametrize("place", ["workspace.prepared", "attempt.started@5", "attempt.ended@5", "landing.verified"])
def test_killed_at(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", tier="bubblewrap")
    died = bench.shiftwork("run", REQUEST, failpoint=place)
    assert died.returncode == -signal.SIGKILL, f"{place} was not reached:\n{died.stdout}{died.stderr}"
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)


def test_an_agent_does_not_outlive_its_orchestrator(tmp_path: Path) -> None:
    held = "if [ $SHIFTWORK_STEP_TYPE = coding ] && [ $(grep -c step-005 {ledger}) = 1 ]; then sleep 900 & wait; fi"
    bench = make_bench(tmp_path, "", held.format(ledger=tmp_path / "shared/ledger"), tier="bubblewrap")
    process = bench.start("run", REQUEST)
    try:
        eventually(lambda: bench.attempts()["step-005"] == 1)
        eventually(bench.marked, every=STATUS_EVERY)
    finally:
        process.kill()
    eventually(lambda: bench.marked() == [], every=STATUS_EVERY)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)
