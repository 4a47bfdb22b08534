"""Stopping and continuing: Ctrl-C, resume, cancel. In every case, no agent outlives the command that ran it."""

import itertools
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.conformance.processes.programs import guards_of
from tests.e2e.cli_rig import (
    SHIFTWORK,
    WORKING,
    Project,
    interrupt,
    lives,
    new_project,
    sleeping,
    writing_pid,
    written_pid,
)
from tests.e2e.shell_rig import a_shell
from tests.patience import SECONDS, STATUS_EVERY, eventually

pytestmark = pytest.mark.slow


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = new_project(tmp_path)
    project.settle(agent=sleeping(project.shared))
    return project


def agent_of(project: Project) -> int:
    return written_pid(project.shared / "pid")


def test_an_interrupted_run_stops_its_agent_and_can_be_resumed(project: Project) -> None:
    with project.installed("run", "Add a greeting") as process:
        agent = agent_of(project)
        interrupt(process)
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, message
    assert not lives(agent)
    assert "interrupted: agents are stopped, and nothing is lost" in message
    status = project.status()
    assert (status["activity"], status["status"]) == ("interrupted", "running")
    assert message.splitlines()[-1] == f"next: shiftwork resume {status['run']}"
    assert project.shiftwork("status", "--all").stdout.splitlines()[1].split()[1] == "interrupted"
    still = project.shiftwork("pause").stdout.splitlines()
    assert still[0] == f"run {status['run']} is already stopped: no process works on it"
    assert json.loads(project.shiftwork("pause", "--json").stdout)["delivery"] == "needless"
    project.agent.with_name("go").touch()
    script = project.agent.read_text(encoding="utf-8")
    project.agent.write_text("exit 1\n", encoding="utf-8")
    assert project.shiftwork("run", "--workflow", "ralph", "Fail").returncode == 1, "newer, and over"
    project.agent.write_text(script, encoding="utf-8")
    resumed = project.shiftwork("resume")
    assert resumed.returncode == 0, resumed
    assert project.git("log", "-1", "--format=%s") == "feat: Add a greeting"
    again = project.shiftwork("resume", "--json", status["run"])
    assert again.returncode == 0
    assert json.loads(again.stdout)["stop"] == "over"


def stubborn(project: Project) -> None:
    """Its agent ignores signals to end, and so does the shell that starts it."""
    settings = project.root / "shiftwork.toml"
    deaf = settings.read_text(encoding="utf-8").replace('command = "sh', "command = \"trap '' TERM INT HUP; sh")
    settings.write_text(deaf, encoding="utf-8")


def played(project: Project, signals: Callable[[subprocess.Popen[str]], None], seconds: float) -> tuple[int, int, str]:
    """How a run ended that was signalled within some seconds, its agent, and what it said.

    If the machine stalls between two signals, they have another effect: then the run is resumed, and they are sent
    again.
    """
    for words in itertools.chain([("run", "Add a greeting")], itertools.repeat(("resume",))):
        with project.installed(*words) as process:
            agent, began = agent_of(project), time.monotonic()
            signals(process)
            took = time.monotonic() - began
            message, _ = process.communicate(timeout=SECONDS)
        if took < seconds:
            return process.returncode, agent, message
        project.agent.with_name("pid").unlink()
    raise AssertionError("it is taken up for ever")


def test_a_second_interrupt_ends_the_command_and_its_agents_at_once(project: Project) -> None:
    stubborn(project)

    def twice(process: subprocess.Popen[str]) -> None:
        interrupt(process)
        assert process.stdout is not None
        assert any("Ctrl-C again exits at once" in line for line in process.stdout), "it has received the first signal"
        time.sleep(0.6)
        interrupt(process)

    code, agent, message = played(project, twice, seconds=1.5)  # its agents are given two, and it is over then
    assert code == 130
    assert "interrupted: agents are stopped" not in message, "it has not waited for that"
    eventually(lambda: not lives(agent))
    cancelled = project.shiftwork("cancel")
    assert cancelled.returncode == 0, cancelled
    assert project.status()["status"] == "cancelled"


def test_one_wish_that_comes_as_two_signals_stops_everything_in_order(project: Project) -> None:
    """`timeout` signals its child and then the child's group."""
    stubborn(project)

    def twice(process: subprocess.Popen[str]) -> None:
        process.terminate()
        time.sleep(0.05)
        process.terminate()

    code, agent, message = played(project, twice, seconds=0.4)  # a user's second Ctrl-C takes longer
    assert code == 130, message
    assert not lives(agent)
    assert "interrupted: agents are stopped, and nothing is lost" in message
    assert project.status()["activity"] == "interrupted"


def test_a_terminal_has_its_cursor_while_a_run_is_stopped_and_no_agent_is_left_when_it_is_closed(
    project: Project,
) -> None:
    """A terminal with a shell in it: both of them hang up."""
    stubborn(project)
    shown, hidden = b"\x1b[?25h", b"\x1b[?25l"
    path = project.agent.with_name("pid")
    with a_shell(project) as terminal:

        def is_last(one: bytes, other: bytes) -> bool:
            return terminal.seen().rfind(one) > terminal.seen().rfind(other)

        def is_stopped_again(stops: int) -> bool:
            return terminal.seen().count(b"Stopped") == stops

        terminal.types(f"{SHIFTWORK} run 'Add a greeting'\n")
        eventually(lambda: terminal.seen() and path.exists())
        for stops in (1, 2):
            eventually(lambda: is_last(hidden, shown))
            terminal.types("\x1a")
            eventually(partial(is_stopped_again, stops))
            assert is_last(shown, hidden)
            terminal.types("fg\n")
        eventually(lambda: is_last(hidden, shown))
        terminal.types("\x03")
        eventually(lambda: b"next: shiftwork resume" in terminal.seen())
        assert is_last(shown, hidden)
        path.unlink()
        terminal.types(f"{SHIFTWORK} resume\n")
        eventually(lambda: terminal.seen() and path.exists())
        agent = agent_of(project)
    eventually(lambda: not lives(agent))
    eventually(lambda: project.status()["activity"] == "interrupted", every=STATUS_EVERY)
    assert not list(project.state.glob("crash-*"))
    project.agent.with_name("go").touch()
    resumed = project.shiftwork("resume")
    assert resumed.returncode == 0, resumed


def test_what_a_killed_worker_has_left_running_is_reported_and_ended_with_the_run(project: Project) -> None:
    """An agent at work may cost something, and only its marker shows it; the guard was killed too.

    Without a sandbox: what is in one ends with its worker.
    """
    project = replace(project, tier="none")
    project.settle(
        agent=f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then echo half > half.txt; fi\n{sleeping(project.shared)}'
    )
    with project.installed("run", "Add a greeting") as process:
        agent = agent_of(project)
        for guard in guards_of(process.pid):
            os.kill(guard, signal.SIGKILL)
        process.kill()
        process.wait(timeout=SECONDS)
    assert lives(agent)
    status = project.status()
    assert (status["activity"], status["left_running"] > 0) == ("interrupted", True)
    lines = [line.strip() for line in project.shiftwork("status").stdout.splitlines()]
    assert any(line.startswith("still running, and their work is lost: ") for line in lines)
    assert lines[-2:] == [
        f"next: shiftwork resume {status['run']}    (ends them, and continues)",
        f"shiftwork cancel {status['run']}    (or ends them for good)",
    ]
    assert project.shiftwork("cancel").returncode == 0
    assert not lives(agent)
    status = project.status()
    assert (status["activity"], status["status"], status["left_running"]) == ("over", "cancelled", 0)
    diffs = (project.state / "diffs" / status["run"]).rglob("*.diff")
    assert any("+half" in diff.read_text(encoding="utf-8").splitlines() for diff in diffs), "its work is kept"
    resumed = project.shiftwork("resume")
    assert resumed.returncode == 1
    assert "cancelled: nothing was landed" in resumed.stdout


def test_a_run_is_cancelled_under_its_worker(project: Project) -> None:
    with project.installed("run", "Add a greeting") as process:
        agent = agent_of(project)
        busy = project.shiftwork("resume")
        assert busy.returncode == 1, busy
        assert "is being worked on by process" in busy.stderr
        cancelled = project.shiftwork("cancel", "--json")
        assert cancelled.returncode == 0, cancelled
        assert json.loads(cancelled.stdout)["status"] == "cancelled"
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, message
    assert "cancelled: nothing was landed" in message
    assert not lives(agent)
    assert "is over already: cancelled" in project.shiftwork("cancel").stdout


def test_a_run_is_cancelled_though_its_worker_dies_before_it_has_received_of_it(project: Project) -> None:
    with project.installed("run", "Add a greeting") as process:
        agent = agent_of(project)
        process.send_signal(signal.SIGSTOP)
        with project.installed("cancel") as cancel:
            eventually(lambda: project.outputs("cancel/%"))
            process.kill()
            message, _ = cancel.communicate(timeout=SECONDS)
    assert (cancel.returncode, "is cancelled" in message) == (0, True), message
    assert not lives(agent)


def test_a_run_outlives_its_terminal_if_it_was_reported_to(project: Project) -> None:
    """A signal that `nohup` ignores stays ignored; an agent can still receive it."""
    where = project.shared
    project.settle(
        agent=f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then\n  trap "touch {where}/heard" HUP\n'
        f"  {writing_pid(where / 'pid')}\n"
        f"  until [ -f {where}/go ]; do sleep 0.05; done; kill -HUP $$\nfi\n{WORKING}"
    )
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with project.installed("run", "--workflow", "ralph", "Add a greeting") as process:
            agent_of(project)
            process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            (where / "go").touch()
            message, _ = process.communicate(timeout=SECONDS)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert process.returncode == 0, message
    assert (where / "heard").exists()


def test_what_a_run_died_of_is_reported_again_with_what_to_type_until_it_is_gone(project: Project) -> None:
    """A problem that was fixed is not reported again; any other is reported with the command that solves it."""
    project = replace(project, tier="none")  # from a sandbox no branch of the user's can be moved
    held = "shiftwork/landed/main"
    foreign = project.git("commit-tree", "-p", "HEAD", "-m", "foreign", "HEAD^{tree}")
    branch = f"git --git-dir={project.root}/.git branch -f {held} {foreign}"
    project.settle(agent=f'if [ "$SHIFTWORK_STEP_TYPE" = coding ]; then {branch}; fi\n{WORKING}')
    for words in (("run", "--workflow", "ralph", "Add a greeting"), ("resume",), ("resume",), ("resume",)):
        completed = project.shiftwork(*words)
        assert completed.returncode == 1, completed
        assert f"shiftwork: {held} was created or moved by another program" in completed.stderr
        assert f"git branch -m {held} put-aside to leave it out; then: shiftwork resume" in completed.stderr
    project.git("branch", "-m", held, "put-aside")
    resumed = project.shiftwork("resume")
    assert resumed.returncode == 0, resumed
