"""`shiftwork import`: files of other tools are copied, and a run uses them. Each format is in tests/unit/cli/work."""

import json
import shutil
from pathlib import Path
from typing import Any

from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import WORKING, Project

GOLDEN = Path(__file__).parents[1] / "golden"


def imported(project: Project, *words: str) -> dict[str, Any]:
    completed = project.shiftwork("import", *words, "--json")
    assert completed.returncode == 0, completed
    document: dict[str, Any] = json.loads(completed.stdout)
    return document


def test_a_spec_and_a_workflow_from_elsewhere_are_copied_and_a_second_import_changes_nothing(project: Project) -> None:
    (project.root / "shiftwork.toml").unlink()
    (project.root / "Makefile").write_text("test:\n\ttrue\n", encoding="utf-8")
    outside = project.shared / "issues.jsonl"
    shutil.copy(GOLDEN / "specs/beads.jsonl", outside)
    first = imported(project, str(outside))
    assert first["written_files"] == [".beads/issues.jsonl", "shiftwork.toml"]
    assert first["next"] == ["shiftwork run .beads/issues.jsonl"]
    assert first["gates"] == [{"name": "test", "command": "make test", "source": "Makefile"}]
    (spec,) = first["specs"]
    assert (spec["format"], spec["done"]) == ("beads", ["clock-7.1"])
    assert [story["story"] for story in spec["stories"]] == ["clock-7.2", "clock-9", "clock-a3f"]
    copied = (project.root / ".beads/issues.jsonl").read_bytes()
    assert copied == outside.read_bytes()
    again = project.shiftwork("import", str(outside))
    assert (again.returncode, again.stdout) == (64, "")
    assert ".beads/issues.jsonl exists already, and import changes no file" in again.stderr
    assert imported(project, ".beads/issues.jsonl")["written_files"] == []
    assert (project.root / ".beads/issues.jsonl").read_bytes() == copied

    (project.root / "shiftwork.toml").unlink()
    source = GOLDEN / "workflows/antfarm_shape/workflows/feature-dev"
    found = imported(project, str(source))
    (workflow,) = found["workflows"]
    assert workflow["workflow"] == "feature-dev"
    assert any("polling has no effect" in note["text"] for note in workflow["field_notes"])
    assert 'workflow = "feature-dev"' in (project.root / "shiftwork.toml").read_text(encoding="utf-8")
    assert found["next"] == ['shiftwork run "what you want done"']
    assert (project.root / "shiftwork/workflows/feature-dev/agents/planner/AGENTS.md").is_file()
    shown = [project.shiftwork("workflow", "show", name, "--json") for name in (str(source), "feature-dev")]
    there, here = (json.loads(each.stdout)["definition"] for each in shown)
    assert here["steps"] == there["steps"]
    assert here["agents"] == there["agents"]


def test_what_someone_with_a_half_finished_state_of_dynamic_ralph_types_works(project: Project) -> None:
    state = json.loads((GOLDEN / "specs/workflow-state.json").read_text(encoding="utf-8"))
    prd = {"project": "profiles", "userStories": state.pop("spec")["userStories"][:2]}
    state["stories"] = {name: state["stories"][name] for name in ("US-001", "US-002")}
    (project.root / "prd.json").write_text(json.dumps(prd), encoding="utf-8")
    (project.root / "workflow_state.json").write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
    (project.root / "scratch.md").write_text("All datetimes are UTC\n", encoding="utf-8")
    project.settle(agent=WORKING.replace("> /dev/null", f">> {project.shared}/prompts"))
    typed = project.types(blocks(ROOT / "docs" / "howto" / "coming-from-dynamic-ralph.md", "state"))
    assert typed.returncode == 0, typed
    assert "done           US-001, as the file says: shiftwork has proved none of it" in typed.stdout
    assert "begin again    US-002, from the first step, with these notes" in typed.stdout
    prompts = (project.shared / "prompts").read_text(encoding="utf-8")
    assert "> step-007 (initial_testing): 2 of 4 tests failed" in prompts
    assert "> - All datetimes are UTC" in prompts
    assert "## Story US-001" not in prompts
    done, landed = project.status()["stories"]
    assert (done["story"], done["state"], done["commit"]) == ("US-001", "done", "")
    assert (landed["story"], landed["status"], bool(landed["commit"])) == ("US-002", "completed", True)
    after = json.loads((project.root / "workflow_state.json").read_text(encoding="utf-8"))
    state["stories"]["US-002"]["status"] = "completed"
    assert after == state
    exported = project.shared / "again/state.json"
    exported.parent.mkdir()
    exported.write_text(project.shiftwork("export").stdout, encoding="utf-8")
    (spec,) = imported(project, str(exported), "--dry-run")["specs"]
    assert (spec["format"], spec["done"], spec["stories"]) == ("workflow-state", ["US-001", "US-002"], [])
