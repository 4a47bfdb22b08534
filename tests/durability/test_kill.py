"""kill -9 at every failpoint and in the middle of an agent's work, then a restart: everything lands exactly once."""

import os
import signal
from pathlib import Path

import pytest

from shiftwork import failpoints
from tests.conformance.processes.programs import guards_of
from tests.documented import ROOT, blocks
from tests.durability.rig import assert_landed_once, make_bench
from tests.patience import STATUS_EVERY, eventually

pytestmark = pytest.mark.durability

REQUEST = "../prd.json"

PLACES = (
    *failpoints.NAMES,
    # These are passed many times: the first is not like the ones in the middle of the story.
    "append.before@9",
    "append.after@9",
    "append.before@14",
    "append.after@14",
    "append.before@27",
    "append.after@27",
    "attempt.started@5",
    "attempt.ended@5",
    "attempt.committed@5",
    "attempt.committed@10",
)
NOT_PASSED_BY_A_HAPPY_RUN = frozenset(
    {
        "attempt.abandoned",
        "notice.sent",
        "wait.over",
        "story.reopened",
        "loop.opened",
        "loop.closed",
        "undo.posted",
        "story.reverted",
        "story.dismissed",
        "withdrawal.posted",
        "withdrawal.heard",
        "owed.ran",
        "owed.recorded",
    }
)
"""Tried by tests of their own."""


@pytest.mark.parametrize("place", [name for name in PLACES if name not in NOT_PASSED_BY_A_HAPPY_RUN])
def test_killed_at(place: str, engine: str, store_url: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, store_url)
    bench.dies("run", REQUEST, failpoint=place, engine=engine)
    resumed = bench.shiftwork("resume")
    if place == "append.before" and "nothing has been run" in resumed.stderr:
        resumed = bench.shiftwork("run", REQUEST)  # killed before the run itself was recorded: there is no run
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)


def test_killed_while_undoing_an_interrupted_attempt(engine: str, store_url: str, tmp_path: Path) -> None:
    """Killed twice: in an attempt, and again while what it left is put away."""
    bench = make_bench(tmp_path, store_url)
    assert bench.shiftwork("run", REQUEST, failpoint="attempt.ended@5").returncode == -signal.SIGKILL
    bench.dies("resume", failpoint="attempt.abandoned", engine=engine)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)
    kept = list((bench.state / "diffs").rglob("step-005-1-interrupted*.diff"))
    assert len(kept) == 1
    assert "work of step-005" in kept[0].read_text()
    report = bench.shiftwork("report").stdout
    assert str(kept[0]) in report, "the second process reports what the first one has kept"


DAEMON = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ] && [ ! -e {once} ]; then
  touch {once}
  (setsid sh -c 'sleep 3; echo late >> work.txt; git add -A; git commit -qm late; sleep 600' >/dev/null 2>&1 &)
  sleep 600
fi
"""


def test_pain_13_an_agent_that_outlives_its_orchestrator_commits_nothing(
    engine: str, store_url: str, tmp_path: Path
) -> None:
    """The agent and the daemon it spawned outlive the orchestrator, whose guard was killed as well; nothing they do
    afterwards reaches the base.
    """
    once = tmp_path / "once"
    bench = make_bench(tmp_path, store_url, special=DAEMON.format(once=once))
    running = bench.start("run", REQUEST)
    try:
        eventually(lambda: once.exists() and len(bench.marked()) >= 2, every=STATUS_EVERY)
        for guard in guards_of(running.pid):
            os.kill(guard, signal.SIGKILL)
    finally:
        running.kill()
    assert bench.marked(), "the agent outlives its orchestrator"
    if engine == "deleted":
        bench.forget_engine()
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)


def test_every_failpoint_is_tried() -> None:
    tried = {place.partition("@")[0] for place in PLACES}
    assert tried == failpoints.NAMES.keys()


def test_a_run_that_is_killed_again_and_again_still_lands_once(store_url: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, store_url)
    deaths = 1
    assert bench.shiftwork("run", REQUEST, failpoint="append.after@4").returncode == -signal.SIGKILL
    while (ended := bench.shiftwork("resume", failpoint="append.after@6")).returncode == -signal.SIGKILL:
        deaths += 1
        assert deaths < 40
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert deaths > 3
    assert_landed_once(bench, again=deaths)


@pytest.mark.parametrize(("howto", "block"), [("recover", "recover"), ("keep-the-history-in-postgres", "postgres")])
def test_the_howtos_typed_literally_work(howto: str, block: str, postgres_url: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, postgres_url)
    assert bench.shiftwork("run", REQUEST, failpoint="attempt.ended@5").returncode == -signal.SIGKILL
    typed = bench.type(blocks(ROOT / "docs" / "howto" / f"{howto}.md", block))
    assert typed.returncode == 0, typed.stdout + typed.stderr
    assert_landed_once(bench, again=1)


LIMITED = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ] && [ ! -e {once} ]; then
  touch {once}
  exit 75
fi
"""


def test_killed_when_a_limit_has_been_waited_for(engine: str, store_url: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, store_url, special=LIMITED.format(once=tmp_path / "once"))
    assert bench.shiftwork("run", REQUEST, failpoint="wait.over").returncode == -signal.SIGKILL
    assert bench.attempts()["step-005"] == 1, "nobody was asked again"
    if engine == "deleted":
        bench.forget_engine()
    resumed = bench.type(blocks(ROOT / "docs" / "howto" / "limits.md", "limits"))
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert_landed_once(bench, again=1)
    assert bench.attempts()["step-005"] == 2
