"""kill -9, then a request to the run: the request is carried out, although the run was about to do something else."""

from pathlib import Path

import pytest

from tests.durability.rig import Bench, make_bench
from tests.durability.test_kill_cancelled import with_slow_gates
from tests.patience import eventually

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "ralph")
LANDED = "feat: US-001 - Make work.txt"


def test_a_story_that_is_edited_before_it_was_begun_is_begun_as_it_is_then(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    bench.dies(*RUN, failpoint="run.recorded")
    assert bench.shiftwork("edit", "US-001", "--title", "Write work.txt").returncode == 0
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert bench.subjects() == ["feat: US-001 - Write work.txt", "start"]


def test_a_story_that_is_added_to_a_run_about_to_end_is_done_by_anyone_who_adds_it(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    bench.dies(*RUN, failpoint="spec.updated")
    added = bench.shiftwork("add", "More work")
    assert added.returncode == 0, added.stdout + added.stderr
    assert bench.subjects() == ["feat: US-002 - More work", LANDED, "start"]
    view = bench.status()
    assert (view["status"], view["completed_count"], view["worker"]) == ("completed", 3, None)


def at_the_gates_of_a_revert(bench: Bench, failpoint: str) -> None:
    """The run that undoes its landed work has died, before or after it received the request."""
    assert bench.shiftwork(*RUN).returncode == 0
    begun = with_slow_gates(bench)
    if failpoint:
        bench.dies("undo", "US-001", failpoint=failpoint)
        return
    running = bench.start("undo", "US-001")
    eventually(begun.exists)
    running.kill()


def assert_it_stays(bench: Bench) -> None:
    assert bench.subjects() == ["slow gates", LANDED, "start"]
    view = bench.status()
    assert (view["status"], view["worker"], view["stories"][0]["status"]) == ("cancelled", None, "completed")
    assert bench.marked() == []
    (bench.root / "go").touch()  # gates would pass now
    assert bench.shiftwork("run", "Write more").returncode == 0
    assert not any(subject.startswith("revert") for subject in bench.subjects()), "nobody lands it later"


@pytest.mark.parametrize("failpoint", ["undo.posted", ""])
def test_a_revert_that_is_at_its_gates_is_reverted_by_a_cancel(failpoint: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    at_the_gates_of_a_revert(bench, failpoint)
    cancelled = bench.shiftwork("cancel")
    assert cancelled.returncode == 0, cancelled.stdout + cancelled.stderr
    assert_it_stays(bench)


@pytest.mark.parametrize(
    "place",
    [
        "withdrawal.posted",
        "landing.answered",
        *(f"append.{when}@{number}" for when in ("before", "after") for number in (1, 2, 3, 4)),
    ],
)
def test_a_revert_is_reverted_whenever_the_cancel_dies(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    at_the_gates_of_a_revert(bench, "")
    bench.dies("cancel", failpoint=place)
    (bench.root / "go").touch()  # gates would pass now
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 1, resumed.stdout + resumed.stderr
    assert_it_stays(bench)


def test_a_cancel_that_comes_after_the_branch_has_moved_to_a_revert_says_so(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    at_the_gates_of_a_revert(bench, "undo.posted")
    (bench.root / "go").touch()
    bench.dies("resume", failpoint="landing.moved")
    cancelled = bench.shiftwork("cancel")
    assert cancelled.returncode == 1, "it is not as if nothing had landed"
    _, message, hint = cancelled.stdout.splitlines()
    assert message == "it was too late to stop the revert of US-001: it has landed"
    assert hint == "next: shiftwork retry US-001 --from-scratch"
    assert bench.subjects()[0] == "revert: US-001 - Make work.txt"
