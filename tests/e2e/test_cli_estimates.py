"""`shiftwork status` while stories are in progress: it forecasts which of them will conflict."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import WORKING, Project, new_project
from tests.patience import SECONDS, STATUS_EVERY, awaited, eventually

AGENT = """\
case "$SHIFTWORK_STEP_TYPE" in
coding) echo "$SHIFTWORK_STORY" > "$SHIFTWORK_STORY.txt"
  if [ "$SHIFTWORK_STORY" != US-003 ]; then echo "$SHIFTWORK_STORY" > shared.txt; fi ;;
final_review) echo "$SHIFTWORK_STORY" >> {folder}/coded; while [ ! -f {folder}/go ]; do sleep 0.1; done ;;
rebase_resolve) echo both > shared.txt ;;
esac
"""
"""Two of three stories write the same file; all of them then wait."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    project.settle(agent=AGENT.format(folder=project.shared) + WORKING)
    stories = [{"id": f"US-00{number}", "title": "Do it", "acceptance_criteria": ["done"]} for number in (1, 2, 3)]
    prd = {"project": "demo", "feature": "Several things", "user_stories": stories}
    (project.root / "prd.json").write_text(json.dumps(prd), encoding="utf-8")
    return project


def test_two_stories_that_will_not_merge_are_reported_before_they_land(project: Project) -> None:
    coded = project.shared / "coded"
    with project.started("run", "prd.json", "--parallel", "3") as run:
        eventually(lambda: coded.exists() and len(coded.read_text(encoding="utf-8").split()) == 3)
        # `status` does not wait for the conflict forecast: where git is slow, it omits the forecast.
        document = awaited(project.status, lambda status: status["conflicts"], every=STATUS_EVERY)
        message = awaited(
            lambda: project.shiftwork("status").stdout, lambda text: "will conflict" in text, every=STATUS_EVERY
        )
        (project.shared / "go").touch()
        assert run.wait(timeout=SECONDS) == 0, run.stdout.read()
    assert document["activity"] == "working"
    assert document["conflicts"] == [{"between": ["US-001", "US-002"], "files": ["shared.txt"]}]
    assert "    US-001 and US-002: shared.txt" in message.splitlines()
    assert project.status()["conflicts"] == [], "a run that is over has no conflict forecast"
    assert "will conflict" not in project.shiftwork("status").stdout
    resolved = [step["type"] for story in project.status()["stories"] for step in story["steps"]]
    assert resolved.count("rebase_resolve") == 1, "the forecast was right"
