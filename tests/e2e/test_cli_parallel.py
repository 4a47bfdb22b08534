"""`shiftwork run` with a spec of several stories: in parallel on the durable engine, in the order of dependencies."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.cli_rig import NO_STORY_WRONG, WORKING, Project, new_project

AT_ONCE = 4
FAILING = "US-002"
STORIES: dict[str, Sequence[str]] = {
    "US-001": (),
    FAILING: (),
    "US-003": (),
    "US-004": (),
    "US-005": ("US-001", "US-003"),
    "US-006": (FAILING,),
    "US-007": ("US-006",),
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    (project.shared / "busy").mkdir()
    (project.shared / "come").mkdir()
    # Making a folder fails where it stands already: two stories that share their ports would show. The first of them go
    # on when all are there.
    agent = f"""\
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then
  mkdir {project.shared}/busy/$SHIFTWORK_PORT_BASE || echo "$SHIFTWORK_STORY" >> {project.shared}/shared
  touch {project.shared}/come/$SHIFTWORK_STORY
  until [ $(ls {project.shared}/come | wc -l) -ge {AT_ONCE} ]; do sleep 0.05; done
  ls {project.shared}/busy | wc -l >> {project.shared}/counted
  rmdir {project.shared}/busy/$SHIFTWORK_PORT_BASE
  [ "$SHIFTWORK_STORY" = {FAILING} ] && exit 3
  ls > "$SHIFTWORK_STORY.txt"
fi
"""
    project.settle(agent=agent + WORKING, gates=f'test = "{NO_STORY_WRONG}"')
    stories = [
        {"id": story, "title": f"Do {story}", "acceptance_criteria": ["done"], "depends_on": list(needs)}
        for story, needs in STORIES.items()
    ]
    prd = {"project": "demo", "feature": "Several things", "user_stories": stories}
    (project.root / "prd.json").write_text(json.dumps(prd, indent=2), encoding="utf-8")
    return project


def test_four_at_once_in_the_order_of_dependencies_and_failures_block(project: Project) -> None:
    completed = project.shiftwork("run", "prd.json", "--parallel", str(AT_ONCE))
    assert completed.returncode == 1, completed
    stories = {story["story"]: story for story in project.status()["stories"]}
    assert {name: story["status"] for name, story in stories.items()} == {
        "US-001": "completed",
        FAILING: "failed",
        "US-003": "completed",
        "US-004": "completed",
        "US-005": "completed",
        "US-006": "blocked",
        "US-007": "blocked",
    }
    assert {stories[name]["failure"] for name in ("US-006", "US-007")} == {f"depends on {FAILING}, which failed"}
    assert f"blocked: depends on {FAILING}, which failed" in project.shiftwork("status").stdout
    shown = project.git("show", "main:US-005.txt").split()
    assert {"US-001.txt", "US-003.txt"} <= set(shown), "it started from what it depends on"
    counts = (project.shared / "counted").read_text(encoding="utf-8").split()
    assert max(map(int, counts)) == AT_ONCE
    assert not (project.shared / "shared").exists(), "no two stories had the same ports"
