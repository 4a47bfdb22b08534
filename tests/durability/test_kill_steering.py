"""kill -9 while a run carries out a request, then a restart: the request is done once."""

import json
import signal
from pathlib import Path

import pytest

from tests.durability.rig import GATE, assert_landed_once, make_bench
from tests.patience import eventually
from tests.repositories import git_locks

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json")

FAILING_ONCE = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ] && [ ! -e {again} ]; then exit 3; fi
"""


@pytest.mark.parametrize("place", ["story.reopened", "append.before", "append.after", "append.after@3"])
def test_killed_while_a_failed_story_is_begun_again(place: str, tmp_path: Path) -> None:
    again = tmp_path / "again"
    bench = make_bench(tmp_path, "", special=FAILING_ONCE.format(again=again))
    assert bench.shiftwork(*RUN).returncode == 1
    again.touch()
    bench.dies("retry", "US-001", failpoint=place)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=3)  # coding had failed twice, and may have been interrupted


@pytest.mark.parametrize("place", ["undo.posted", "story.reverted", "landing.moved", "append.after", "append.after@4"])
def test_killed_while_a_landed_story_is_undone(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    settings = bench.repo / "shiftwork.toml"
    settings.write_text(settings.read_text().replace(GATE, "true"))  # it passes without the story, too
    bench.git("commit", "--quiet", "-am", "other gates")
    assert bench.shiftwork(*RUN).returncode == 0
    bench.dies("undo", "US-001", failpoint=place)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, "the run has ended as it was asked to"
    log = bench.subjects()
    assert log == ["revert: US-001 - Make work.txt", "feat: US-001 - Make work.txt", "other gates", "start"]
    view = bench.status()
    assert (view["status"], view["completed_count"], view["failed_count"], view["worker"]) == ("undone", 1, 0, None)
    undone, _ = view["stories"]
    assert (undone["status"], undone["cause"]) == ("undone", "undone")
    assert '"passes": false' in bench.spec.read_text()
    assert not git_locks(bench.repo)


@pytest.mark.parametrize("place", ["story.dismissed", "append.before", "append.after", "append.after@2"])
def test_killed_while_a_failed_story_is_dismissed(place: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "", special=FAILING_ONCE.format(again=tmp_path / "never"))
    assert bench.shiftwork(*RUN).returncode == 1
    assert bench.shiftwork("cancel", "--story", "US-001").returncode == 0
    bench.dies("resume", failpoint=place)
    bench.shiftwork("resume")
    view = bench.status()
    assert (view["failed_count"], view["worker"]) == (0, None)
    dismissed = view["stories"][0]
    assert (dismissed["story"], dismissed["status"], dismissed["cause"]) == ("US-001", "cancelled", "cancelled")


WAITING = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then while [ ! -e {go} ]; do sleep 0.1; done; fi
"""


def test_killed_while_a_person_restarts_a_step(tmp_path: Path) -> None:
    """The attempt has ended, and neither that nor the request is recorded."""
    go = tmp_path / "go"
    bench = make_bench(tmp_path, "", special=WAITING.format(go=go))
    running = bench.start(*RUN, failpoint="attempt.abandoned")
    try:
        eventually(lambda: bench.attempts()["step-005"] == 1)
        asked = bench.shiftwork("steps", "restart", "US-001", "coding", "--reason", "another way")
        assert asked.returncode == 0, asked
        assert running.wait() == -signal.SIGKILL
    finally:
        running.kill()
    go.touch()
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)
    steps = json.loads(bench.shiftwork("steps", "US-001", "--json").stdout)
    assert [step["restarts"] for step in steps["steps"]] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert (steps["requested"], steps["rejected"]) == ([], [])
