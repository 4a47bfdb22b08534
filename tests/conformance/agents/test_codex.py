"""The real Codex, driven as Shiftwork drives it; only the model is scripted."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents._driver import Driver
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.codex import Codex, CodexEndpoint
from shiftwork.adapters.processes.supervisor.supervise import MARKER_VARIABLE, marked
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import AgentLoginError
from shiftwork.ports.agent import AgentEvent, AgentLimits, AgentReport, AgentTask, Ending, EventKind, Session
from shiftwork.testing.model_server import (
    Call,
    Drop,
    DropMid,
    Fail,
    ModelServer,
    Say,
    StreamError,
    Tokens,
    ToolCall,
    Turn,
    call,
)
from tests.conformance.agents.agent_rig import (
    SCRIPT,
    TOOLBOX,
    ProgramConformance,
    ProgramStage,
    attempted,
    kinds,
    last_asked,
    new_task,
    played,
)
from tests.patience import SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(180)]

KEY = "sk-scripted"
LIMIT_ENDS = 2_000_000_000


class CodexStage(ProgramStage):
    """Codex in private homes, each agent with a script of its own."""

    long_work = call("exec_command", cmd="sleep 70")

    def driver(self, program: Path, model: str) -> Driver:
        endpoint = CodexEndpoint(base_url=f"{model}/v1", api_key=KEY, retries=1)
        return Codex(program=program, env={"PATH": os.defpath}, endpoint=endpoint)


@pytest.fixture
def stage(codex_program: Path, scripted_model: ModelServer) -> CodexStage:
    return CodexStage(codex_program, scripted_model)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[AgentTask]:
    with new_task(tmp_path) as given:
        yield replace(given, model="gpt-5.5")


class TestCodex(ProgramConformance):
    process = "codex"
    model = "gpt-5.6"
    at_once = 4

    def writes(self, file: str, text: str) -> Turn:
        return call("exec_command", cmd=f"echo {text} > {file}")


def patch(text: str) -> Call:
    return Call(calls=(ToolCall(name="apply_patch", input=text),))


def tool(name: str, /, **given: str) -> Call:
    return Call(calls=(ToolCall(name=name, namespace="mcp__shiftwork", input=given),))


def test_it_edits_a_file_and_answers(stage: CodexStage, scripted_model: ModelServer, task: AgentTask) -> None:
    turns: list[Turn] = [
        Call(
            calls=(ToolCall(name="exec_command", input={"cmd": "echo hello > hello.txt"}),),
            text="I write.",
            usage=Tokens(input=10, output=5, cache_read=100),
        ),
        patch("*** Begin Patch\n*** Update File: hello.txt\n@@\n-hello\n+goodbye\n*** End Patch\n"),
        call("exec_command", cmd="cat hello.txt; echo $TMPDIR; env | grep -c _API_KEY"),
        Say(text="SUMMARY: written"),
    ]
    report, events = played(stage, turns, task)
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "SUMMARY: written", "")
    assert (task.workdir / "hello.txt").read_text() == "goodbye\n"
    assert report.usage == Usage(input_tokens=110 + 300, output_tokens=5 + 60, cost_usd=None, cached_tokens=100)
    assert report.model == "gpt-5.5"
    tools = [event.tool for event in events if event.kind is EventKind.TOOL_START]
    assert tools == ["command_execution", "file_change", "command_execution"]
    assert kinds(events)[0] is EventKind.STARTED
    assert kinds(events)[-1] is EventKind.FINAL
    last = last_asked(scripted_model)
    assert (last.prompt, last.turn) == (task.prompt, 3)
    assert last.last_tool_result.endswith(f"goodbye\n{task.home / 'tmp'}\n0\n"), "commands do not see the key"


def test_it_calls_the_harness_tools(stage: CodexStage, task: AgentTask) -> None:
    turns: list[Turn] = [tool("note", text="remember"), tool("inherited", name=MARKER_VARIABLE), Say(text="Noted.")]
    report, events = played(stage, turns, replace(task, toolbox=TOOLBOX))
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "Noted.", "")
    ends = [(event.tool, event.text) for event in events if event.kind is EventKind.TOOL_END]
    assert ends == [("mcp__shiftwork__note", "noted: remember"), ("mcp__shiftwork__inherited", marked(task.marker))]


def test_a_toolbox_that_does_not_start_ends_the_attempt(stage: CodexStage, task: AgentTask) -> None:
    report, _ = played(stage, [Say(text="Done.")], replace(task, toolbox=("/bin/false",)))
    assert report.ending is Ending.CRASHED
    assert "required MCP servers failed to initialize: shiftwork" in report.detail


def test_a_rate_limit_is_reported_as_one(stage: CodexStage, task: AgentTask) -> None:
    report, _ = played(stage, [Fail(status=429, repeat=9)], task)
    assert (report.ending, report.answer, report.resets_at) == (Ending.RATE_LIMITED, "", None)
    assert "429" in report.detail


def used_up() -> Fail:
    """As the plan behind a login answers once it is used up."""
    return Fail(
        status=429,
        body={"error": {"type": "usage_limit_reached", "message": "used up", "resets_at": LIMIT_ENDS}},
        headers={
            "x-codex-primary-used-percent": "100",
            "x-codex-primary-window-minutes": "300",
            "x-codex-primary-reset-at": str(LIMIT_ENDS),
        },
    )


def test_a_plan_that_is_used_up_reports_when_work_can_continue(stage: CodexStage, task: AgentTask) -> None:
    report, _ = played(stage, [used_up()], task)
    assert (report.ending, report.resets_at) == (Ending.RATE_LIMITED, LIMIT_ENDS)


def test_waiting_out_a_long_limit_is_a_limit_and_not_silence(stage: CodexStage, task: AgentTask) -> None:
    # It would wait for an hour without output.
    def limited(seconds: float) -> tuple[AgentReport, list[AgentEvent]]:
        brief = replace(task, limits=AgentLimits(wall_seconds=120, silence_seconds=seconds))
        return played(stage, [Fail(status=429, headers={"retry-after": "3600"}, repeat=9)], brief)

    report, events = limited(6)
    if EventKind.RATE_LIMIT not in kinds(events):  # a busy machine takes longer until it has met it
        report, events = limited(40)
    assert report.ending is Ending.RATE_LIMITED
    assert "429" in report.detail
    assert EventKind.RATE_LIMIT in kinds(events)


@pytest.mark.parametrize(
    "fault", [Fail(status=529), Drop(), DropMid(), StreamError()], ids=lambda fault: type(fault).__name__
)
def test_a_fault_that_passes_is_got_over(stage: CodexStage, task: AgentTask, fault: Turn) -> None:
    report, events = played(stage, [fault, Say(text="After all.")], task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "After all.")
    # The agent retries without an event after an error before the answer has begun.
    assert (EventKind.RETRY in kinds(events)) == isinstance(fault, DropMid | StreamError)


@pytest.mark.parametrize(
    ("status", "ending"), [*((status, Ending.API_ERROR) for status in (400, 401, 500)), (529, Ending.OVERLOADED)]
)
def test_an_error_that_stays_is_the_models(stage: CodexStage, task: AgentTask, status: int, ending: Ending) -> None:
    report, _ = played(stage, [Fail(status=status, repeat=9)], task)
    assert (report.ending, report.answer) == (ending, "")
    assert report.detail


def test_garbage_from_the_model_is_survived(stage: CodexStage, task: AgentTask) -> None:
    turns: list[Turn] = [
        call("no_such_tool", x=1),
        call("exec_command", cmd=5),
        patch("not a patch"),
        Call(calls=(ToolCall(name="exec_command", input={"cmd": "printf '\\377\\000\\033[31m'"}),), text="\x00\x1b[2J"),
        Say(text="Still here."),
    ]
    report, events = played(stage, turns, task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "Still here.")
    assert all("\0" not in event.text for event in events)


def test_its_version_is_the_pinned_one(stage: CodexStage, pytestconfig: pytest.Config) -> None:
    pins = json.loads((pytestconfig.rootpath / "agents" / "package.json").read_text())
    message = asyncio.run(stage.answers("").probe())
    assert message == f"codex-cli {pins['dependencies']['@openai/codex']}, with an API key"


def test_without_a_key_and_a_login_nothing_begins(codex_program: Path, tmp_path: Path) -> None:
    with pytest.raises(AgentLoginError, match="Codex is not logged in") as refused:
        asyncio.run(logged_in(codex_program, tmp_path).probe())
    assert refused.value.hint == "codex login, or set CODEX_API_KEY"


def test_a_login_is_enough_and_is_shown(codex_program: Path, tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "auth.json").write_text('{"OPENAI_API_KEY": "sk-scripted"}')
    message = asyncio.run(logged_in(codex_program, tmp_path).probe())
    assert message.partition(", ")[2].startswith("API key configured")
    assert "sk-scripted" not in message


def test_a_provider_of_the_users_own_needs_no_login(codex_program: Path, tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    settings = tmp_path / ".codex" / "config.toml"
    settings.write_text(
        'model_provider = "local"\n[model_providers.local]\nname = "local"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    assert asyncio.run(logged_in(codex_program, tmp_path).probe()).endswith(", with your own provider local")


def logged_in(program: Path, home: Path) -> ProcessAgent:
    """As the user of this home."""
    driver = Codex(program=program, env={"PATH": os.defpath, "HOME": str(home)})
    return ProcessAgent(driver, login_seconds=SECONDS)


def test_a_session_is_resumed_for_one_more_message(
    stage: CodexStage, scripted_model: ModelServer, task: AgentTask
) -> None:
    turns: list[Turn] = [
        call("exec_command", cmd="echo hello > hello.txt"),
        Say(text="Done.", usage=Tokens(input=1000, output=500)),
        Say(text="SUMMARY: hello.txt says hello", usage=Tokens(input=20, output=7)),
    ]
    agent = stage.plays(turns, SCRIPT)
    first, _ = attempted(agent, task)
    assert (first.ending, first.answer) == (Ending.FINISHED, "Done.")
    assert first.session
    session = Session(id=first.session, usage=first.usage)
    second, _ = attempted(agent, replace(task, prompt="The summary, please.", resume=session))
    assert (second.ending, second.answer) == (Ending.FINISHED, "SUMMARY: hello.txt says hello")
    assert (second.usage.input_tokens, second.usage.output_tokens) == (20, 7)
    assert second.session == first.session
    last = last_asked(scripted_model)
    assert (last.prompt, last.turn) == (task.prompt, 2), "the same conversation"


def test_a_session_that_is_gone_cannot_be_resumed(stage: CodexStage, task: AgentTask) -> None:
    gone = Session(id="01a1dc4f-0000-7000-8000-000000000000", usage=Usage())
    report, _ = played(stage, [Say(text="SUMMARY: x")], replace(task, resume=gone))
    assert report.ending is Ending.CRASHED
    assert report.answer == ""
