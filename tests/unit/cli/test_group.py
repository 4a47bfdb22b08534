"""The group of all commands: mistakes on the command line, groups without a command, and mistyped variables."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from shiftwork.entrypoints.cli.error_boundary import _ended
from shiftwork.entrypoints.cli.group import group
from shiftwork.errors import EXIT_USAGE
from shiftwork.testing.git_user import new_user
from tests.unit.cli.command_rig import Prompt


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["frobnicate"], "--help"),
        (["status", "--frobnicate"], "--help"),
        (["run"], 'run "what you want done"'),
        (["run", "x", "--max-cost", "0"], "--help"),
        (["run", "Fix", "the", "bug", "--trust"], 'run "Fix the bug"'),
        (["answer", "US-001", "costs", "$5"], "answer US-001 'costs $5'"),
    ],
)
def test_a_mistake_on_the_command_line_is_reported_in_two_lines(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--json" not in sys.argv
    typed = CliRunner().invoke(group, words, prog_name="shiftwork", standalone_mode=False)
    assert (typed.exception is None, typed.output) == (False, "")
    assert typed.exception is not None
    assert _ended(typed.exception) == EXIT_USAGE
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("shiftwork: ")
    assert second.startswith("  try: shiftwork")
    assert second.endswith(hint)


@pytest.mark.parametrize("words", [[], ["workflow"]])
def test_a_group_alone_says_what_there_is_in_it(words: list[str]) -> None:
    alone, asked = (CliRunner().invoke(group, each, prog_name="shiftwork") for each in (words, [*words, "--help"]))
    assert (alone.exit_code, alone.stderr) == (0, "")
    assert alone.stdout == asked.stdout != ""


def test_a_mistyped_variable_is_reported_aside(tmp_path: Path) -> None:
    root = new_user(tmp_path / "project").root
    mistyped = Prompt(root=root, env={"SHIFTWORK_SANDBX": "bubblewrap", "SHIFTWORK_STEP": "step-001"})
    assert mistyped.document("status", "--all")["runs"] == []
    (line,) = mistyped.types("status", "--all", "--json").stderr.splitlines()
    assert line.startswith("shiftwork: warning: SHIFTWORK_SANDBX has no effect")
    assert line.endswith("did you mean SHIFTWORK_SANDBOX?")
    hooked = Prompt(root=root, env={"SHIFTWORK_HOOK": "x"})
    assert "SHIFTWORK_HOOK has no effect" in hooked.types("status", "--all").stderr
    (root / "shiftwork.toml").write_text('[workspace]\nenv = ["SHIFTWORK_HOOK"]\n', encoding="utf-8")
    assert hooked.types("status", "--all").stderr == ""
