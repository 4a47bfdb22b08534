"""Errors of the operating system are reported in plain words, with what to do about them."""

import errno
import subprocess
import sys

import click
import pytest

from shiftwork.entrypoints.cli.error_boundary import _ended
from shiftwork.errors import EXIT_INTERRUPTED, ShiftworkError, UsageError


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (OSError(errno.ENOSPC, "No space left"), "the disk is full", "make room"),
        (OSError(errno.EDQUOT, "Quota", "/a/b"), "the disk is full: /a/b", "make room"),
        (
            OSError(errno.EROFS, "Read-only", "/a/b"),
            "/a/b cannot be written: its file system is read-only",
            "git clone",
        ),
        (PermissionError(errno.EACCES, "Denied", "/a/b"), "/a/b: permission denied", "ls -ld /a /a/b"),
    ],
)
def test_what_the_machine_refuses_is_no_crash(
    error: OSError, message: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _ended(error) == 1
    first, second = capsys.readouterr().err.splitlines()
    assert first == f"shiftwork: {message}"
    assert second.startswith("  try: ")
    assert hint in second


@pytest.mark.parametrize(
    ("error", "code", "typed"),
    [
        (UsageError("no"), 64, "shiftwork --help"),
        (click.ClickException("no"), 64, "shiftwork --help"),
        (ShiftworkError("no"), 1, "shiftwork doctor"),
    ],
)
def test_no_refusal_is_without_a_next_command(
    error: Exception, code: int, typed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _ended(error) == code
    assert capsys.readouterr().err.splitlines() == ["shiftwork: no", f"  try: {typed}"]


HALF_MADE = """
import sys
from shiftwork.entrypoints.cli.error_boundary import _ended

class HalfMade:
    def __del__(self):
        raise AttributeError("it was never finished")

def interrupted():
    held = HalfMade()
    raise KeyboardInterrupt

try:
    interrupted()
except KeyboardInterrupt as error:
    code = _ended(error)
sys.exit(code)
"""

WHILE_LOADING = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, *_):
        if name.endswith("cli.error_boundary"):
            os.kill(os.getpid(), signal.SIGINT)

from shiftwork.entrypoints.cli import main

sys.meta_path.insert(0, Interrupting())
sys.exit(main())
"""

ON_THE_WAY_OUT = """
import os, signal, sys
from shiftwork.entrypoints.cli import main

sys.argv = ["shiftwork", "--version"]
code = main()
os.kill(os.getpid(), signal.SIGINT)
sys.exit(code)
"""


@pytest.mark.parametrize(
    ("program", "code", "message"),
    [
        pytest.param(HALF_MADE, 130, "shiftwork: interrupted\n", id="with something half made"),
        pytest.param(WHILE_LOADING, 130, "", id="while modules are loaded"),
        pytest.param(ON_THE_WAY_OUT, 0, "", id="on the way out"),
    ],
)
def test_an_interrupt_prints_no_traceback_whenever_it_comes(program: str, code: int, message: str) -> None:
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (code, message)


DROPPED = """
import os, signal, sys, time, weakref
from shiftwork.entrypoints.cli import error_boundary as boundary
from shiftwork.entrypoints.cli.group import group

class Thing:
    pass

def interrupted_while_clearing_up(**_):
    thing = Thing()
    there = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del thing
    time.sleep(60)
    return 0

group.main = interrupted_while_clearing_up
sys.exit(boundary.guarded())
"""


def test_an_interrupt_that_python_would_drop_ends_the_command_without_a_traceback() -> None:
    ran = subprocess.run((sys.executable, "-c", DROPPED), capture_output=True, text=True, timeout=50, check=False)
    assert (ran.returncode, ran.stderr) == (EXIT_INTERRUPTED, "shiftwork: interrupted\n")


def test_an_unknown_option_is_reported_as_other_mistakes_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert _ended(click.NoSuchOption("--paralel", possibilities=["--parallel"])) == 64
    assert capsys.readouterr().err == (
        "shiftwork: there is no option --paralel; did you mean --parallel?\n  try: shiftwork --help\n"
    )
    _ended(click.NoSuchOption("--nonsense"))
    assert capsys.readouterr().err.startswith("shiftwork: there is no option --nonsense\n")
