"""A shell completes commands and options, typed at a real bash as the page says."""

import shutil
import subprocess

import pytest

from shiftwork.entrypoints.cli.commands.completion import INSTALL
from tests.documented import ROOT, blocks
from tests.e2e.cli_rig import Project
from tests.e2e.shell_rig import Terminal, a_shell
from tests.patience import eventually


def completed(terminal: Terminal, typed: str, expected: bytes) -> None:
    terminal.types(f"{typed}\t")
    eventually(lambda: expected in terminal.seen())
    terminal.types("\x15")


def test_bash_completes_commands_and_options(project: Project) -> None:
    (line,) = blocks(ROOT / "docs/howto/install.md", "completion").splitlines()
    assert line == INSTALL["bash"]
    with a_shell(project) as terminal:
        terminal.types(f"{line}; echo rea''dy\n")
        eventually(lambda: b"ready" in terminal.seen())
        completed(terminal, "shiftwork sto", b"shiftwork stories ")
        completed(terminal, "shiftwork run --par", b"shiftwork run --parallel ")


@pytest.mark.parametrize("shell", INSTALL)
def test_each_shell_gets_its_script(project: Project, shell: str) -> None:
    script = project.shiftwork("completion", shell)
    assert script.returncode == 0
    assert "_SHIFTWORK_COMPLETE" in script.stdout
    if program := shutil.which(shell):
        subprocess.run([program, "-n", "-c", script.stdout], check=True)


def test_another_shell_is_refused_with_those_that_are_known(project: Project) -> None:
    refused = project.shiftwork("completion", "csh")
    assert (refused.returncode, refused.stderr) == (
        64,
        "shiftwork: there is no completion for csh\n  try: one of: bash, zsh, fish\n",
    )
