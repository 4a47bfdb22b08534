"""kill -9 at every failpoint that a run passes, then a cancel: its report is true, and stays true."""

from pathlib import Path

import pytest

from shiftwork import failpoints
from tests.durability.rig import make_bench
from tests.durability.test_kill import NOT_PASSED_BY_A_HAPPY_RUN
from tests.repositories import git_locks

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "ralph")
LANDED = "feat: US-001 - Make work.txt"
PLACES = (
    *(name for name in failpoints.NAMES if name not in NOT_PASSED_BY_A_HAPPY_RUN),
    *(f"append.{moment}@{number}" for number in (6, 8, 10, 12) for moment in ("before", "after")),
)

NOT_BEGUN = ("run.recorded", "append.after")
"""Where the run has only been recorded: nothing is begun any more then."""


@pytest.mark.parametrize("place", PLACES)
def test_killed_and_cancelled(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    bench.dies(*RUN, failpoint=place)
    cancelled = bench.shiftwork("cancel")
    if place == "append.before":
        assert "nothing has been run" in cancelled.stderr  # killed before the run itself was recorded
        return
    landed = bench.subjects().count(LANDED)
    story, _ = bench.status()["stories"]
    assert story["status"] == ("completed" if landed else "unclaimed" if place in NOT_BEGUN else "cancelled")
    assert f'"passes": {"true" if landed else "false"}' in bench.spec.read_text().splitlines()[1]
    assert cancelled.returncode == ("it was too late to stop" in cancelled.stdout), cancelled.stdout + cancelled.stderr
    assert bench.marked() == []
    assert not git_locks(bench.repo)
    assert bench.shiftwork(*RUN).returncode == 0
    assert bench.subjects().count(LANDED) == 1, "by the next run, where the cancelled one had not, and by nobody later"
