"""kill -9, and then somebody asks the run for something: it is done, although the run was about to do another thing."""

import signal
from pathlib import Path

import pytest

from tests.durability.rig import Bench, make_bench

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "ralph")
LANDED = "feat: US-001 - Make work.txt"


@pytest.fixture(params=["kept", "deleted"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def killed(bench: Bench, engine: str, *words: str, failpoint: str) -> None:
    died = bench.shiftwork(*words, failpoint=failpoint)
    assert died.returncode == -signal.SIGKILL, f"{failpoint} was not reached:\n{died.stdout}{died.stderr}"
    if engine == "deleted":
        bench.forget_engine()


def subjects(bench: Bench) -> list[str]:
    return bench.git("log", "--format=%s", "main").splitlines()


def test_a_story_that_is_edited_before_it_was_begun_is_begun_as_it_is_then(engine: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    killed(bench, engine, *RUN, failpoint="run.recorded")
    assert bench.shiftwork("edit", "US-001", "--title", "Write work.txt").returncode == 0
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert subjects(bench) == ["feat: US-001 - Write work.txt", "start"]


def test_a_story_that_is_added_to_a_run_about_to_end_is_done_by_whoever_adds_it(engine: str, tmp_path: Path) -> None:
    bench = make_bench(tmp_path, "")
    killed(bench, engine, *RUN, failpoint="spec.ticked")
    added = bench.shiftwork("add", "More work")
    assert added.returncode == 0, added.stdout + added.stderr
    assert subjects(bench) == ["feat: US-002 - More work", LANDED, "start"]
    view = bench.status()
    assert (view["status"], view["completed"], view["worker"]) == ("completed", 3, None)
