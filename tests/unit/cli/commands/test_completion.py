"""`shiftwork completion`: every shell that the help names has its script."""

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from shiftwork.entrypoints.cli.commands.completion import INSTALL, command
from shiftwork.errors import UsageError


@pytest.mark.parametrize("shell", INSTALL)
def test_each_shell_gets_its_script(shell: str) -> None:
    script = CliRunner().invoke(command, [shell])
    assert script.exit_code == 0
    assert "_SHIFTWORK_COMPLETE" in script.output
    if program := shutil.which(shell):
        subprocess.run([program, "-n", "-c", script.output], check=True)


def test_another_shell_is_refused_with_those_that_are_known() -> None:
    refused = CliRunner().invoke(command, ["csh"]).exception
    assert isinstance(refused, UsageError)
    assert (refused.message, refused.hint) == ("there is no completion for csh", "one of: bash, zsh, fish")
