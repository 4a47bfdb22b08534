"""The steps of a story: shown, and edited from another terminal while its agent works."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import WORKING, Project, new_project, writing_pid, written_pid
from tests.patience import SECONDS

pytestmark = pytest.mark.slow

HOWTO = ROOT / "docs" / "howto"

AGENT = """\
if [ "$SHIFTWORK_STEP_TYPE" = coding ] && [ ! -f {where}/go ]; then
  if [ "$SHIFTWORK_ATTEMPT_NUMBER" = 1 ]; then echo wrong > wrong.txt; fi
  {pid}
  while [ ! -f {where}/go ]; do sleep 0.1; done
fi
echo "$SHIFTWORK_STEP" >> {where}/steps
"""
"""It codes until the file `go` exists, and its first attempt leaves a file that a restart must undo."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    project.settle(agent=AGENT.format(where=project.shared, pid=writing_pid(project.shared / "pid")) + WORKING)
    story = {"id": "US-001", "title": "Say hello", "acceptanceCriteria": ["hello.txt says hello"]}
    prd = {"project": "demo", "userStories": [story]}
    (project.root / "prd.json").write_text(json.dumps(prd, indent=2), encoding="utf-8")
    return project


def at_work(project: Project) -> None:
    """Until the agent codes."""
    written_pid(project.shared / "pid")


def typed(project: Project, *words: str) -> str:
    completed = project.shiftwork(*words)
    assert completed.returncode == 0, completed
    return completed.stdout


def document(project: Project, *words: str) -> Any:
    return json.loads(typed(project, *words, "--json").splitlines()[-1])


def performed(project: Project) -> list[str]:
    """The steps that an agent has completed, in order."""
    return (project.shared / "steps").read_text(encoding="utf-8").split()


def go(project: Project) -> None:
    (project.shared / "go").touch()


def numbered(*numbers: int) -> list[str]:
    return [f"step-{number:03d}" for number in numbers]


def test_what_the_howto_says_about_steps_works_while_another_process_works(project: Project) -> None:
    with project.started("run", "prd.json", "--workflow", "dynamic") as process:
        at_work(project)
        *before, restart = blocks(HOWTO / "steer-a-run.md", "steps").splitlines()
        done = project.types("\n".join(before))
        assert done.returncode == 0, done
        assert (
            "requested; done when step-005 coding has ended: step-009 prune_tests of US-001 is skipped" in done.stdout
        )
        assert len(document(project, "steps", "US-001")["requested"]) == 5
        restarted = project.types(restart)
        assert restarted.returncode == 0, restarted
        assert restarted.stdout.startswith("step-005 coding of US-001 starts again")
        go(project)
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, message
    assert performed(project) == numbered(1, 2, 3, 4, 5, 6, 8, 11, 12, 13, 10)
    assert not (project.root / "wrong.txt").exists()
    assert "restarted by a person" in message
    listed = document(project, "steps", "US-001")
    assert (listed["requested"], listed["rejected"], listed["status"]) == ([], [], "completed")
    by_person = [step["step"] for step in listed["steps"] if step["added_by"] == "person"]
    assert by_person == numbered(11, 12, 13)


def test_what_someone_from_dynamic_ralph_types_works(project: Project) -> None:
    go(project)
    done = project.types(blocks(HOWTO / "coming-from-dynamic-ralph.md", "dynamic"))
    assert done.returncode == 0, done
    assert performed(project) == numbered(*range(1, 11))
    exported = json.loads(done.stdout[done.stdout.rindex("\n{") :])
    assert [step["status"] for step in exported["stories"]["US-001"]["steps"]] == ["completed"] * 10
