"""kill -9 around an approval: nothing lands without approval, and approved work lands once, without asking again."""

from pathlib import Path

import pytest

from tests.durability.rig import Bench, make_bench

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "ralph", "--review")
LANDED = "feat: US-001 - Make work.txt"


def assert_asked(bench: Bench) -> None:
    assert bench.subjects() == ["start"]
    (story,) = (view for view in bench.status()["stories"] if view["story"] == "US-001")
    assert story["hold"] == "approval"


def assert_landed(bench: Bench) -> None:
    assert bench.subjects() == [LANDED, "start"]
    assert bench.status()["status"] == "completed"
    assert sum(bench.attempts().values()) == 1
    assert bench.marked() == []


@pytest.mark.parametrize("place", ["landing.posted", "landing.built", "landing.verified", "landing.answered"])
def test_a_run_that_is_killed_before_it_asks_does_so_when_it_is_resumed(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    bench.dies(*RUN, failpoint=place)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 2, resumed.stdout + resumed.stderr
    assert_asked(bench)
    assert bench.shiftwork("approve", "US-001").returncode == 0
    assert_landed(bench)


@pytest.mark.parametrize(
    "place", ["append.before", "append.after", "landing.posted", "landing.verified", "landing.moved"]
)
def test_what_was_approved_lands_when_it_is_resumed_and_is_not_asked_about_again(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    assert bench.shiftwork(*RUN).returncode == 2
    assert_asked(bench)
    bench.dies("approve", "--all", failpoint=place)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed(bench)
