"""A shell completes commands and options, typed at a real bash as the page says."""

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
