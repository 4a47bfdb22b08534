"""A run keeps its options: each option of `run` is given, the run is interrupted, and `resume` still uses it."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from shiftwork.entrypoints.cli.commands.run import command
from shiftwork.errors import EXIT_LIMIT
from tests.e2e.cli_rig import new_project
from tests.e2e.options_rig import Stage, new_stage

pytestmark = pytest.mark.slow


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return new_stage(tmp_path)


def resumed(stage: Stage, run: str, *words: str, code: int = 0, **env: str) -> str:
    """Let agents work, continue the run to its end, and give what was printed."""
    stage.release()
    result = stage.types("resume", run, *words, **env)
    assert result.returncode == code, result
    return result.stdout


def test_the_agent_of_a_run_continues_with_it(stage: Stage) -> None:
    run = stage.interrupted("run", "--agent", "codex", "Add a greeting")
    resumed(stage, run)
    assert {line.split()[0] for line in stage.played()} == {"codex"}


def test_the_model_of_a_run_is_asked_for_when_it_is_resumed(stage: Stage) -> None:
    stage.settle('use = "codex"\nmodel = "dear"')
    run = stage.interrupted("run", "--model", "cheap", "Add a greeting")
    resumed(stage, run)
    assert len(stage.played()) > 1
    assert all("--model cheap" in line for line in stage.played())
    assert stage.status()["options"]["model"] == "cheap"


# Every option --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Row:
    """Parameters of the command, what is typed for them, and what must hold of a run that was interrupted and then
    resumed without a word about them; `prepare` comes before, `env` is there each time, and it ends with `code`.
    """

    of: frozenset[str]
    typed: tuple[str, ...]
    holds: Callable[[Stage], object]
    prepare: Callable[[Stage], object] = lambda _: None
    env: tuple[tuple[str, str], ...] = ()
    code: int = 0


def same_limits(stage: Stage) -> bool:
    wanted = {
        "of_run": {"cost_usd": 7.5, "tokens": 9_000_000, "sessions": 90},
        "of_story": {"cost_usd": 6.5, "tokens": 8_000_000, "sessions": 80},
        "of_step": {"cost_usd": 5.5, "tokens": 7_000_000, "sessions": None},
    }
    return bool(stage.status()["limits"] == wanted)


def a_branch(stage: Stage) -> None:
    stage.project.git("branch", "side")


def a_workflow(stage: Stage, more: str = "", agent: str = "") -> None:
    text = f"id: own\nversion: 1\n{more}steps:\n  - id: only\n    type: coding\n{agent}"
    (stage.project.root / "own.yml").write_text(text, encoding="utf-8")


def a_plan(stage: Stage) -> None:
    story = {"id": "US-007", "title": "Greet", "acceptanceCriteria": ["It greets"], "passes": False}
    plan = {"project": "p", "branchName": "main", "description": "d", "userStories": [story]}
    (stage.project.root / "prd.json").write_text(json.dumps(plan), encoding="utf-8")


def landed(stage: Stage, *stories: str, branch: str = "main") -> bool:
    files = stage.project.git("ls-tree", "--name-only", branch).split()
    return {f"{story}.txt" for story in stories} <= set(files)


def only_trusted_as_it_was(stage: Stage) -> bool:
    """What the run was allowed to run is not asked about again; what has changed since is."""
    assert landed(stage, "US-001")
    stage.settle(gates='new = "true"')
    refused = stage.types("retry", "US-001", SHIFTWORK_TRUST="")
    return refused.returncode == 64 and "try: look at it, then: shiftwork trust" in refused.stderr


ROWS: Final = (
    Row(
        of=frozenset({"request", "agent", "model"}),
        typed=("--agent", "codex", "--model", "cheap", "Add a greeting"),
        holds=lambda stage: (
            (stage.status()["title"], stage.status()["agent"]) == ("Add a greeting", "codex")
            and all("codex" in line and "--model cheap" in line for line in stage.played())
        ),
    ),
    Row(
        of=frozenset({"branch"}),
        typed=("--branch", "side", "Add a greeting"),
        prepare=a_branch,
        holds=lambda stage: landed(stage, "US-001", branch="side") and not landed(stage, "US-001"),
    ),
    Row(
        of=frozenset(f"max_{of}{what}" for of in ("", "story_", "step_") for what in ("cost", "tokens"))
        | {"max_sessions", "max_story_sessions"},
        typed=(
            *("--agent", "codex", "--max-cost", "7.5", "--max-tokens", "9000000", "--max-story-cost", "6.5"),
            *("--max-story-tokens", "8000000", "--max-step-cost", "5.5", "--max-step-tokens", "7000000"),
            *("--max-sessions", "90", "--max-story-sessions", "80", "Greet them"),
        ),
        holds=same_limits,
    ),
    Row(
        of=frozenset({"parallel", "workflow", "as_json"}),
        typed=("--parallel", "7", "--workflow", "own.yml", "--json", "Add a greeting"),
        holds=lambda stage: (
            (stage.status()["options"]["parallel"], stage.status()["options"]["workflow"]) == (7, "own")
        ),
        prepare=a_workflow,
    ),
    Row(
        of=frozenset({"keep_going"}),
        typed=("--keep-going", "Add a greeting"),
        holds=lambda stage: stage.status()["options"]["keep_going"],
    ),
    Row(
        of=frozenset({"context"}),
        typed=("--context", "issue=12", "Add a greeting"),
        holds=lambda stage: stage.status()["options"]["context"] == {"issue": "12"},
    ),
    Row(of=frozenset({"planned"}), typed=("--plan",), prepare=a_plan, holds=lambda stage: landed(stage, "US-007")),
    Row(
        of=frozenset({"without_gates"}),
        typed=("--without-gate", "red", "Add a greeting"),
        prepare=lambda stage: stage.settle(gates='red = "false"'),
        holds=lambda stage: landed(stage, "US-001") and stage.status()["without_gates"] == ["red"],
    ),
    Row(
        of=frozenset({"review"}),
        typed=("--review", "Add a greeting"),
        holds=lambda stage: stage.status()["options"]["review"] and not landed(stage, "US-001"),
        code=EXIT_LIMIT,
    ),
    Row(
        of=frozenset({"repair_base"}),
        typed=("--repair-base", "Add a greeting"),
        prepare=lambda stage: stage.settle(gates='red = "test -e BASE-1.txt"'),
        holds=lambda stage: landed(stage, "BASE-1", "US-001"),
    ),
    Row(
        of=frozenset({"trust"}),
        typed=("--trust", "Add a greeting"),
        env=(("SHIFTWORK_TRUST", ""),),
        prepare=lambda stage: stage.settle(gates='fine = "true"'),
        holds=only_trusted_as_it_was,
    ),
)

NOTHING_TO_RESUME: Final = frozenset({"detach", "dry_run", "quiet"})
"""The last test is about them; `quiet` is about this terminal only."""


def test_every_option_of_run_has_a_row() -> None:
    """A new option must be listed here: a run keeps it, or it has nothing to keep."""
    covered = frozenset().union(*(row.of for row in ROWS)) | NOTHING_TO_RESUME
    assert {parameter.name for parameter in command.params} == covered


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ",".join(sorted(row.of)))
def test_what_was_given_at_run_is_in_force_after_resume(stage: Stage, row: Row) -> None:
    row.prepare(stage)
    run = stage.interrupted("run", *row.typed, **dict(row.env))
    before = stage.status()["options"]
    resumed(stage, run, code=row.code, **dict(row.env))
    assert stage.status()["options"] == before
    assert row.holds(stage), stage.status()


def test_a_rehearsal_leaves_nothing_to_resume(stage: Stage) -> None:
    assert stage.types("run", "--dry-run", "Add a greeting").returncode == 0
    refused = stage.types("resume")
    assert (refused.returncode, "try: shiftwork run" in refused.stderr) == (64, True)


# What has changed meanwhile ------------------------------------------------------------------------------------------


OTHER: Final = '[profiles.other]\nuse = "codex"\n'


def test_a_profile_that_is_gone_is_refused_with_a_way_out(stage: Stage) -> None:
    stage.settle(more=OTHER)
    a_workflow(stage, "agents:\n  - id: coder\n    profile: other\n", "    agent: coder\n")
    run = stage.interrupted("run", "--workflow", "own.yml", "Add a greeting")
    stage.settle()
    stage.release()
    before = stage.status()
    for words in (("resume", run), ("resume", run, "--parallel", "2")):
        refused = stage.types(*words)
        assert refused.returncode == 64, refused
        assert f"run {run} needs the profile 'other', which the settings no longer have" in refused.stderr
        assert f"try: add [profiles.other] to shiftwork.toml again, then: shiftwork resume {run}" in refused.stderr
    assert stage.status()["options"] == before["options"], "what was refused is not recorded"
    stage.settle(more=OTHER)
    resumed(stage, run)


def test_settings_that_changed_are_printed_with_what_is_in_force(stage: Stage) -> None:
    stage.settle('use = "codex"\nmodel = "cheap"')
    run = stage.interrupted("run", "--model", "cheap", "Add a greeting")
    stage.settle('use = "codex"\nmodel = "dear"', gates='fine = "true"')
    result = resumed(stage, run)
    assert result.startswith(
        "the settings have changed since this run began:\n"
        '  agent.model  "cheap" -> "dear"; in force: "cheap"\n'
        '  gates.fine   not set -> "true"; in force: "true"\n'
        f"  the run keeps its own agent.model; to change it: shiftwork resume {run} --model dear\n"
    ), result
    assert all("--model cheap" in line for line in stage.played())


def test_a_setting_that_was_not_named_is_in_force_as_the_file_has_it(stage: Stage) -> None:
    run = stage.interrupted("run", "Add a greeting")
    stage.settle('use = "codex"')
    result = resumed(stage, run)
    assert '  agent.use  "command" -> "codex"; in force: "codex"\n' in result
    assert [line.split()[0] for line in stage.played()] == ["command", "codex"]
    assert stage.status()["options"]["agent"] == "codex"


def test_what_is_named_at_resume_is_in_force_from_then_on(stage: Stage) -> None:
    run = stage.interrupted("run", "--agent", "codex", "--model", "cheap", "Add a greeting")
    assert stage.interrupted("resume", run, "--agent", "command", "--model", "", "--parallel", "2") == run
    resumed(stage, run)
    assert [line.split()[0] for line in stage.played()] == ["codex", "command", "command"]
    options = stage.status()["options"]
    assert (options["agent"], options["model"], options["parallel"]) == ("command", "", 2)
    assert re.search(r"^  agent +command, workflow ralph$", stage.types("status").stdout, re.MULTILINE)


def test_values_for_the_prompts_are_shown_and_kept(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    project.settle()
    rehearsed = project.shiftwork("run", "Say hello", "--dry-run", "--context", "issue=12")
    assert "## Context\n\nThe user gave these values for all of this work:\n\n- issue: 12\n" in rehearsed.stdout
    assert project.shiftwork("run", "Say hello", "--workflow", "ralph", "--context", "issue=12").returncode == 0
    assert project.status()["options"]["context"] == {"issue": "12"}
    assert "context: issue" in project.shiftwork("status").stdout
    report = json.loads(project.shiftwork("report", "--json").stdout)
    assert (report["context"], "| context: issue | 12 |" in report["markdown"]) == ({"issue": "12"}, True)
    refused = project.shiftwork("run", "Say hello", "--context", "task=x")
    assert (refused.returncode, "the run sets this value itself" in refused.stderr) == (64, True)
