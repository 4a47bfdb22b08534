"""Shows long output through a pager, if it would not fit the terminal."""

import contextlib
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

import click

PAGER_VARIABLE: Final = "SHIFTWORK_PAGER"
_USUAL: Final = "less -FRX"

unpaged = click.option("--no-pager", is_flag=True, help="Print all of it at once, also where it is long.")


def show(text: str, env: Mapping[str, str], *, paged: bool = True) -> None:
    """Prints the text. It goes through `SHIFTWORK_PAGER`, `PAGER` or less if it is longer than the terminal."""
    rows = shutil.get_terminal_size().lines
    fits = text.count("\n") + 1 < rows
    command = shlex.split(env.get(PAGER_VARIABLE) or env.get("PAGER") or _USUAL)
    if fits or not paged or not sys.stdout.isatty() or not _shown_by(command, text):
        click.echo(text, color=True)


def _shown_by(command: list[str], text: str) -> bool:
    """Whether the pager could be started. An interrupt is for the pager, which decides what it means."""
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE)  # noqa: S603 - the user names the pager
    except (OSError, IndexError):
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with contextlib.suppress(BrokenPipeError):  # it ended before it had read all
            process.communicate(f"{text}\n".encode(errors="replace"))
        process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return True
