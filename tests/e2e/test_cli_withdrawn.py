"""A story that is cancelled or paused while the gates run on its candidate does not land."""

from pathlib import Path

import pytest

from tests.e2e.cli_rig import WORKING, Project, interrupt, lives, new_project, writing_pid, written_pid
from tests.patience import SECONDS, STATUS_EVERY, Stopwatch, eventually

pytestmark = pytest.mark.slow

RUN = ("run", "--workflow", "ralph", "Add a greeting")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Its gate writes its pid and does not end while the file `go` does not exist."""
    project = new_project(tmp_path)
    message = writing_pid(project.shared / "gate")
    gate = f"test -f hello.txt || exit 0; {message}; until [ -f {project.shared}/go ]; do sleep 0.1; done"
    project.settle(agent=WORKING, gates=f'test = "{gate}"')
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "settings")
    return project


def gate_of(project: Project) -> int:
    pid = written_pid(project.shared / "gate")
    assert lives(pid)
    return pid


def log(project: Project) -> list[str]:
    return project.git("log", "--format=%s", "main").splitlines()


def assert_cancelled(project: Project) -> None:
    (project.agent.with_name("go")).touch()  # what is still in progress would pass now
    assert log(project) == ["settings", "start"]
    status = project.status()
    assert [(item["status"], item["cause"], item["commit"]) for item in status["stories"]] == [
        ("failed", "cancelled", "")
    ]
    assert status["worker"] is None


def left_at_its_gates(project: Project) -> None:
    with project.started(*RUN) as process:
        gate = gate_of(project)
        interrupt(process)
        process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert not lives(gate)
    project.agent.with_name("gate").unlink()


def test_a_run_that_was_left_at_its_gates_is_cancelled_and_lands_nothing(project: Project) -> None:
    left_at_its_gates(project)
    project.agent.with_name("go").touch()
    cancelled = project.shiftwork("cancel")
    assert cancelled.returncode == 0, cancelled
    assert "is cancelled" in cancelled.stdout
    assert_cancelled(project)
    assert project.status()["status"] == "cancelled"
    assert not project.agent.with_name("gate").exists(), "the cancel ran no gates"


def test_a_story_of_a_run_that_was_left_at_its_gates_is_cancelled_when_it_is_resumed(project: Project) -> None:
    left_at_its_gates(project)
    project.agent.with_name("go").touch()
    asked = project.shiftwork("cancel", "--story", "US-001")
    assert "requested; done when the run continues" in asked.stdout
    resumed = project.shiftwork("resume")
    assert resumed.returncode == 1, resumed
    assert "landed on" not in resumed.stdout
    assert_cancelled(project)


@pytest.mark.parametrize("words", [(), ("--story", "US-001")], ids=["the run", "one story"])
def test_a_cancel_under_its_worker_ends_the_gates_within_five_seconds(project: Project, words: tuple[str, ...]) -> None:
    with project.started(*RUN) as process:
        gate = gate_of(project)
        watch = Stopwatch()
        cancelled = project.shiftwork("cancel", *words)
        assert cancelled.returncode == 0, cancelled
        assert "is cancelled" in cancelled.stdout
        assert watch.within(5 + 3), "five seconds, and the time that the command takes to start"
        assert not lives(gate)
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, message
    assert "nothing was landed" in message
    assert_cancelled(project)


def test_nothing_lands_in_a_paused_run(project: Project) -> None:
    with project.started(*RUN) as process:
        gate = gate_of(project)
        assert "is paused" in project.shiftwork("pause").stdout
        eventually(lambda: not lives(gate))
        project.agent.with_name("go").touch()
        eventually(lambda: project.status()["stories"][0]["landing"] == "none", every=STATUS_EVERY)
        assert log(project) == ["settings", "start"]
        assert "continues" in project.shiftwork("resume").stdout
        message, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, message
    assert "left the landing queue" in message
    assert len(log(project)) == 3
