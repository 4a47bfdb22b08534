"""A reader closes the pipe early: no error, no traceback, and the work continues."""

import shlex
import subprocess

import pytest

from tests.e2e.cli_rig import SHIFTWORK, WORKING, Project
from tests.patience import SECONDS


def piped(project: Project, words: str, reader: str) -> subprocess.CompletedProcess[str]:
    """The command's own exit code, whether or not its reader is still alive."""
    line = f"{{ {shlex.quote(str(SHIFTWORK))} {words}; echo $? >&2; }} | {reader}"
    return subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=project.root,
        env=project.environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )


@pytest.mark.parametrize("words", ["--help", "doctor", "workflow list"])
def test_a_reader_that_closes_the_pipe_early_causes_no_error(project: Project, words: str) -> None:
    assert piped(project, words, "true").stderr == "0\n"


@pytest.mark.parametrize("words", ["", "--json"])
@pytest.mark.parametrize("reader", ["true", "head -n 2"])
def test_a_run_continues_when_its_output_is_closed(project: Project, words: str, reader: str) -> None:
    completed = piped(project, f"run 'Add a greeting' --workflow ralph {words}", reader)
    assert completed.stderr == "0\n"
    assert project.status()["status"] == "completed"
    assert project.git("show", "main:hello.txt") == "hello"
    assert piped(project, "status --all", "true").stderr == "0\n"


def test_a_run_that_fails_undelivered_has_failed(project: Project) -> None:
    project.settle(agent=WORKING, gates='test = "test ! -e hello.txt"')
    completed = piped(project, "run 'Add a greeting' --workflow ralph", "head -n 1")
    assert completed.stderr == "1\n"
    assert project.status()["status"] == "failed"
