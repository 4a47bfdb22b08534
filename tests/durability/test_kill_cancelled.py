"""kill -9 while a story lands; cancel; what had landed stands and is told, and what had not never does."""

import json
import signal
from pathlib import Path

import pytest

from tests.durability.rig import make_bench

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "ralph")
LANDED = ["feat: US-001 - Make work.txt", "start"]


@pytest.mark.parametrize("words", ["text", "json"])
def test_a_cancel_that_comes_after_the_branch_has_moved_says_so(words: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    assert bench.shiftwork(*RUN, failpoint="landing.moved").returncode == -signal.SIGKILL
    cancelled = bench.shiftwork("cancel", *(["--json"] if words == "json" else []))
    assert cancelled.returncode == 1, "it is not as if nothing had landed"
    assert bench.git("log", "--format=%s", "main").splitlines() == LANDED
    commit = bench.git("rev-parse", "main")
    if words == "json":
        document = json.loads(cancelled.stdout)
        assert (document["status"], document["landed_meanwhile"]) == ("cancelled", ["US-001"])
        return
    _, told, hint = cancelled.stdout.splitlines()
    assert told == f"US-001 was past its gates, and has landed {commit[:10]} on main"
    assert hint == "next: shiftwork undo US-001"
    assert f"cancelled: 1 of 2 stories have landed, the last as {commit[:10]} on main" in bench.shiftwork("resume").stdout
