"""A wrong path in a criterion is repaired by every way that a person has: edit, the spec's file, or leaving it out."""

import json
from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project

WRONG, RIGHT = "`test -e nowhere.txt` passes", "`test -e hello.txt` passes"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    made.settle()
    return made


def write(project: Project, criterion: str) -> None:
    story = {"id": "US-003", "title": "Greet", "acceptanceCriteria": [criterion], "passes": False}
    (project.root / "prd.json").write_text(json.dumps({"project": "P", "userStories": [story]}), encoding="utf-8")


def test_a_story_with_a_wrong_command_lands_once_its_criterion_is_repaired(project: Project) -> None:
    write(project, WRONG)
    failed = project.shiftwork("run", "prd.json", "--workflow", "ralph")
    assert "gate US-003 AC-1 failed" in failed.stdout, failed

    refused = project.shiftwork("edit", "US-003", "--criterion", "`sh new.sh` passes", SHIFTWORK_TRUST="")
    assert refused.returncode == 64, refused
    assert "US-003 would run what you have not trusted" in refused.stderr
    assert "AC-1  sh new.sh" in refused.stderr
    changed = project.shiftwork("edit", "US-003", "--criterion", "`sh new.sh` passes", "--trust", SHIFTWORK_TRUST="")
    assert changed.returncode == 0, changed
    assert "US-003 AC-1" in changed.stdout, "the request says which gate it brings"

    project.shiftwork("trust", SHIFTWORK_TRUST="")
    write(project, RIGHT)
    refused = project.shiftwork("retry", "US-003", SHIFTWORK_TRUST="")
    assert refused.returncode == 64, refused
    assert "US-003 AC-1  test -e hello.txt" in refused.stderr
    landed = project.shiftwork("retry", "US-003")
    assert landed.returncode == 0, landed
    assert "US-003 is read again from prd.json" in landed.stdout
    assert "checked from now on: US-003 AC-1: test -e hello.txt" in landed.stdout
    assert "AC-1 `test -e hello.txt` passes" in project.shiftwork("proof", "US-003").stdout


def test_a_gate_of_a_criterion_is_left_out_by_its_printed_name(project: Project) -> None:
    write(project, WRONG)
    project.shiftwork("run", "prd.json", "--workflow", "ralph")
    unknown = project.shiftwork("retry", "US-003", "--without-gate", "US-003 AC-2")
    assert "did you mean US-003 AC-1?" in unknown.stderr
    landed = project.shiftwork("retry", "US-003", "--without-gate", "US-003 AC-1")
    assert landed.returncode == 0, landed
    assert "not checked AC-1" in project.shiftwork("proof", "US-003").stdout
