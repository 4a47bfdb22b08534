"""The steps of a story: shown, and edited from another terminal while its agent works, or while no process does."""

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


def test_edits_without_a_process_take_effect_when_the_run_continues(project: Project) -> None:
    with project.started("run", "prd.json", "--workflow", "dynamic") as process:
        at_work(project)
        process.kill()
        process.communicate(timeout=SECONDS)
    run = project.status()["run"]
    said = typed(project, "steps", "skip", "US-001", "prune_tests", "--reason", "no tests")
    assert said.splitlines() == [
        "requested; done when the run continues (no process works on it): step-009 prune_tests of US-001 is skipped",
        f"next: shiftwork resume {run}",
    ]
    result = document(project, "steps", "restart", "US-001", "step-005", "--reason", "use the parser")
    assert (result["delivery"], result["awaits"]) == ("waiting", "resume")
    go(project)
    typed(project, "resume")
    assert performed(project) == numbered(1, 2, 3, 4, 5, 6, 7, 8, 10)
    steps = {step["step"]: step for step in document(project, "steps", "US-001")["steps"]}
    assert (steps["step-005"]["restarts"], steps["step-009"]["outcome"]) == (1, "no tests")


def test_mistakes_say_what_happened_and_what_to_type(project: Project) -> None:
    go(project)
    typed(project, "run", "prd.json", "--workflow", "dynamic")
    run = project.status()["run"]
    rows = (
        (("steps", "US-9"), f"run {run} has no story US-9", f"shiftwork stories {run}"),
        (("steps", "ad", "US-001", "coding", "x"), "there is no command 'ad'; did you mean add?", "steps --help"),
        (("steps", "skip", "US-001", "review"), "Missing option '--reason'", "shiftwork steps skip --help"),
        (
            ("steps", "add", "US-001", "coding", "more"),
            "US-001 has landed: its steps can no longer be edited",
            f"shiftwork undo US-001 --run {run}",
        ),
        (
            ("steps", "skip", "US-001", "review", "--reason", "r", "--run", "nope"),
            "there is no run nope",
            "shiftwork status --all",
        ),
    )
    for words, why, hint in rows:
        refused = project.shiftwork(*words)
        assert refused.returncode == 64, refused
        assert why in refused.stderr
        assert hint in refused.stderr
    shown = typed(project, "steps", "US-001")
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert shown.splitlines()[2].split() == ["#", "step", "name", "state", "tries", "added", "by"]
    assert shown.splitlines()[-1] == f"next: shiftwork status {run}"
