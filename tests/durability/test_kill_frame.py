"""kill -9 between the run's own steps and the stories, in both directions, then a restart: everything is done once."""

from pathlib import Path

import pytest

from tests.durability.rig import Bench, make_bench
from tests.repositories import git_locks

pytestmark = pytest.mark.durability

RUN = ("run", "../prd.json", "--workflow", "framed")

WORKFLOW = """\
id: framed
agents:
  - id: worker
steps:
  - {id: before, agent: worker, input: "Look around. {{task}}"}
  - id: stories
    type: loop
    body:
      - {id: coding, type: coding, agent: worker, input: "Do it. {{current_story}}"}
  - {id: after, agent: worker, input: "Look at it all. {{task}}"}
"""


def framed_bench(root: Path) -> Bench:
    bench = make_bench(root, "")
    folder = bench.repo / "shiftwork" / "workflows"
    folder.mkdir(parents=True)
    (folder / "framed.yml").write_text(WORKFLOW)
    bench.git("add", "--all")
    bench.git("commit", "--quiet", "-m", "a workflow")
    return bench


@pytest.mark.parametrize("place", ["loop.opened", "loop.closed"])
def test_killed_where_the_stories_begin_and_end(place: str, tmp_path: Path) -> None:
    bench = framed_bench(tmp_path)
    bench.dies(*RUN, failpoint=place)
    resumed = bench.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    log = bench.subjects()
    assert log == ["feat: US-001 - Make work.txt", "a workflow", "start"]
    assert sum(bench.attempts().values()) == 3, "no step was done twice"
    view = bench.status()
    assert (view["status"], view["worker"]) == ("completed", None)
    assert not git_locks(bench.repo)
