"""Long output goes through the pager that the user names, on a terminal only."""

import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import pytest

ROWS = 24
SCRIPT = """
import os
from shiftwork.entrypoints.cli.terminal.pager import show
show({}, dict(os.environ), paged={})
"""
LONG = "'\\n'.join(map(str, range(100)))"


def shown(text: str, env: dict[str, str], *, paged: bool = True) -> list[str]:
    """What is on a terminal of 24 rows afterwards."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (ROWS, 80))
    command = [sys.executable, "-c", SCRIPT.format(text, paged)]
    own = {name: value for name, value in os.environ.items() if name not in {"PAGER", "LINES", "COLUMNS"}}  # noqa: TID251 - a test's own
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, env={**own, "TERM": "xterm", **env})
    os.close(theirs)
    screen = b""
    try:
        while chunk := os.read(ours, 65536):
            screen += chunk
    except OSError:
        pass  # on Linux, reading fails when the last user of the other end is gone
    os.close(ours)
    assert process.wait() == 0
    return screen.decode().replace("\r\n", "\n").splitlines()


@pytest.fixture
def pager(tmp_path: Path) -> str:
    """Prints a line, and then what it was given."""
    script = tmp_path / "pager"
    script.write_text("#!/bin/sh\necho paged\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def test_only_what_is_longer_than_the_terminal_is_paged(pager: str) -> None:
    assert shown(LONG, {"SHIFTWORK_PAGER": pager, "PAGER": "false"}) == ["paged", *map(str, range(100))]
    assert shown(LONG, {"PAGER": pager})[0] == "paged"
    assert shown("'short'", {"PAGER": pager}) == ["short"]
    assert shown(LONG, {"PAGER": pager}, paged=False) == list(map(str, range(100)))


def test_without_the_pager_all_is_printed_at_once() -> None:
    assert shown(LONG, {"PAGER": "/no/such/pager"}) == list(map(str, range(100)))


def test_nothing_is_paged_in_a_pipe(pager: str) -> None:
    own = {**os.environ, "PAGER": pager}  # noqa: TID251 - a test's own
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(LONG, True)], capture_output=True, text=True, env=own, check=True
    )
    assert done.stdout.splitlines() == list(map(str, range(100)))
