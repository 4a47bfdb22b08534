"""A spec's own checks become gates of its run once trusted; unused fields of its file are listed before the work."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_rig import WORKING, Project, new_project

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


def test_the_checks_of_a_spec_are_run_once_they_are_trusted_and_nothing_lands_while_one_is_red(
    project: Project, tmp_path: Path
) -> None:
    project.settle(agent=WORKING.replace("> hello.txt", ">> hello.txt"))
    path = write(project, quality_checks={"test": "echo no such luck; exit 1"})
    completed = project.shiftwork("run", "prd.json")
    assert completed.returncode == 1, completed
    assert not passes(path)
    assert project.git("log", "--format=%s", "main").splitlines() == ["start"]
    assert "test (prd.json)" in completed.stdout, "the settings have a gate of that name as well"
    without = project.shiftwork("run", "prd.json", "--without-gate", "test (prd.json)")
    assert without.returncode == 0, without
    assert passes(path)

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
    _verified_by_another(project, tmp_path)
    _named_in_words(project)


def _verified_by_another(project: Project, folder: Path) -> None:
    """Who has a certificate as a file, and has not trusted its spec, runs none of the checks."""
    paper, other = folder / "paper.json", {"SHIFTWORK_TRUST": "", "SHIFTWORK_CONFIG_HOME": str(folder / "other")}
    assert project.shiftwork("proof", "US-001", "--out", str(paper)).returncode == 0
    project.shiftwork("trust", **other)
    refused = project.shiftwork("proof", "--verify", str(paper), **other)
    assert refused.returncode == 64, refused
    assert "gate lint  test -f hello.txt" in refused.stderr
    verified = project.shiftwork("proof", "--verify", str(paper))
    assert "ok   US-001 gate lint: passed" in verified.stdout


def _named_in_words(project: Project) -> None:
    """A command that a plan names in words is trusted as well."""
    plan = project.root / "plan.md"
    plan.write_text("# Plan\n\n## Greet\n- `test -f hello.txt` passes\n", encoding="utf-8")
    refused = project.shiftwork("run", "plan.md", SHIFTWORK_TRUST="")
    assert refused.returncode == 64, refused
    assert "greet AC-1  test -f hello.txt" in refused.stderr
    assert project.shiftwork("trust", "plan.md", SHIFTWORK_TRUST="").returncode == 0
    assert project.shiftwork("run", "plan.md", SHIFTWORK_TRUST="").returncode == 0
    shown = project.shiftwork("proof", "greet").stdout
    assert "holds    AC-1 `test -f hello.txt` passes" in shown


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
