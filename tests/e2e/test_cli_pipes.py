"""A reader closes the pipe early: no error, no traceback, and the work continues."""

import shlex
import subprocess

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


def test_a_closed_output_causes_no_error_and_a_run_continues_and_exits_as_it_ended(project: Project) -> None:
    for words in ("--help", "doctor", "workflow list"):
        assert piped(project, words, "true").stderr == "0\n", words
    completed = piped(project, "run 'Add a greeting' --workflow ralph --json", "true")
    assert completed.stderr == "0\n"
    assert project.status()["status"] == "completed"
    assert project.git("show", "main:hello.txt") == "hello"
    assert piped(project, "status --all", "true").stderr == "0\n"
    project.settle(agent=WORKING.replace("hello.txt", "other.txt"), gates='test = "test ! -e other.txt"')
    failed = piped(project, "run 'Add another' --workflow ralph", "head -n 1")
    assert failed.stderr == "1\n"
    assert project.status()["status"] == "failed"
