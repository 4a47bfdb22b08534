"""Workflow files: errors say what is wrong, where, and what was meant; valid files fit the schema. Those in
`antfarm_shape` are our own, in the fields and folders that antfarm publishes.

After changing a message on purpose, record them again with `python tests/golden/test_workflow_files.py` and read
the difference.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from shiftwork.adapters.workflows.json_schema import schema
from shiftwork.adapters.workflows.loading import Loaded, load
from shiftwork.adapters.workflows.lookup import PACKAGED, find_all
from shiftwork.adapters.workflows.writing import document, expanded, with_personas
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.errors import WorkflowError

HERE = Path(__file__).parent / "workflows"
BROKEN = sorted((HERE / "broken").glob("*.yml"))
SHAPED = HERE / "antfarm_shape"
STRANGERS = sorted([*SHAPED.glob("*.yml"), *SHAPED.rglob("workflow.yml")])
BUNDLED = [found.path for found in find_all(HERE / "nowhere", HERE / "nowhere")]
WHOLE = STRANGERS + BUNDLED


def named(path: Path) -> str:
    return path.parent.name if path.stem == "workflow" else path.stem


def read(path: Path) -> Loaded:
    return load(path, path.name, SHAPED if path.is_relative_to(SHAPED) else path.parent)


def outcome_of(path: Path) -> str:
    with pytest.raises(WorkflowError) as refused:
        read(path)
    return f"{refused.value.message}\n"


@pytest.mark.parametrize("path", BROKEN, ids=named)
def test_a_broken_file_is_refused_with_what_is_wrong_where_and_what_was_meant(path: Path) -> None:
    assert outcome_of(path) == path.with_suffix(".expected").read_text(encoding="utf-8")


def test_there_are_enough_of_each() -> None:
    assert len(BROKEN) >= 30
    assert len(STRANGERS) >= 10


def values(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path)


def mistakes(document: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(schema()).iter_errors(document)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("path", WHOLE, ids=named)
def test_a_file_that_loads_fits_the_schema_that_editors_complete_by(path: Path) -> None:
    read(path)
    assert mistakes(values(path)) == []


@pytest.mark.parametrize(
    "name",
    ["01-unknown-key", "02-unknown-step-key", "03-no-id", "04-id-with-underscore", "15-decision-key-alone"],
)
def test_what_an_editor_can_see_is_seen_by_the_schema(name: str) -> None:
    assert mistakes(values(HERE / "broken" / f"{name}.yml")) != []


def test_every_field_of_the_schema_is_described() -> None:
    made = schema()
    tables = [made, *made["$defs"].values()]
    assert [name for table in tables for name, item in table["properties"].items() if not item.get("description")] == []


@pytest.mark.parametrize("path", WHOLE, ids=named)
def test_spelt_out_and_read_again_a_workflow_is_the_same(path: Path, tmp_path: Path) -> None:
    workflow = read(path).workflow
    again = tmp_path / "workflow.yml"
    again.write_text(expanded(workflow), encoding="utf-8")
    assert read(again).workflow.steps == workflow.steps
    for name, text in with_personas(workflow).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert document(read(again).workflow) == document(workflow)
    assert read(again).workflow.steps == workflow.steps
    assert read(again).workflow.agents == workflow.agents


def test_the_bundled_schema_is_where_the_package_looks_for_it() -> None:
    assert (PACKAGED / "workflow.schema.json").is_file()


def test_the_reference_and_the_schema_are_as_the_tables_are() -> None:
    root = Path(__file__).resolve().parents[2]
    checked = subprocess.run(
        [sys.executable, "scripts/docs_workflow.py", "--check"], cwd=root, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"run scripts/docs_workflow.py: {checked.stdout}{checked.stderr}"


def test_feature_dev_in_its_original_fields_is_a_loop_of_implement_and_verify() -> None:
    loaded = read(SHAPED / "workflows" / "feature-dev" / "workflow.yml")
    assert [step.name for step in loaded.workflow.steps] == ["plan", "setup", "implement", "test", "pr", "review"]
    loop = loaded.workflow.steps[2]
    assert loop.kind is StepKind.LOOP
    assert [step.plans for step in loaded.workflow.steps] == [True, False, False, False, False, False]
    assert [(step.name, step.kind) for step in loop.body] == [
        ("implement", StepKind.AGENT),
        ("verify", StepKind.AGENT),
    ]
    idle = {note.text.split(" has no effect")[0].rpartition(": ")[2] for note in loaded.notes}
    assert idle == {"polling", "cron", "pollingModel", "baseDir", "skills", "fresh_session"}


@pytest.mark.parametrize("name", ["feature-dev", "bug-fix", "security-audit"])
def test_every_name_in_the_published_shape_has_a_value_and_every_agent_its_three_files(name: str) -> None:
    loaded = read(SHAPED / "workflows" / name / "workflow.yml")
    assert [note.text for note in loaded.notes if "nothing provides" in note.text] == []
    posted = {"security-audit": "https://hooks.example.invalid/security-audit"}
    assert loaded.workflow.notify_url == posted.get(name, "")
    files = {tuple(file for file, _ in agent.persona) for agent in loaded.workflow.agents}
    assert files == {("AGENTS.md", "SOUL.md", "IDENTITY.md")}


if __name__ == "__main__":
    for broken in BROKEN:
        broken.with_suffix(".expected").write_text(outcome_of(broken), encoding="utf-8")
