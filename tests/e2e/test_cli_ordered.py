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


def test_each_story_sees_the_files_of_those_before_it(project: Project) -> None:
    dry = json.loads(project.shiftwork("run", "prd.json", "--workflow", "ralph", "--dry-run", "--json").stdout)
    assert dry["order"]["ordered"]
    assert [prompt["story"] for prompt in dry["prompts"]] == ["US-001"]
    completed = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert completed.returncode == 0, completed
    said = "3 stories, one after the other because none states a dependency: US-001, US-002, US-003"
    assert said in completed.stdout
    assert "--parallel N works on independent stories at once" in completed.stdout
    assert "US-001.txt" in project.git("show", "main:US-002.txt").split()
    assert {"US-001.txt", "US-002.txt"} <= set(project.git("show", "main:US-003.txt").split())
    assert project.status()["options"]["ordered"]


def test_a_failure_stops_the_run_until_a_retry_or_until_it_is_to_keep_going(project: Project) -> None:
    (project.shared / "failing").write_text("US-002", encoding="utf-8")
    stopped = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert stopped.returncode == 1, stopped
    assert statuses(project) == ["completed", "failed", "blocked"]
    run = project.status()["run"]
    assert "not started: US-003" in stopped.stdout
    assert "shiftwork retry US-002" in stopped.stdout
    assert f"shiftwork resume {run} --keep-going" in stopped.stdout
    going = project.shiftwork("resume", run, "--keep-going")
    assert going.returncode == 1, going
    assert statuses(project) == ["completed", "failed", "completed"]
    assert project.git("show", "main:US-003.txt").split().count("US-002.txt") == 0
    (project.shared / "failing").write_text("", encoding="utf-8")
    again = project.shiftwork("retry", "US-002")
    assert again.returncode == 0, again
    assert statuses(project) == ["completed"] * 3


@pytest.mark.parametrize("written", ["option", "settings"])
def test_stories_are_independent_if_the_user_wrote_how_many_at_once(project: Project, written: str) -> None:
    if written == "settings":
        with (project.root / "shiftwork.toml").open("a", encoding="utf-8") as file:
            file.write("\n[run]\nparallel = 2\n")
    (project.shared / "failing").write_text("US-001", encoding="utf-8")
    more = ("--parallel", "2") if written == "option" else ()
    completed = project.shiftwork("run", "prd.json", "--workflow", "ralph", *more)
    assert completed.returncode == 1, completed
    assert statuses(project) == ["failed", "completed", "completed"]
    assert not project.status()["options"]["ordered"]
