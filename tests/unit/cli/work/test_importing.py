"""`shiftwork import`: what the files of other tools mean here, and what is written for a run."""

import json
import shutil
from pathlib import Path

import pytest

from shiftwork.errors import EXIT_USAGE
from shiftwork.testing.git_user import new_user
from tests.unit.cli.command_rig import Prompt

GOLDEN = Path(__file__).parents[3] / "golden"
SPECS = GOLDEN / "specs"


@pytest.fixture
def prompt(tmp_path: Path) -> Prompt:
    """A repository without settings, and with a check that is found."""
    root = new_user(tmp_path / "project").root
    (root / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    return Prompt(root=root, env={"SHIFTWORK_CONFIG_HOME": str(tmp_path / "config")})


@pytest.fixture
def elsewhere(tmp_path: Path, prompt: Prompt) -> Path:
    """A folder outside of the repository."""
    return prompt.root.parent / "elsewhere"


def test_what_was_understood_is_said_before_anything_is_written(prompt: Prompt) -> None:
    spec = json.loads((SPECS / "codetether.json").read_text(encoding="utf-8"))
    (prompt.root / "prd.json").write_text(json.dumps(spec | {"mood": "good"}), encoding="utf-8")
    said = prompt.prints("import", "prd.json", "--dry-run")
    assert "prd.json is a prd.json, used where it is" in said
    assert "mood" in said
    assert "make test    (from Makefile)" in said
    checks = list(filter(None, spec["quality_checks"].values()))
    assert checks
    assert all(f"{check}    (from prd.json)" in said for check in checks)
    assert "would write shiftwork.toml" in said
    assert said.endswith("next: shiftwork run prd.json\n")
    assert not (prompt.root / "shiftwork.toml").exists()


def test_a_change_of_openspec_brings_its_folder_and_several_are_named(prompt: Prompt, elsewhere: Path) -> None:
    for name in ("add-two-factor", "drop-sms"):
        shutil.copytree(SPECS / "openspec", elsewhere / "openspec/changes" / name)
    both = prompt.refused("import", str(elsewhere / "openspec"))
    assert both.exit_code == EXIT_USAGE
    assert "has 2 changes" in both.message
    assert f"name one, such as: shiftwork run {elsewhere}/openspec/changes/add-two-factor" in both.hint
    found = prompt.document("import", str(elsewhere / "openspec/changes/drop-sms"))
    assert found["next"] == ["shiftwork run openspec/changes/drop-sms"]
    folder = prompt.root / "openspec/changes/drop-sms"
    assert (folder / "proposal.md").read_bytes() == (SPECS / "openspec/proposal.md").read_bytes()
    assert list((folder / "specs").rglob("*.md"))
    assert prompt.document("plan", "openspec")["stories"]


def test_a_folder_of_spec_kit_is_copied(prompt: Prompt, elsewhere: Path) -> None:
    shutil.copytree(SPECS / "speckit", elsewhere / "001-albums")
    found = prompt.document("import", str(elsewhere / "001-albums"))
    assert found["next"] == ["shiftwork run specs/001-albums"]
    assert sorted(found["written_files"]) == ["shiftwork.toml", "specs/001-albums/spec.md", "specs/001-albums/tasks.md"]
    assert "is a spec-kit task list" in prompt.prints("import", "specs/001-albums")


def test_the_branch_and_the_checks_of_stories_are_shown(prompt: Prompt) -> None:
    stories = [{"id": "US-001", "title": "Do it", "acceptanceCriteria": ["`npm run lint` passes"]}]
    spec = {"project": "x", "branchName": "feat/x", "userStories": stories}
    (prompt.root / "prd.json").write_text(json.dumps(spec), encoding="utf-8")
    said = prompt.prints("import", "prd.json")
    assert "lands on       feat/x" in said
    assert "npm run lint    (from prd.json)" in said


def test_settings_that_exist_stay_and_the_workflow_is_named_in_the_command(prompt: Prompt) -> None:
    settings = prompt.root / "shiftwork.toml"
    settings.write_text('[gates]\ntest = "true"\n', encoding="utf-8")
    before = settings.read_bytes()
    shutil.copy(SPECS / "task-list.md", prompt.root / "TODO.md")
    found = prompt.document("import", "TODO.md", str(GOLDEN / "workflows/antfarm_shape/workflows/feature-dev"))
    assert found["next"] == ["shiftwork run TODO.md --workflow feature-dev"]
    assert settings.read_bytes() == before
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
    prompt: Prompt, file: str, text: str | None, message: str
) -> None:
    if text is not None:
        (prompt.root / file).write_text(text, encoding="utf-8")
    shutil.copy(SPECS / "task-list.md", prompt.root / "TODO.md")
    refused = prompt.refused("import", "TODO.md", file)
    assert refused.exit_code == EXIT_USAGE
    assert message in refused.message + refused.hint
    assert not (prompt.root / "shiftwork.toml").exists()


def test_nothing_is_written_through_a_link(prompt: Prompt, elsewhere: Path) -> None:
    (prompt.root / ".beads").symlink_to(elsewhere)
    refused = prompt.refused("import", str(SPECS / "beads.jsonl"))
    assert refused.exit_code == EXIT_USAGE
    assert "does not write through links" in refused.message


def test_a_state_from_elsewhere_brings_its_prd_and_its_scratch_files(prompt: Prompt, elsewhere: Path) -> None:
    elsewhere.mkdir()
    state = json.loads((SPECS / "workflow-state.json").read_text(encoding="utf-8"))
    (elsewhere / "prd.json").write_text(json.dumps(state.pop("spec")), encoding="utf-8")
    (elsewhere / "workflow_state.json").write_text(json.dumps(state), encoding="utf-8")
    (elsewhere / "scratch_US-002.md").write_text("half moved\n", encoding="utf-8")
    found = prompt.document("import", str(elsewhere))
    assert found["written_files"] == ["workflow_state.json", "prd.json", "scratch_US-002.md", "shiftwork.toml"]
    assert found["next"] == ["shiftwork run workflow_state.json"]
    (spec,) = found["specs"]
    assert (spec["format"], spec["done"], spec["carried_notes"]) == ("workflow-state", ["US-001"], 4)
    shown = prompt.prints("import", "workflow_state.json")
    assert "workflow_state.json is the state of Dynamic Ralph or of an exported run, used where it is" in shown
    assert "notes carried  4 of steps and stories, 0 for all stories" in shown
    (elsewhere / "workflow_state.json").write_text('{"stories": {"US-001": ', encoding="utf-8")
    broken = prompt.refused("import", str(elsewhere / "workflow_state.json"))
    assert "workflow_state.json:1:" in broken.message
    assert "the file ends where a value was expected" in broken.message
