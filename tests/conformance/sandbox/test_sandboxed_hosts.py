"""Real agents in a sandbox with a list of hosts: they reach only their model, and refusals are reported."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from shiftwork.adapters.sandbox.bubblewrap import Bubblewrap
from shiftwork.ports.agent import AgentTask, Ending
from shiftwork.testing.model_server import ModelServer, Say, Turn, call
from tests.conformance.agents.agent_rig import SCRIPT, ScriptedStage, attempted
from tests.conformance.agents.test_acp import AcpStage
from tests.conformance.agents.test_claude_code import ClaudeStage
from tests.conformance.agents.test_codex import CodexStage
from tests.conformance.agents.test_sandboxed_agents import task_at, walls
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, reach

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180), NEEDS_BUBBLEWRAP]

CURL = "curl -sS -m 20 {} 2>&1; "
LOOK = f"{CURL.format('https://evil.example/')}{CURL.format('http://evil.example/')}echo hello > hello.txt"

type Staged = Callable[[Bubblewrap], ScriptedStage]


@pytest.fixture(params=["claude", "codex", "acp"])
def staged(request: pytest.FixtureRequest, scripted_model: ModelServer, tmp_path: Path) -> Staged:
    program: Path = request.getfixturevalue(f"{request.param}_program")
    if request.param == "acp":
        homes = tmp_path / "homes"
        homes.mkdir()
        return lambda around: AcpStage(program, scripted_model, homes, replace(around, writable=(homes,)))
    kind = ClaudeStage if request.param == "claude" else CodexStage
    return lambda around: kind(program, scripted_model, around)


@pytest.fixture
def task(tmp_path: Path) -> AgentTask:
    return task_at(tmp_path)


def place(model: ModelServer) -> str:
    return urlsplit(model.url(SCRIPT)).netloc


def shell(stage: ScriptedStage, command: str) -> Turn:
    return call("Bash", command=command) if isinstance(stage, ClaudeStage) else call("exec_command", cmd=command)


def test_its_model_is_reached_and_no_one_else(staged: Staged, scripted_model: ModelServer, task: AgentTask) -> None:
    stage = staged(replace(walls(task.workdir.parent), reach=reach([place(scripted_model)])))
    turns = [shell(stage, LOOK), Say(text="Done.")]
    report, _ = attempted(stage.plays(turns, SCRIPT), replace(task, model=""))
    assert (report.ending, report.answer) == (Ending.FINISHED, "Done."), report.detail
    assert (task.workdir / "hello.txt").read_text() == "hello\n"
    message = scripted_model.last_tool_result(SCRIPT)
    assert "response 403" in message
    assert "evil.example is not listed under hosts of [sandbox.gates]" in message
    assert "refused by the sandbox: evil.example is not listed" in task.log.read_text()


def test_without_its_model_it_does_nothing_and_why_is_reported(
    staged: Staged, scripted_model: ModelServer, task: AgentTask
) -> None:
    stage = staged(replace(walls(task.workdir.parent), reach=reach(["127.0.0.1:1"])))
    report, _ = attempted(stage.plays([Say(text="Done.")], SCRIPT), replace(task, model=""))
    why = f"{place(scripted_model)} is not listed under hosts of [sandbox.gates]"
    assert scripted_model.requests(SCRIPT) == ()
    assert f"refused by the sandbox: {why}" in task.log.read_text()
    if isinstance(stage, AcpStage):
        assert why in report.answer, "over this protocol it is an answer like any other"
    else:
        assert report.ending is Ending.API_ERROR
        assert report.detail.endswith(f"refused by the sandbox: {why}")
