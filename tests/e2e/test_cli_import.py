"""`shiftwork import`: what the files of other tools mean here, and what is written for a run."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli_rig import Project

GOLDEN = Path(__file__).parents[1] / "golden"
SPECS = GOLDEN / "specs"


def imported(project: Project, *words: str) -> dict[str, Any]:
    completed = project.shiftwork("import", *words, "--json")
    assert completed.returncode == 0, completed
    document: dict[str, Any] = json.loads(completed.stdout)
    return document


@pytest.fixture
def bare(project: Project) -> Project:
    """Without settings, and with a check that is found."""
    (project.root / "shiftwork.toml").unlink()
    (project.root / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    return project


def test_a_file_from_elsewhere_is_copied_and_a_second_import_changes_nothing(bare: Project) -> None:
    outside = bare.shared / "issues.jsonl"
    shutil.copy(SPECS / "beads.jsonl", outside)
    first = imported(bare, str(outside))
    assert first["written_files"] == [".beads/issues.jsonl", "shiftwork.toml"]
    assert first["next"] == ["shiftwork run .beads/issues.jsonl"]
    assert first["gates"] == [{"name": "test", "command": "make test", "source": "Makefile"}]
    (spec,) = first["specs"]
    assert (spec["format"], spec["done"]) == ("beads", ["clock-7.1"])
    assert [story["story"] for story in spec["stories"]] == ["clock-7.2", "clock-9", "clock-a3f"]
    copied = (bare.root / ".beads/issues.jsonl").read_bytes()
    assert copied == outside.read_bytes()
    again = bare.shiftwork("import", str(outside))
    assert (again.returncode, again.stdout) == (64, "")
    assert ".beads/issues.jsonl exists already, and import changes no file" in again.stderr
    assert imported(bare, ".beads/issues.jsonl")["written_files"] == []
    assert (bare.root / ".beads/issues.jsonl").read_bytes() == copied


def test_what_was_understood_is_said_before_anything_is_written(bare: Project) -> None:
    spec = json.loads((SPECS / "codetether.json").read_text(encoding="utf-8"))
    (bare.root / "prd.json").write_text(json.dumps(spec | {"mood": "good"}), encoding="utf-8")
    completed = bare.shiftwork("import", "prd.json", "--dry-run")
    assert completed.returncode == 0, completed
    said = completed.stdout
    assert "prd.json is a prd.json, used where it is" in said
    assert "mood" in said
    assert "make test    (from Makefile)" in said
    checks = list(filter(None, spec["quality_checks"].values()))
    assert checks
    assert all(f"{check}    (from prd.json)" in said for check in checks)
    assert "would write shiftwork.toml" in said
    assert said.endswith("next: shiftwork run prd.json\n")
    assert not (bare.root / "shiftwork.toml").exists()


def test_a_change_of_openspec_brings_its_folder_and_several_are_named(bare: Project) -> None:
    for name in ("add-two-factor", "drop-sms"):
        shutil.copytree(SPECS / "openspec", bare.shared / "openspec/changes" / name)
    both = bare.shiftwork("import", str(bare.shared / "openspec"))
    assert both.returncode == 64
    assert "has 2 changes" in both.stderr
    assert f"name one, such as: shiftwork run {bare.shared}/openspec/changes/add-two-factor" in both.stderr
    found = imported(bare, str(bare.shared / "openspec/changes/drop-sms"))
    assert found["next"] == ["shiftwork run openspec/changes/drop-sms"]
    folder = bare.root / "openspec/changes/drop-sms"
    assert (folder / "proposal.md").read_bytes() == (SPECS / "openspec/proposal.md").read_bytes()
    assert list((folder / "specs").rglob("*.md"))
    listed = bare.shiftwork("plan", "openspec", "--json")
    assert listed.returncode == 0, listed


def test_a_folder_of_spec_kit_is_copied(bare: Project) -> None:
    shutil.copytree(SPECS / "speckit", bare.shared / "001-albums")
    found = imported(bare, str(bare.shared / "001-albums"))
    assert found["next"] == ["shiftwork run specs/001-albums"]
    assert sorted(found["written_files"]) == ["shiftwork.toml", "specs/001-albums/spec.md", "specs/001-albums/tasks.md"]
    assert "is a spec-kit task list" in bare.shiftwork("import", "specs/001-albums").stdout


def test_the_branch_and_the_checks_of_stories_are_shown(bare: Project) -> None:
    stories = [{"id": "US-001", "title": "Do it", "acceptanceCriteria": ["`npm run lint` passes"]}]
    spec = {"project": "x", "branchName": "feat/x", "userStories": stories}
    (bare.root / "prd.json").write_text(json.dumps(spec), encoding="utf-8")
    said = bare.shiftwork("import", "prd.json").stdout
    assert "lands on       feat/x" in said
    assert "npm run lint    (from prd.json)" in said


def test_a_workflow_is_copied_with_its_personas_and_runs_use_it(bare: Project) -> None:
    source = GOLDEN / "workflows/antfarm_shape/workflows/feature-dev"
    found = imported(bare, str(source))
    (workflow,) = found["workflows"]
    assert workflow["workflow"] == "feature-dev"
    assert any("polling has no effect" in note["text"] for note in workflow["field_notes"])
    assert 'workflow = "feature-dev"' in (bare.root / "shiftwork.toml").read_text(encoding="utf-8")
    assert found["next"] == ['shiftwork run "what you want done"']
    assert (bare.root / "shiftwork/workflows/feature-dev/agents/planner/AGENTS.md").is_file()
    shown = [bare.shiftwork("workflow", "show", name, "--json") for name in (str(source), "feature-dev")]
    there, here = (json.loads(each.stdout)["definition"] for each in shown)
    assert here["steps"] == there["steps"]
    assert here["agents"] == there["agents"]


def test_settings_that_exist_stay_and_the_workflow_is_named_in_the_command(project: Project) -> None:
    before = (project.root / "shiftwork.toml").read_bytes()
    shutil.copy(SPECS / "task-list.md", project.root / "TODO.md")
    source = GOLDEN / "workflows/antfarm_shape/workflows/feature-dev"
    found = imported(project, "TODO.md", str(source))
    assert found["next"] == ["shiftwork run TODO.md --workflow feature-dev"]
    assert (project.root / "shiftwork.toml").read_bytes() == before
    assert found["specs"][0]["format"] == "task-list"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("none.json", None, "there is no file none.json"),
        ("notes.txt", "hello", "is not a .json, .jsonl or .md spec file"),
        ("prd.json", '{"userStories": [{"id": "a"}]}', "has no title"),
        ("issues.jsonl", '{"id": "a-1", "title": "x"}\n[1]\n', "issues.jsonl:2:1: each line is an issue"),
        ("flow.yml", "id: x\n", "flow.yml"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_nothing_is_written(
    bare: Project, file: str, text: str | None, message: str
) -> None:
    if text is not None:
        (bare.root / file).write_text(text, encoding="utf-8")
    shutil.copy(SPECS / "task-list.md", bare.root / "TODO.md")
    completed = bare.shiftwork("import", "TODO.md", file)
    assert (completed.returncode, completed.stdout) == (64, ""), completed
    assert message in completed.stderr
    assert not (bare.root / "shiftwork.toml").exists()


def test_nothing_is_written_through_a_link(bare: Project) -> None:
    (bare.root / ".beads").symlink_to(bare.shared)
    completed = bare.shiftwork("import", str(SPECS / "beads.jsonl"))
    assert completed.returncode == 64
    assert "does not write through links" in completed.stderr
