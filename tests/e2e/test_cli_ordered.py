"""`shiftwork run` with a prd.json whose stories state no dependencies: one after the other."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import NO_STORY_WRONG, Project, new_project

AGENT = """\
cat > /dev/null
[ "$SHIFTWORK_STORY" = "$(cat {where}/failing)" ] && exit 3
ls > "$SHIFTWORK_STORY.txt"
echo SUMMARY:
echo "did it"
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    (project.shared / "failing").write_text("", encoding="utf-8")
    project.settle(agent=AGENT.format(where=project.shared), gates=f'test = "{NO_STORY_WRONG}"')
    stories = [
        {"id": f"US-00{n}", "title": f"Do {n}", "acceptanceCriteria": ["done"], "priority": n} for n in (1, 2, 3)
    ]
    (project.root / "prd.json").write_text(json.dumps({"project": "demo", "userStories": stories}), encoding="utf-8")
    return project


def statuses(project: Project) -> list[str]:
    return [story["status"] for story in project.status()["stories"]]


def test_a_failure_stops_the_run_until_a_retry_or_until_it_is_to_keep_going(project: Project) -> None:
    dry = json.loads(project.shiftwork("run", "prd.json", "--workflow", "ralph", "--dry-run", "--json").stdout)
    assert dry["order"]["ordered"]
    assert [prompt["story"] for prompt in dry["prompts"]] == ["US-001"]
    (project.shared / "failing").write_text("US-002", encoding="utf-8")
    stopped = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert stopped.returncode == 1, stopped
    said = "3 stories, one after the other because none states a dependency: US-001, US-002, US-003"
    assert said in stopped.stdout
    assert "--parallel N works on independent stories at once" in stopped.stdout
    assert project.status()["options"]["ordered"]
    assert statuses(project) == ["completed", "failed", "blocked"]
    run = project.status()["run"]
    assert "not started: US-003" in stopped.stdout
    assert "shiftwork retry US-002" in stopped.stdout
    assert f"shiftwork resume {run} --keep-going" in stopped.stdout
    going = project.shiftwork("resume", run, "--keep-going")
    assert going.returncode == 1, going
    assert statuses(project) == ["completed", "failed", "completed"]
    seen = project.git("show", "main:US-003.txt").split()
    assert ("US-001.txt" in seen, "US-002.txt" in seen) == (True, False)
    (project.shared / "failing").write_text("", encoding="utf-8")
    again = project.shiftwork("retry", "US-002")
    assert again.returncode == 0, again
    assert statuses(project) == ["completed"] * 3
