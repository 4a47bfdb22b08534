"""kill -9 of an orchestrator while a real agent works: no process of the agent is alive five seconds later."""

import contextlib
import time
from pathlib import Path

import psutil
import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.e2e.claude_rig import Handover
from tests.patience import Stopwatch, eventually

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

WITHIN_SECONDS = 5.0
_COMMAND = "sleep 283 & sleep 293"

PROGRAMS = {"claude-code": "claude_program", "codex": "codex_program"}


@pytest.fixture(params=PROGRAMS)
def handover(request: pytest.FixtureRequest, tmp_path: Path, scripted_model: ModelServer) -> Handover:
    program = request.getfixturevalue(PROGRAMS[request.param])
    return Handover(root=tmp_path, program=program, server=scripted_model, agent=request.param, tier="none")


def at_work(root: Path) -> list[psutil.Process]:
    """Live processes of attempts: they have a marker, and their home or working folder is in the folder."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # a working folder may have a path that is too long to read
            env = process.environ()
            if "SHIFTWORK_ATTEMPT" in env and str(root) in f"{env.get('HOME')} {env.get('PWD')} {process.cwd()}":
                found.append(process)
    return [process for process in found if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


def runs_its_command(root: Path) -> bool:
    words = []
    for process in at_work(root):
        with contextlib.suppress(psutil.Error):
            words.append(process.cmdline())
    return ["sleep", "293"] in words


def test_no_agent_outlives_its_orchestrator(handover: Handover, tmp_path: Path) -> None:
    def works_for_long(kind: str, request: ModelRequest) -> Turn | None:
        if kind != "coding" or request.turn:
            return None
        return call("Bash", command=_COMMAND) if handover.agent == "claude-code" else call("exec_command", cmd=_COMMAND)

    handover.prepare()
    handover.play(works_for_long)
    model = () if handover.agent == "claude-code" else ("--model", "gpt-5.5")
    with handover.started("run", "Wait", "--workflow", "ralph", *model) as process:
        eventually(lambda: runs_its_command(tmp_path))
        process.kill()
        process.wait()
        watch = Stopwatch()
        while left := at_work(tmp_path):
            assert watch.within(WITHIN_SECONDS), left
            time.sleep(0.02)
