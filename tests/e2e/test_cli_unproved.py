"""Work that landed without proof is never called proved: not on screen, in a document, in a commit or in the spec."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_rig import Project, new_project

JUNK = """\
cat > /dev/null
if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then echo junk >> "$SHIFTWORK_STORY.txt"; fi
echo SUMMARY:
echo "did the $SHIFTWORK_STEP_TYPE"
"""
"""An agent that writes one junk line a story, and says that it is done."""

CHECKED = "the only check was that something changed"


def asked(project: Project, stories: int, *, gates: str) -> None:
    project.settle(agent=JUNK, gates=gates)
    listed = [
        {
            "id": f"US-00{number}",
            "title": f"Greet {number}",
            "description": "As a user I want to be greeted",
            "acceptanceCriteria": ["It says hello", "It says goodbye"],
            "passes": False,
        }
        for number in range(1, stories + 1)
    ]
    (project.root / "prd.json").write_text(json.dumps({"project": "Greeter", "userStories": listed}), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)


def views(project: Project) -> dict[str, str]:
    """What every command that looks at a run prints."""
    values = {}
    for command in ("status", "stories", "report", "export", "proof", "proof US-001", "proof --verify US-001"):
        done = project.shiftwork(*command.split())
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        values[command] = done.stdout
    return values


def notes(project: Project) -> list[str]:
    return [story["notes"] for story in json.loads((project.root / "prd.json").read_text())["userStories"]]


def calls_proved(text: str) -> bool:
    """Whether anything is said to be proved: what a blind gate did is `proved nothing`, and keys are no claims."""
    return bool(re.search(r"(?i)\bproved\b(?! nothing)(?!\"?:)", text))


def test_two_stories_of_one_junk_line_each_are_nowhere_called_proved(project: Project) -> None:
    asked(project, 2, gates='test = "test -f README"')
    ran = project.shiftwork("run", "prd.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "landed   2 stories, gates passed" in ran.stdout
    assert "landed on main, gates passed\n" in ran.stdout
    assert not calls_proved(ran.stdout)
    for command, view in views(project).items():
        assert not calls_proved(view), f"{command}: {view}"
        expected = "0 of 4 criteria have evidence" if command == "status" else "0 of 2|gates passed"
        assert re.search(expected, view), f"{command}: {view}"
    for note in notes(project):
        assert re.fullmatch(r"Landed as \w{12} by shiftwork run \w+, gates passed", note)
    message = project.git("log", "-1", "--format=%B", "main")
    assert re.search(r"\n\nShiftwork-Run: \w+/US-002$", message), "the policy asks for no more"
    verified = project.shiftwork("proof", "--verify", "US-001")
    assert verified.stdout.splitlines()[-1] == ("US-001: the certificate holds; weakest: 0 of 2 criteria have evidence")


def test_work_that_landed_with_no_gates_is_said_to_have_been_checked_by_none(project: Project) -> None:
    asked(project, 1, gates="")
    ran = project.shiftwork("run", "prd.json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    unchecked = "no gates: only the diff will be checked; name your checks under [gates] in shiftwork.toml"
    assert ran.stdout.splitlines()[0] == unchecked
    assert ran.stdout.count(f"landed without any gate: {CHECKED}") >= 1
    assert not calls_proved(ran.stdout)
    for command, view in views(project).items():
        assert not calls_proved(view), f"{command}: {view}"
        assert re.search("without any gate|no gates", view), f"{command}: {view}"
    assert re.fullmatch(rf"Landed as \w{{12}} by shiftwork run \w+ without any gate: {CHECKED}", notes(project)[0])
    message = project.git("log", "-1", "--format=%B", "main")
    assert message.endswith("\nShiftwork-Unproved: the only check was that something changed")
    verified = project.shiftwork("proof", "--verify", "US-001")
    assert verified.stdout.splitlines()[-1].endswith("not checked: gates; weakest: landed without any gate")
    assert "\nno gates: nothing was run on this commit\n" in project.shiftwork("proof", "US-001").stdout
    commands = ("status", "stories", "proof", "proof --verify")
    shown = [json.loads(project.shiftwork(*command.split(), "--json").stdout) for command in commands]
    assert [_level(item) for item in shown] == ["no_gates"] * len(commands)
    last = shown[-1]
    assert last["weakest"] == last["checked"][0]["weakest"] == "landed without any gate"
    _in_the_result(project)


def _in_the_result(project: Project) -> None:
    project.settle(agent=JUNK.replace("$SHIFTWORK_STORY.txt", "again.txt"), gates="")
    result = json.loads(project.shiftwork("run", "Greet", "--json", "--workflow", "ralph").stdout.splitlines()[-1])
    (story,) = result["stories"]
    assert result["exit_code"] == 0
    counted = (story["criteria_shown"], story["criteria_total"])
    assert (story["state"], story["proof"], *counted) == ("landed", "no_gates", 0, 1)
    assert result["stories_by_proof"] == {"proved": [], "partly": [], "gates_only": [], "no_gates": ["US-001"]}


def _level(values: dict[str, Any]) -> str:
    """Of the one story, wherever a document says it."""
    if "stories" in values:
        return str(values["stories"][0]["proof"])
    (found,) = values["proofs"].values() if "proofs" in values else [one["story_proof"] for one in values["checked"]]
    return str(found["proof"])
