"""The real Claude Code, driven as Shiftwork drives it; only the model is scripted."""

import asyncio
import itertools
import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.adapters.processes.supervise import MARKER_VARIABLE
from shiftwork.domain.model.usage import Usage
from shiftwork.ports.agent import Agent, AgentEvent, AgentLimits, AgentReport, AgentTask, Ending, EventKind
from shiftwork.testing.agent_conformance import AgentConformance, Stage, marked
from shiftwork.testing.model_server import (
    Call,
    DropMid,
    Fail,
    Hang,
    ModelServer,
    Say,
    StreamError,
    Tokens,
    ToolCall,
    Turn,
    call,
)

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180)]

TOOLBOX = (sys.executable, str(Path(__file__).with_name("toolbox_server.py")))
SCRIPT = "s"


class ClaudeStage:
    """Claude Code in private homes, each agent with a script of its own."""

    def __init__(self, program: Path, model: ModelServer) -> None:
        self._program = program
        self._model = model
        self._names = (f"stage-{number}" for number in itertools.count())

    def plays(self, turns: Sequence[Turn], script: str) -> Agent:
        self._model.load(script, turns)
        return self._agent(self._program, script)

    def answers(self, text: str) -> Agent:
        script = next(self._names)
        self._model.load(script, lambda _: Say(text=text))
        return self._agent(self._program, script)

    def works_on(self) -> Agent:
        return self.plays([call("Bash", command="sleep 70"), Say(text="Too late.")], next(self._names))

    def falls_silent(self) -> Agent:
        return self.plays([Hang(seconds=70)], next(self._names))

    def not_installed(self) -> Agent:
        return self._agent(Path("/nowhere/claude"), "nobody")

    def _agent(self, program: Path, script: str) -> Agent:
        driver = ClaudeCode(
            program=program,
            env={"PATH": os.defpath, "CLAUDE_CODE_MAX_RETRIES": "2"},
            endpoint=Endpoint(base_url=self._model.url(script), api_key="sk-ant-scripted"),
            private_home=True,
            allow_root=os.geteuid() == 0,
        )
        return ProcessAgent(driver)


@pytest.fixture
def stage(claude_program: Path, scripted_model: ModelServer) -> ClaudeStage:
    return ClaudeStage(claude_program, scripted_model)


class TestClaudeCode(AgentConformance):
    @pytest.fixture
    def stage(self, claude_program: Path, scripted_model: ModelServer) -> Stage:
        return ClaudeStage(claude_program, scripted_model)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[AgentTask]:
    workdir = tmp_path / "workdir"
    workdir.mkdir()
    given = AgentTask(
        prompt="Do it, please: äöü.",
        workdir=workdir,
        home=tmp_path / "home",
        log=tmp_path / "log.jsonl",
        marker=f"claude/{tmp_path.parent.name}/{tmp_path.name}",
        limits=AgentLimits(wall_seconds=60, silence_seconds=60),
    )
    yield given
    assert marked(given.marker) == []


def attempted(stage: ClaudeStage, turns: Sequence[Turn], task: AgentTask) -> tuple[AgentReport, list[AgentEvent]]:
    events: list[AgentEvent] = []
    return asyncio.run(stage.plays(turns, SCRIPT).attempt(task, events.append)), events


def kinds(events: list[AgentEvent]) -> list[EventKind]:
    return [event.kind for event in events]


def test_it_edits_a_file_and_answers(stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask) -> None:
    file = str(task.workdir / "hello.txt")
    turns: list[Turn] = [
        Call(
            calls=(ToolCall(name="Write", input={"file_path": file, "content": "hello\n"}),),
            text="I write.",
            usage=Tokens(input=10, output=5, cache_read=100, cache_write=50),
        ),
        call("Edit", file_path=file, old_string="hello", new_string="goodbye"),
        call("Bash", command="cat hello.txt; mkdir sub; echo $TMPDIR"),
        Say(text="SUMMARY: written"),
    ]
    report, events = attempted(stage, turns, task)
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "SUMMARY: written", "")
    assert (task.workdir / "hello.txt").read_text() == "goodbye\n"
    assert (task.workdir / "sub").is_dir()
    assert report.usage == Usage(input_tokens=160 + 300, output_tokens=5 + 60, cost_usd=report.usage.cost_usd)
    assert report.usage.cost_usd is not None
    assert report.usage.cost_usd > 0
    tools = [event.tool for event in events if event.kind is EventKind.TOOL_START]
    assert tools == ["Write", "Edit", "Bash"]
    assert kinds(events)[0] is EventKind.STARTED
    assert kinds(events)[-1] is EventKind.FINAL
    last = scripted_model.requests(SCRIPT)[-1]
    assert (last.prompt, last.turn) == (task.prompt, 3)
    assert last.last_tool_result == f"goodbye\n{task.home / 'tmp'}"


def test_it_calls_the_harness_tools(stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask) -> None:
    turns: list[Turn] = [
        call("mcp__shiftwork__note", text="remember"),
        call("mcp__shiftwork__inherited", name=MARKER_VARIABLE),
        Say(text="Noted."),
    ]
    report, events = attempted(stage, turns, replace(task, toolbox=TOOLBOX))
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "Noted.", "")
    ends = [event.text for event in events if event.kind is EventKind.TOOL_END]
    assert [json.loads(text)["result"] for text in ends] == ["noted: remember", task.marker]
    assert "mcp__shiftwork__note" in scripted_model.requests(SCRIPT)[0].tools


def test_a_toolbox_that_does_not_start_is_told(stage: ClaudeStage, task: AgentTask) -> None:
    report, events = attempted(stage, [Say(text="Done.")], replace(task, toolbox=("/bin/false",)))
    assert (report.ending, report.detail) == (Ending.FINISHED, "tools that did not start: shiftwork")
    assert "shiftwork" in events[0].text


def test_a_model_is_asked_for_by_name(stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask) -> None:
    report, _ = attempted(stage, [Say(text="Done.")], replace(task, model="claude-sonnet-5"))
    assert report.model == "claude-sonnet-5"
    assert scripted_model.requests(SCRIPT)[0].conversation.model == "claude-sonnet-5"


def test_a_rate_limit_is_told_as_one(stage: ClaudeStage, task: AgentTask) -> None:
    report, _ = attempted(stage, [Fail(status=429, headers={"retry-after": "3600"})], task)
    assert (report.ending, report.answer) == (Ending.RATE_LIMITED, "")
    assert "429" in report.detail


@pytest.mark.parametrize("fault", [Fail(status=529), DropMid(), StreamError()], ids=lambda fault: type(fault).__name__)
def test_a_fault_that_passes_is_got_over(stage: ClaudeStage, task: AgentTask, fault: Turn) -> None:
    report, events = attempted(stage, [fault, Say(text="After all.")], task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "After all.")
    # An error inside a stream is got over without a word; the others are told.
    assert (EventKind.RETRY in kinds(events)) == (not isinstance(fault, StreamError))


@pytest.mark.parametrize(
    ("status", "ending"), [*((status, Ending.API_ERROR) for status in (400, 401, 403, 500)), (529, Ending.OVERLOADED)]
)
def test_an_error_that_stays_is_the_models(stage: ClaudeStage, task: AgentTask, status: int, ending: Ending) -> None:
    report, _ = attempted(stage, [Fail(status=status, repeat=4)], task)
    assert (report.ending, report.answer) == (ending, "")
    assert report.detail.startswith("api_error: ")


def test_killed_it_has_crashed(stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask) -> None:
    async def kill() -> AgentReport:
        attempt = asyncio.create_task(stage.plays([Hang(seconds=60)], SCRIPT).attempt(task, lambda _: None))
        assert await asyncio.to_thread(scripted_model.wait_for, SCRIPT, 1, 30)
        (agent,) = (pid for pid in marked(task.marker) if psutil.Process(pid).name() == "claude")
        os.kill(agent, signal.SIGKILL)
        return await attempt

    report = asyncio.run(kill())
    assert (report.ending, report.answer) == (Ending.CRASHED, "")
    assert "SIGKILL" in report.detail


def test_a_long_prompt_arrives_whole(stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask) -> None:
    prompt = "".join(f"line {number}: nothing to see, go on.\n" for number in range(9000)) + "The end."
    assert len(prompt) > 300_000
    report, _ = attempted(stage, [Say(text="Read.")], replace(task, prompt=prompt))
    assert (report.ending, report.answer) == (Ending.FINISHED, "Read.")
    assert scripted_model.requests(SCRIPT)[0].prompt == prompt


def test_its_version_is_the_pinned_one(stage: ClaudeStage, pytestconfig: pytest.Config) -> None:
    pins = json.loads((pytestconfig.rootpath / "agents" / "package.json").read_text())
    told = asyncio.run(stage.answers("").probe())
    assert told.split()[0] == pins["dependencies"]["@anthropic-ai/claude-code"]


def test_eight_at_once_do_not_disturb_each_other(stage: ClaudeStage, task: AgentTask) -> None:
    def turns(number: int) -> list[Turn]:
        return [call("Write", file_path=f"{number}.txt", content=str(number)), Say(text=f"Done {number}.")]

    async def together() -> list[AgentReport]:
        agents = [stage.plays(turns(number), f"many-{number}") for number in range(8)]
        tasks = [replace(task, marker=f"{task.marker}/{one}", home=task.home / str(one)) for one in range(8)]
        pairs = zip(agents, tasks, strict=True)
        return await asyncio.gather(*(agent.attempt(given, lambda _: None) for agent, given in pairs))

    reports = asyncio.run(together())
    assert [report.answer for report in reports] == [f"Done {number}." for number in range(8)]
    assert {path.name for path in task.workdir.iterdir()} == {f"{number}.txt" for number in range(8)}
