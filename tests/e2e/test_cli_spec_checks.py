"""A spec's own checks become gates of its run once trusted; unused fields of its file are listed before the work."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_rig import WORKING, Project, new_project

STORY = {"id": "US-001", "title": "Greet", "acceptance_criteria": ["It greets"], "passes": False}


FOR_BASE_ALONE = """\
cat > /dev/null
if [ "$SHIFTWORK_STORY" != BASE-1 ]; then exit 3; fi
echo clean > clean.txt
echo SUMMARY:
echo "did it"
"""


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


def test_the_checks_of_a_spec_are_run_on_the_branch_before_any_session_once_they_are_trusted(
    project: Project, tmp_path: Path
) -> None:
    project.settle(agent=f"touch {tmp_path}/shared/paid; {WORKING.replace('> hello.txt', '>> hello.txt')}")
    path = write(project, quality_checks={"test": "echo no such luck; exit 1"})
    completed = project.shiftwork("run", "prd.json")
    assert completed.returncode == 1, completed
    assert not passes(path)
    assert not (project.shared / "paid").exists(), "no session is paid for a check that is red on the branch"
    assert "the gate test (prd.json) is red on main: nothing was started" in completed.stderr
    assert "no such luck" in completed.stderr
    assert "shiftwork run --without-gate 'test (prd.json)' prd.json" in completed.stderr
    without = project.shiftwork("run", "prd.json", "--without-gate", "test (prd.json)")
    assert without.returncode == 0, without
    assert passes(path)

    again = [{**STORY, "title": "Greet again"}]
    path = write(project, user_stories=again, quality_checks={"lint": "test -f hello.txt"})  # the story before made it
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


def test_a_check_of_a_spec_that_is_red_on_the_branch_is_repaired_first_or_stops_a_retry(project: Project) -> None:
    project.settle(agent=FOR_BASE_ALONE)
    path = write(project, quality_checks={"clean": "test -f clean.txt"})
    completed = project.shiftwork("run", "prd.json", "--repair-base", "--workflow", "ralph")
    assert completed.returncode == 1, completed
    assert project.git("log", "-1", "--format=%s", "main") == "feat: Make the gate clean green on main"

    assert project.shiftwork("run", "prd.json", "--workflow", "ralph").returncode == 1, "the branch is green"
    project.git("rm", "-q", "clean.txt")
    project.git("commit", "-q", "-m", "not clean")
    project.settle()
    retried = project.shiftwork("retry", "US-001")
    assert retried.returncode == 1, retried
    assert "the gate clean is red on main: run" in retried.stderr
    continued = project.shiftwork("retry", "US-001", "--without-gate", "clean")
    assert continued.returncode == 0, continued
    assert passes(path)


def test_doctor_runs_the_checks_of_a_spec_once_they_are_trusted(project: Project) -> None:
    write(project, quality_checks={"test": "echo no such luck; exit 1"})
    project.shiftwork("trust", SHIFTWORK_TRUST="")
    untrusted = project.shiftwork("doctor", "--gates", SHIFTWORK_TRUST="").stdout
    assert "test of prd.json: not run, because you have not trusted them yet" in untrusted
    assert "no such luck" not in untrusted
    found = project.shiftwork("doctor", "--gates")
    assert found.returncode == 1, found
    assert "test (prd.json): red" in found.stdout
    assert "no such luck" in found.stdout

    (project.root / "api").mkdir()
    (project.root / "api" / "Makefile").write_text("smoke:\n\ttest -f Makefile\n", encoding="utf-8")
    project.git("add", "api")
    project.git("commit", "-q", "-m", "a folder")
    write(project, quality_checks={"smoke": "make smoke", "test": "echo no such luck; exit 1"})
    assert "smoke  cd api && make smoke" in project.shiftwork("trust", "prd.json", "--show").stdout
    assert "smoke: passed" in project.shiftwork("doctor", "--gates").stdout

    (project.root / "prd.json").rename(project.root / "other.json")
    assert "(prd.json)" not in project.shiftwork("doctor", "--gates").stdout
    assert "test (other.json): red" in project.shiftwork("doctor", "--gates", "other.json").stdout
    refused = project.shiftwork("doctor", "other.json")
    assert refused.returncode == 64, refused
    assert "try: shiftwork doctor --gates other.json" in refused.stderr
    if project.tier == "auto":
        consented = project.shiftwork("trust", "other.json", "--gate", "test (other.json)", "--access", "host")
        assert "it runs with this machine's network" in consented.stdout, consented


def test_the_program_and_the_folder_of_a_criterion_are_looked_for_before_the_work(project: Project) -> None:
    steps = [
        {"type": "shell", "command": "no-such-check hello.txt"},
        {"type": "shell", "command": "cat hello.txt", "cwd": "no/folder"},
        {"type": "shell", "command": "cat hello.txt"},
    ]
    write(project, user_stories=[STORY | {"verification_steps": steps}])
    completed = project.shiftwork("run", "prd.json", "--without-gate", "US-001 VS-2", "--workflow", "ralph")
    notes = [line for line in completed.stdout.splitlines() if line.startswith("note: ")]
    why = "which is not there: unless a story adds it, the criterion stays red"
    assert notes == [f"note: US-001 VS-1 starts no-such-check, {why}"]
    rows = [json.loads(line) for line in project.shiftwork("run", "prd.json", "--json").stdout.splitlines()]
    said = [(row["gate"], row["note"].partition(",")[0]) for row in rows if row["kind"] == "criterion"]
    assert said == [
        ("US-001 VS-1", "US-001 VS-1 starts no-such-check"),
        ("US-001 VS-2", "US-001 VS-2 runs in no/folder"),
    ]


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
