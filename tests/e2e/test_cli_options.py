"""A run keeps its options: every option of `run` is given, the run is interrupted, and `resume` still uses it."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from shiftwork.entrypoints.cli.commands.run import command
from shiftwork.errors import EXIT_LIMIT
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


# Every option --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Row:
    """Parameters of the command, what is typed for them, and what must hold of a run that was interrupted and then
    resumed without a word about them; `prepare` comes before, `meanwhile` in between, `env` is there each time, and it
    ends with `code`.
    """

    of: frozenset[str]
    typed: tuple[str, ...]
    holds: Callable[[Stage], object]
    prepare: Callable[[Stage], object] = lambda _: None
    meanwhile: Callable[[Stage], object] = lambda _: None
    env: tuple[tuple[str, str], ...] = ()
    code: int = 0


def same_limits(stage: Stage) -> bool:
    wanted = {
        "of_run": {"cost_usd": 7.5, "tokens": 9_000_000, "sessions": 90},
        "of_story": {"cost_usd": 6.5, "tokens": 8_000_000, "sessions": 80},
        "of_step": {"cost_usd": 5.5, "tokens": 7_000_000, "sessions": None},
    }
    return bool(stage.status()["limits"] == wanted)


def a_branch_and_a_workflow(stage: Stage) -> None:
    stage.settle(gates='red = "false"')
    stage.project.git("branch", "side")
    text = "id: own\nversion: 1\nsteps:\n  - id: only\n    type: coding\n"
    (stage.project.root / "own.yml").write_text(text, encoding="utf-8")


def a_plan(stage: Stage) -> None:
    stage.settle(gates='red = "test -e BASE-1.txt"')
    story = {"id": "US-007", "title": "Greet", "acceptanceCriteria": ["It greets"], "passes": False}
    plan = {"project": "p", "branchName": "main", "description": "d", "userStories": [story]}
    (stage.project.root / "prd.json").write_text(json.dumps(plan), encoding="utf-8")


def landed(stage: Stage, *stories: str, branch: str = "main") -> bool:
    files = stage.project.git("ls-tree", "--name-only", branch).split()
    return {f"{story}.txt" for story in stories} <= set(files)


def all_at_once(stage: Stage) -> bool:
    """Every option is in force, and is shown where it can be seen."""
    status = stage.status()
    options = status["options"]
    assert (status["title"], status["agent"], status["without_gates"]) == ("Add a greeting", "codex", ["red"])
    assert len(stage.played()) > 1
    assert all("codex" in line and "--model cheap" in line for line in stage.played()), "not the file's `dear`"
    assert (options["model"], options["parallel"], options["workflow"]) == ("cheap", 7, "own")
    assert (options["keep_going"], options["ordered"], options["context"]) == (True, False, {"issue": "12"})
    assert "context: issue" in stage.types("status").stdout
    report = json.loads(stage.types("report", "--json").stdout)
    assert (report["context"], "| context: issue | 12 |" in report["markdown"]) == ({"issue": "12"}, True)
    return same_limits(stage) and landed(stage, "US-001", branch="side") and not landed(stage, "US-001")


def only_trusted_as_it_was(stage: Stage) -> bool:
    """What the run was allowed to run is not asked about again; what has changed since is."""
    assert landed(stage, "BASE-1", "US-007")
    stage.settle(gates='new = "true"')
    refused = stage.types("retry", "US-007", SHIFTWORK_TRUST="")
    return refused.returncode == 64 and "try: look at it, then: shiftwork trust" in refused.stderr


ROWS: Final = (
    Row(
        of=frozenset({"request", "agent", "model", "branch", "parallel", "workflow", "as_json", "keep_going"})
        | {"context", "without_gates", "max_sessions", "max_story_sessions"}
        | {f"max_{of}{what}" for of in ("", "story_", "step_") for what in ("cost", "tokens")},
        typed=(
            *("--agent", "codex", "--model", "cheap", "--branch", "side", "--parallel", "7", "--workflow", "own.yml"),
            *("--max-cost", "7.5", "--max-tokens", "9000000", "--max-story-cost", "6.5", "--max-sessions", "90"),
            *("--max-story-tokens", "8000000", "--max-step-cost", "5.5", "--max-step-tokens", "7000000"),
            *("--max-story-sessions", "80", "--json", "--keep-going", "--context", "issue=12"),
            *("--without-gate", "red", "Add a greeting"),
        ),
        prepare=a_branch_and_a_workflow,
        meanwhile=lambda stage: stage.settle('use = "codex"\nmodel = "dear"', gates='red = "false"'),
        holds=all_at_once,
    ),
    Row(
        of=frozenset({"planned", "repair_base", "trust"}),
        typed=("--plan", "--repair-base", "--trust"),
        env=(("SHIFTWORK_TRUST", ""),),
        prepare=a_plan,
        holds=only_trusted_as_it_was,
    ),
    Row(
        of=frozenset({"review"}),
        typed=("--review", "Add a greeting"),
        holds=lambda stage: stage.status()["options"]["review"] and not landed(stage, "US-001"),
        code=EXIT_LIMIT,
    ),
)

NOTHING_TO_RESUME: Final = frozenset({"detach", "dry_run", "quiet", "form"})
"""A rehearsal leaves no run, `quiet` is about this terminal only, who hands a run over does not work on it, and the
form of a list is that of the stories that were read.
"""

assert {parameter.name for parameter in command.params} == NOTHING_TO_RESUME.union(*(row.of for row in ROWS)), (
    "a new option must be listed here: a run keeps it, or it has nothing to keep"
)


@pytest.mark.parametrize("row", ROWS, ids=["most", "plan,repair_base,trust", "review"])
def test_what_was_given_at_run_is_in_force_after_resume(stage: Stage, row: Row) -> None:
    row.prepare(stage)
    run = stage.interrupted("run", *row.typed, **dict(row.env))
    before = stage.status()["options"]
    row.meanwhile(stage)
    resumed(stage, run, code=row.code, **dict(row.env))
    assert stage.status()["options"] == before
    assert row.holds(stage), stage.status()


def test_the_agent_is_the_one_of_the_settings_until_one_is_named_at_resume(stage: Stage) -> None:
    run = stage.interrupted("run", "Add a greeting")
    stage.settle('use = "codex"')
    assert stage.interrupted("resume", run) == run
    assert stage.status()["options"]["agent"] == "codex"
    assert stage.interrupted("resume", run, "--agent", "command", "--model", "", "--parallel", "2") == run
    result = resumed(stage, run)
    assert '  agent.use  "command" -> "codex"; in force: "command"\n' in result
    assert [line.split()[0] for line in stage.played()] == ["command", "codex", "command", "command"]
    options = stage.status()["options"]
    assert (options["agent"], options["model"], options["parallel"]) == ("command", "", 2)
    assert re.search(r"^  agent +command, workflow ralph$", stage.types("status").stdout, re.MULTILINE)
