"""The group of commands: each listed command exists, `--help` is quick, and its page is up to date."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from shiftwork.app.views.documents.catalogue import DOCUMENTS
from shiftwork.config.agents.kinds import AGENTS
from shiftwork.config.settings.sections import AgentSettings
from shiftwork.entrypoints.api.application import routes
from shiftwork.entrypoints.cli.group import LazyGroup, group
from shiftwork.entrypoints.cli.registry import (
    COMMANDS,
    CONFIG_COMMANDS,
    FIRST_DAY,
    PRINTS,
    STEPS_COMMANDS,
    TOKEN_COMMANDS,
    WORKFLOW_COMMANDS,
    Entry,
)
from shiftwork.errors import UsageError

ROOT = Path(__file__).resolve().parents[4]
SLOW = ("asyncio", "dbos", "pydantic", "sqlalchemy", "psycopg", "alembic", "mcp", "psutil")


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.name)
def test_every_command_of_the_registry_exists_and_speaks_json(entry: Entry) -> None:
    command = group.get_command(click.Context(group), entry.name)
    assert command is not None
    assert command.name == entry.name
    assert isinstance(command, LazyGroup) or any("--json" in option.opts for option in command.params)


@pytest.mark.parametrize(
    ("name", "entry"),
    [
        *(("workflow", entry) for entry in WORKFLOW_COMMANDS),
        *(("steps", entry) for entry in STEPS_COMMANDS),
        *(("config", entry) for entry in CONFIG_COMMANDS),
        *(("token", entry) for entry in TOKEN_COMMANDS),
    ],
    ids=lambda of: of if isinstance(of, str) else of.name,
)
def test_every_command_of_a_group_exists_and_speaks_json(name: str, entry: Entry) -> None:
    above = group.get_command(click.Context(group), name)
    assert isinstance(above, LazyGroup)
    command = above.get_command(click.Context(above), entry.name)
    assert command is not None
    assert command.name == entry.name
    assert any("--json" in option.opts for option in command.params)


def test_every_module_of_commands_is_in_the_registry() -> None:
    modules = {path.stem for path in (ROOT / "src/shiftwork/entrypoints/cli/commands").glob("[!_]*.py")}
    groups = (COMMANDS, WORKFLOW_COMMANDS, STEPS_COMMANDS, CONFIG_COMMANDS, TOKEN_COMMANDS)
    assert modules == {entry.module for entries in groups for entry in entries}


def loaded_by(*words: str) -> set[str]:
    """The modules that a command loads, its mistakes included: nothing has been run here."""
    message = (
        f"import sys; sys.argv = ['shiftwork', *{words!r}]\n"
        "from shiftwork.entrypoints.cli import main\nmain()\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", message], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines())


def help_of(*words: str) -> str:
    printed = CliRunner().invoke(group, words, prog_name="shiftwork", catch_exceptions=False)
    return printed.stdout


def test_help_is_as_short_as_a_first_day_and_complete_when_asked() -> None:
    first_day = help_of("--help")
    assert len(FIRST_DAY) == 12
    assert all(f"\n  {entry.name} " in first_day for entry in FIRST_DAY)
    assert not any(f"\n  {entry.name} " in first_day for entry in set(COMMANDS) - set(FIRST_DAY))
    assert "shiftwork help --all" in first_day
    assert help_of("help") == first_day
    assert all(f"\n  {entry.name} " in help_of("help", "--all") for entry in COMMANDS)


def test_help_of_run_lists_a_dozen_options_and_all_when_asked() -> None:
    usual, every = help_of("run", "--help"), help_of("help", "run", "--all")
    assert help_of("help", "run") == usual
    assert usual.count("\n  -") == 12
    assert "--max-step-cost" in every
    assert "--max-step-cost" not in usual
    assert f"{every.count('\n  -') - 12} more options: shiftwork help run --all" in usual


def test_help_explains_a_command_of_a_group_and_refuses_what_there_is_not() -> None:
    assert help_of("help", "config", "set") == help_of("config", "set", "--help")
    with pytest.raises(UsageError, match="there is no command 'config nothing'"):
        CliRunner().invoke(group, ["help", "config", "nothing"], catch_exceptions=False)


def test_help_loads_no_command() -> None:
    loaded = loaded_by("--help")
    assert not {name for name in loaded if name.startswith("shiftwork.entrypoints.cli.commands")}
    assert loaded.isdisjoint({*SLOW, "pathlib", "sqlite3", "tempfile"})


def test_status_loads_nothing_that_is_slow() -> None:
    loaded = loaded_by("status")
    assert "shiftwork.entrypoints.cli.run_status" in loaded
    assert loaded.isdisjoint({*SLOW, "shiftwork.entrypoints.cli.group"})


def test_an_answer_loads_neither_an_event_loop_nor_what_a_run_needs() -> None:
    loaded = loaded_by("answer", "US-001", "yes")
    assert "shiftwork.adapters.store.plain_store" in loaded
    assert loaded.isdisjoint({*SLOW, "shiftwork.adapters.store.open", "shiftwork.bootstrap.work.ports"})


def test_a_plan_of_a_file_loads_neither_an_event_loop_nor_the_store() -> None:
    loaded = loaded_by("plan", "tests/unit/cli/commands/test_registry.py")
    assert "shiftwork.entrypoints.cli.work.planning" in loaded
    # The settings are validated by pydantic.
    assert loaded.isdisjoint({*SLOW, "shiftwork.adapters.store.open", "shiftwork.bootstrap.work.ports"} - {"pydantic"})


@pytest.mark.parametrize("name", ["run", "resume", "retry"])
def test_the_agents_that_can_be_named_are_those_of_the_settings(name: str) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    option = next(option for option in command.params if option.name == "agent")
    assert isinstance(option.type, click.Choice)
    assert [AgentSettings(use=agent).use for agent in option.type.choices] == list(AGENTS)


def test_the_file_about_the_command_line_is_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, "scripts/docs_cli.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout


WITHIN = {"config": CONFIG_COMMANDS, "workflow": WORKFLOW_COMMANDS, "steps": STEPS_COMMANDS, "token": TOKEN_COMMANDS}


def names() -> Iterator[str]:
    for entry in COMMANDS:
        inner = WITHIN.get(entry.name)
        yield from (f"{entry.name} {each.name}" for each in inner) if inner else (entry.name,)


def served() -> set[str]:
    """The kinds of documents with which the HTTP API answers."""
    operations = [each for methods in routes().openapi()["paths"].values() for each in methods.values()]
    answers = [answer for each in operations for code, answer in each["responses"].items() if code.startswith("2")]
    return {answer["description"] for answer in answers}


def test_the_registry_says_what_every_command_prints_and_which_command_prints_a_kind() -> None:
    assert sorted(PRINTS) == sorted(names())
    printed = {kind for said in PRINTS.values() for kind in said}
    assert printed - DOCUMENTS.keys() == set()
    assert DOCUMENTS.keys() - printed - served() == {"error", "feed"}, "an error is everywhere, a feed is of the events"
