"""Agents over the Agent Client Protocol: Codex behind its own adapter, and a small agent that misbehaves."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents.acp.agent import AcpAgent
from shiftwork.adapters.processes.supervisor.supervise import MARKER_VARIABLE
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import AgentMissingError
from shiftwork.ports.agent import Agent, AgentTask, Ending, EventKind
from shiftwork.testing.conformance.agent import AgentConformance, marked
from shiftwork.testing.model_server import Call, Fail, Hang, ModelRequest, ModelServer, Say, ToolCall, Turn, call
from tests.conformance.agents.agent_rig import HERE, SCRIPT, TOOLBOX, ScriptedStage, attempted, last_asked, new_task

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180)]


class AcpStage(ScriptedStage):
    """Codex as an ACP agent, each with a script and a home of its own."""

    long_work = call("exec_command", cmd="sleep 70")

    def __init__(self, program: Path, model: ModelServer, root: Path, sandbox: Sandbox = OPEN) -> None:
        super().__init__(model)
        self._program = program
        self._root = root
        self._sandbox = sandbox

    def plays(self, turns: Sequence[Turn], script: str, mode: str = "agent-full-access") -> Agent:
        self._model.load(script, turns)
        return self.agent(script, mode)

    def not_installed(self) -> Agent:
        return AcpAgent(("/nowhere/agent", "--acp"), env={}, sandbox=self._sandbox)

    def agent(self, script: str, mode: str = "agent") -> Agent:
        home = self._root / script
        (home / "codex").mkdir(parents=True)
        provider = {
            "name": "scripted",
            "base_url": f"{self._model.url(script)}/v1",
            "wire_api": "responses",
            "env_key": "CODEX_API_KEY",
            "request_max_retries": 1,
            "stream_max_retries": 1,
        }
        settings = {
            "model": "gpt-5.5",
            "model_provider": "scripted",
            "model_providers": {"scripted": provider},
            "features": {"plugins": False, "apps": False},
            "analytics": {"enabled": False},
        }
        env = {
            "PATH": os.environ["PATH"],  # noqa: TID251 - Node is wherever this machine has it
            "HOME": str(home),
            "CODEX_HOME": str(home / "codex"),
            "CODEX_API_KEY": "sk-scripted",
            "CODEX_CONFIG": json.dumps(settings),
            "INITIAL_AGENT_MODE": mode,
        }
        return AcpAgent((str(self._program),), env=env, sandbox=self._sandbox)


@pytest.fixture
def stage(acp_program: Path, scripted_model: ModelServer, tmp_path: Path) -> AcpStage:
    return AcpStage(acp_program, scripted_model, tmp_path / "homes")


class TestAcp(AgentConformance):
    patience = 6.0  # it is at work after some seconds: Node, then Codex behind it


@pytest.fixture
def task(tmp_path: Path) -> Iterator[AgentTask]:
    with new_task(tmp_path) as given:
        yield given


# The real one ------------------------------------------------------------------------------------------------------


def test_it_edits_a_file_uses_the_harness_tools_and_answers(
    stage: AcpStage, scripted_model: ModelServer, task: AgentTask
) -> None:
    inherited = ToolCall(name="inherited", namespace="mcp__shiftwork", input={"name": MARKER_VARIABLE})

    def play(request: ModelRequest) -> Turn:
        if request.turn == 0:
            return Call(
                calls=(ToolCall(name="exec_command", input={"cmd": "echo hello > hello.txt"}),), text="I write."
            )
        if task.marker in request.last_tool_result:
            return Say(text="SUMMARY: written")
        # Tools start beside the session, and until then a call of theirs is none.
        return Hang(seconds=0.5, then=Call(calls=(inherited,)))

    agent = stage.plays([], SCRIPT)
    scripted_model.load(SCRIPT, play)
    report, events = attempted(agent, replace(task, toolbox=TOOLBOX, model="gpt-5.6-sol"))
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "SUMMARY: written", "")
    assert (task.workdir / "hello.txt").read_text() == "hello\n"
    asked = sum(request.prompt == task.prompt for request in scripted_model.requests(SCRIPT))
    assert report.usage == Usage(input_tokens=100 * asked, output_tokens=20 * asked, cost_usd=None)
    assert events[0].text.startswith("Codex ")
    starts = [event.tool for event in events if event.kind is EventKind.TOOL_START]
    assert starts[0] == "execute"
    assert len(starts) == 2
    last = last_asked(scripted_model)
    assert (last.prompt, last.conversation.model) == (task.prompt, "gpt-5.6-sol")


def adds(path: Path | str) -> Turn:
    patch = f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
    return Call(calls=(ToolCall(name="apply_patch", input=patch),))


def test_it_gets_leave_for_its_workspace(stage: AcpStage, task: AgentTask) -> None:
    report, _ = attempted(stage.plays([adds("inside.txt"), Say(text="Done.")], SCRIPT, mode="read-only"), task)
    assert (report.ending, report.answer, report.denials) == (Ending.FINISHED, "Done.", ())
    assert (task.workdir / "inside.txt").read_text() == "x\n"


def test_it_gets_no_leave_for_what_is_elsewhere(stage: AcpStage, task: AgentTask) -> None:
    outside = task.workdir.parent / "outside.txt"
    report, _ = attempted(stage.plays([adds(outside), Say(text="Done.")], SCRIPT, mode="read-only"), task)
    assert not outside.exists()
    assert len(report.denials) == 1


def test_a_rate_limit_is_an_answer_in_words(stage: AcpStage, task: AgentTask) -> None:
    report, _ = attempted(stage.plays([Fail(status=429, repeat=9)], SCRIPT), task)
    assert report.ending is Ending.FINISHED
    assert "429" in report.answer, "the protocol has no other way: no step's contract is kept by it"


def test_a_key_that_is_not_accepted_is_reported(stage: AcpStage, task: AgentTask) -> None:
    report, _ = attempted(stage.plays([Fail(status=401, repeat=9)], SCRIPT), task)
    assert (report.ending, report.answer) == (Ending.API_ERROR, "")
    assert "Authentication required" in report.detail


# The tiny one ------------------------------------------------------------------------------------------------------


def tiny(play: str, outside: Path | str = "") -> Agent:
    return AcpAgent(
        (sys.executable, str(HERE / "agents" / "acp_agent.py"), play, str(outside)), env={"PATH": os.defpath}
    )


def test_messages_come_whole_and_the_last_is_the_answer(task: AgentTask) -> None:
    report, events = attempted(tiny("works"), task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Last words.")
    assert report.usage == Usage(input_tokens=5, output_tokens=2, cost_usd=0.25)
    assert [(str(event.kind), event.tool, event.text) for event in events] == [
        ("started", "", "tiny 1"),
        ("text", "", "First words."),
        ("tool_start", "execute", "ls"),
        ("tool_end", "execute", "a.txt"),
        ("usage", "", "10 of 100 in use"),
        ("text", "", "Last words."),
        ("final", "", "Last words."),
    ]


def test_leave_is_given_inside_the_workspace_alone(task: AgentTask) -> None:
    outside = task.workdir.parent / "elsewhere"
    report, _ = attempted(tiny("permissions", outside), task)
    assert json.loads(report.answer) == ["id-allow_once", "id-reject_once", "cancelled", "id-allow_always"]
    assert report.denials == (f"edit {outside}",)


def test_files_are_those_of_the_workspace(task: AgentTask, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (task.workdir / "link").symlink_to(outside)
    report, _ = attempted(tiny("files", outside), task)
    line, read, written, missing, terminal = json.loads(report.answer)
    assert line == "two\n"
    assert read == {"reason": f"{outside}/secret is not in the workspace"}
    assert written == {"reason": "link/stolen is not in the workspace"}
    assert (missing, terminal) == (-32602, -32601)
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert (task.workdir / "sub" / "a.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("play", "ending", "message"),
    [
        ("dies", Ending.CRASHED, "exit code 7: out of luck"),
        ("mute", Ending.CRASHED, "exit code 3"),
        ("login", Ending.API_ERROR, "Authentication required log in"),
        ("stops", Ending.CRASHED, "stopped early: max_tokens"),
    ],
)
def test_an_end_that_is_none_is_reported_as_what_it_was(
    task: AgentTask, play: str, ending: Ending, message: str
) -> None:
    report, _ = attempted(tiny(play), task)
    assert (report.ending, report.answer) == (ending, "")
    assert message in report.detail


def test_garbage_on_the_line_is_not_received(task: AgentTask, caplog: pytest.LogCaptureFixture) -> None:
    report, _ = attempted(tiny("garbage"), task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Still here.")
    assert caplog.records == [], "an agent does not write into our logs"


def test_one_that_does_not_leave_is_made_to(task: AgentTask) -> None:
    began = time.monotonic()
    report, _ = attempted(tiny("lingers"), task)
    assert (report.ending, marked(task.marker)) == (Ending.FINISHED, [])
    assert time.monotonic() - began < 55, "long before it would have left"


def test_a_program_that_is_no_agent_is_reported_before_a_run() -> None:
    with pytest.raises(AgentMissingError, match="does not answer"):
        asyncio.run(tiny("mute").probe())
    assert asyncio.run(tiny("works").probe()) == "tiny 1"
