"""kill -9 while a story lands, then a cancel: landed work stays and is reported, and other work never lands."""

import json
import signal
from pathlib import Path

import pytest

from tests.durability.rig import GATE, Bench, make_bench
from tests.patience import eventually
from tests.repositories import git_locks
from tests.warm import Started

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "ralph")
LANDED = ["feat: US-001 - Make work.txt", "start"]


@pytest.mark.parametrize("words", ["text", "json"])
def test_a_cancel_that_comes_after_the_branch_has_moved_says_so(words: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    assert bench.shiftwork(*RUN, failpoint="landing.moved").returncode == -signal.SIGKILL
    cancelled = bench.shiftwork("cancel", *(["--json"] if words == "json" else []))
    assert cancelled.returncode == 1, "it is not as if nothing had landed"
    assert bench.subjects() == LANDED
    commit = bench.git("rev-parse", "main")
    if words == "json":
        document = json.loads(cancelled.stdout)
        assert (document["status"], document["landed_meanwhile"]) == ("cancelled", ["US-001"])
        return
    _, message, hint = cancelled.stdout.splitlines()
    assert message.startswith(f"it was too late to stop US-001: landed {commit[:10]} on main")
    assert hint == "next: shiftwork undo US-001"
    resumed = bench.shiftwork("resume")
    assert f"cancelled: 2 of 2 stories have landed, the last as {commit[:10]} on main" in resumed.stdout


SLOW = "git log -1 --format=%s | grep -q : || exit 0; touch {begun}; [ -e {go} ] || sleep 600"
"""On commits of the harness alone: on the user's own there is nothing to wait for."""


def with_slow_gates(bench: Bench) -> Path:
    """Gates that pass once there is a file `go`. Returns the file that they create when they start."""
    begun, proceed = bench.root / "gates-run", bench.root / "go"
    settings = bench.repo / "shiftwork.toml"
    settings.write_text(settings.read_text().replace(GATE, SLOW.format(begun=begun, go=proceed)))
    bench.git("commit", "--quiet", "-am", "slow gates")
    return begun


def at_its_gates(bench: Bench, failpoint: str = "") -> Started:
    """The run in progress, whose gates run on the commit that is about to land."""
    begun = with_slow_gates(bench)
    running = bench.start(*RUN, failpoint=failpoint)
    eventually(begun.exists)
    return running


def assert_cancelled(bench: Bench) -> None:
    assert bench.subjects() == ["slow gates", "start"]
    view = bench.status()
    assert (view["status"], view["worker"], view["stories"][0]["cause"]) == ("cancelled", None, "cancelled")
    assert bench.marked() == []
    assert not git_locks(bench.repo)


@pytest.mark.parametrize(
    "place",
    [
        "withdrawal.posted",
        "withdrawal.heard",
        "landing.answered",
        *(f"append.{moment}@{number}" for moment in ("before", "after") for number in range(1, 7)),
    ],
)
def test_a_story_that_is_cancelled_at_its_gates_never_lands_whenever_the_cancel_dies(
    place: str, tmp_path: Path
) -> None:
    bench = make_bench(tmp_path, "")
    at_its_gates(bench).kill()
    bench.dies("cancel", failpoint=place)
    (bench.root / "go").touch()  # gates would pass now
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 1, resumed.stdout + resumed.stderr
    assert_cancelled(bench)


def test_a_story_that_died_before_it_knew_that_it_had_asked_to_land_takes_that_back_too(tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    with_slow_gates(bench)
    bench.dies(*RUN, failpoint="landing.posted")
    cancelled = bench.shiftwork("cancel")
    assert cancelled.returncode == 0, cancelled.stdout + cancelled.stderr
    assert_cancelled(bench)
    (bench.root / "go").touch()  # gates would pass now
    assert bench.shiftwork("run", "../prd.json", "--workflow", "ralph").returncode == 0
    subjects = bench.subjects()
    assert subjects.count(LANDED[0]) == 1, "what the cancelled run had asked for has landed, too"


@pytest.mark.parametrize("place", ["withdrawal.posted", "withdrawal.heard", "landing.answered"])
def test_a_worker_that_dies_while_its_story_leaves_the_queue_lands_nothing_later(place: str, tmp_path: Path) -> None:
    """Its gates keep running when it dies: the cancel that continues the run ends them."""
    bench = make_bench(tmp_path, "")
    running = at_its_gates(bench, failpoint=place)
    cancelled = bench.shiftwork("cancel")
    assert running.wait() == -signal.SIGKILL, f"{place} was not reached"
    assert cancelled.returncode == 0, cancelled.stdout + cancelled.stderr
    assert "is cancelled" in cancelled.stdout
    (bench.root / "go").touch()  # gates still in progress would pass now
    assert_cancelled(bench)
