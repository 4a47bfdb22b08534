"""A spec's own checks become gates of its run once trusted; unused fields of its file are listed before the work."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_rig import Project, interrupt, new_project, sleeping
from tests.patience import SECONDS, eventually

STORY = {"id": "US-001", "title": "Greet", "acceptance_criteria": ["It greets"], "passes": False}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = new_project(tmp_path)
    made.settle()
    return made


def write(project: Project, **more: Any) -> Path:
    path = project.root / "prd.json"
    document = {"project": "Greeter", "user_stories": [STORY], **more}
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return path


def passes(path: Path) -> bool:
    return bool(json.loads(path.read_text(encoding="utf-8"))["user_stories"][0]["passes"])


def test_nothing_lands_while_a_check_of_the_spec_is_red(project: Project) -> None:
    path = write(project, quality_checks={"test": "echo no such luck; exit 1"})
    completed = project.shiftwork("run", "prd.json")
    assert completed.returncode == 1, completed
    assert not passes(path)
    assert project.git("log", "--format=%s", "main").splitlines() == ["start"]
    assert "test (prd.json)" in completed.stdout, "the settings have a gate of that name as well"
    without = project.shiftwork("run", "prd.json", "--without-gate", "test (prd.json)")
    assert without.returncode == 0, without
    assert passes(path)


def test_the_checks_of_a_spec_are_run_only_once_they_are_trusted(project: Project) -> None:
    path = write(project, quality_checks={"lint": "test -f hello.txt"})
    project.shiftwork("trust", SHIFTWORK_TRUST="")
    refused = project.shiftwork("run", "prd.json", SHIFTWORK_TRUST="")
    assert refused.returncode == 64, refused
    assert refused.stderr.splitlines() == [
        "shiftwork: prd.json is the repository's, and would run what you have not trusted:",
        "  check lint  test -f hello.txt",
        f"  try: look at it, then: shiftwork trust {path}",
    ]
    assert project.shiftwork("trust", str(path), SHIFTWORK_TRUST="").returncode == 0
    landed = project.shiftwork("run", "prd.json", SHIFTWORK_TRUST="")
    assert landed.returncode == 0, landed
    assert passes(path)


def test_a_command_that_a_plan_names_in_words_is_trusted_as_well(project: Project) -> None:
    plan = project.root / "plan.md"
    plan.write_text("# Plan\n\n## Greet\n- `test -f hello.txt` passes\n", encoding="utf-8")
    project.shiftwork("trust", SHIFTWORK_TRUST="")
    refused = project.shiftwork("run", "plan.md", SHIFTWORK_TRUST="")
    assert refused.returncode == 64, refused
    assert "greet AC-1  test -f hello.txt" in refused.stderr
    assert project.shiftwork("trust", "plan.md", SHIFTWORK_TRUST="").returncode == 0
    assert project.shiftwork("run", "plan.md", SHIFTWORK_TRUST="").returncode == 0
    shown = project.shiftwork("proof", "greet").stdout
    assert "holds    AC-1 `test -f hello.txt` passes" in shown


def test_a_run_keeps_the_checks_that_it_began_with(project: Project) -> None:
    """They hold whatever the file contains on resume; and the certificate lists them, so that they can be rerun."""
    path = write(project, quality_checks={"lint": "test -f hello.txt # first"})
    project.settle(agent=sleeping(project.shared))
    with project.started("run", "prd.json") as worker:
        eventually((project.shared / "pid").exists)
        interrupt(worker)
        worker.communicate(timeout=SECONDS)
    write(project, quality_checks={"lint": "exit 1"})
    (project.shared / "go").touch()
    completed = project.shiftwork("resume", SHIFTWORK_TRUST="1")
    assert completed.returncode == 0, completed
    assert passes(path)
    verified = project.shiftwork("proof", "--verify", "US-001")
    assert verified.returncode == 0, verified
    assert "ok   US-001 gate lint: passed" in verified.stdout


def test_a_certificate_in_a_file_runs_the_checks_of_its_spec_once_they_are_trusted(
    project: Project, tmp_path: Path
) -> None:
    write(project, quality_checks={"lint": "test -f hello.txt # of the spec"})
    assert project.shiftwork("run", "prd.json").returncode == 0
    paper = tmp_path / "paper.json"
    assert project.shiftwork("proof", "US-001", "--out", str(paper)).returncode == 0
    project.shiftwork("trust", SHIFTWORK_TRUST="")
    refused = project.shiftwork("proof", "--verify", str(paper), SHIFTWORK_TRUST="")
    assert refused.returncode == 64, refused
    assert "gate lint  test -f hello.txt # of the spec" in refused.stderr
    verified = project.shiftwork("proof", "--verify", str(paper))
    assert "ok   US-001 gate lint: passed" in verified.stdout


def test_what_of_the_file_was_not_used_is_listed_before_the_work(project: Project) -> None:
    story = STORY | {"estimate": 3, "labels": ["x"]}
    write(project, user_stories=[story], version="1.0", quality_checks={"lint": "true", "coverage": 80})
    block = [
        "not used of prd.json:",
        "  user_stories[0].estimate  not understood",
        "  quality_checks.coverage   not understood",
        "  user_stories[0].labels    not used",
        "  version                   not used",
    ]
    planned = project.shiftwork("plan", "prd.json")
    assert planned.stdout.splitlines()[-5:] == block, planned
    assert "checks         lint (true)" in planned.stdout
    paths = ["user_stories[0].estimate", "user_stories[0].labels", "version", "quality_checks.coverage"]
    document = json.loads(project.shiftwork("plan", "prd.json", "--json").stdout)
    assert [item["path"] for item in document["unused"]] == paths
    assert document["gates"] == [{"name": "lint", "command": "true"}]
    rehearsed = project.shiftwork("run", "prd.json", "--dry-run")
    assert rehearsed.stdout.splitlines()[:5] == block
    rehearsed = project.shiftwork("run", "prd.json", "--dry-run", "--json")
    assert [item["path"] for item in json.loads(rehearsed.stdout)["unused"]] == paths
    completed = project.shiftwork("run", "prd.json", "--json")
    first = json.loads(completed.stdout.splitlines()[0])
    assert (first["kind"], first["gates"]) == ("spec", [{"name": "lint", "command": "true"}])
    assert [item["path"] for item in first["unused"]] == paths


def test_a_run_says_which_gates_are_from_the_spec(project: Project) -> None:
    project.settle(gates="")
    write(project, quality_checks={"lint": "true"}, x=1)
    completed = project.shiftwork("run", "prd.json")
    assert completed.returncode == 0, completed
    assert completed.stdout.splitlines()[:3] == [
        "gates from prd.json: lint",
        "not used of prd.json:",
        "  x  not understood",
    ]
