"""The real Claude Code, driven as Shiftwork drives it; only the model is scripted."""

import asyncio
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents._driver import Driver
from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.adapters.processes.supervisor.supervise import MARKER_VARIABLE, marked
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import AgentLoginError
from shiftwork.ports.agent import AgentTask, Ending, EventKind, Session
from shiftwork.testing.model_server import (
    Call,
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


class ClaudeStage(ProgramStage):
    """Claude Code in private homes, each agent with a script of its own."""

    long_work = call("Bash", command="sleep 70")

    def driver(self, program: Path, model: str) -> Driver:
        return ClaudeCode(
            program=program,
            env={"PATH": os.defpath, "CLAUDE_CODE_MAX_RETRIES": "2"},
            endpoint=Endpoint(base_url=model, api_key="sk-ant-scripted"),
            private_home=True,
            allow_root=os.geteuid() == 0,
        )


@pytest.fixture
def stage(claude_program: Path, scripted_model: ModelServer) -> ClaudeStage:
    return ClaudeStage(claude_program, scripted_model)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[AgentTask]:
    with new_task(tmp_path) as given:
        yield given


class TestClaudeCode(ProgramConformance):
    process = "claude"
    model = "claude-sonnet-5"
    at_once = 8

    def writes(self, file: str, text: str) -> Turn:
        return call("Write", file_path=file, content=text)


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
    report, events = played(stage, turns, task)
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "SUMMARY: written", "")
    assert (task.workdir / "hello.txt").read_text() == "goodbye\n"
    assert (task.workdir / "sub").is_dir()
    used = report.usage
    assert used == Usage(input_tokens=160 + 300, output_tokens=5 + 60, cost_usd=used.cost_usd, cached_tokens=100)
    assert report.usage.cost_usd is not None
    assert report.usage.cost_usd > 0
    tools = [event.tool for event in events if event.kind is EventKind.TOOL_START]
    assert tools == ["Write", "Edit", "Bash"]
    assert kinds(events)[0] is EventKind.STARTED
    assert kinds(events)[-1] is EventKind.FINAL
    last = last_asked(scripted_model)
    assert (last.prompt, last.turn) == (task.prompt, 3)
    assert last.last_tool_result == f"goodbye\n{task.home / 'tmp'}"


def test_it_calls_the_harness_tools(stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask) -> None:
    turns: list[Turn] = [
        call("mcp__shiftwork__note", text="remember"),
        call("mcp__shiftwork__inherited", name=MARKER_VARIABLE),
        Say(text="Noted."),
    ]
    report, events = played(stage, turns, replace(task, toolbox=TOOLBOX))
    assert (report.ending, report.answer, report.detail) == (Ending.FINISHED, "Noted.", "")
    ends = [event.text for event in events if event.kind is EventKind.TOOL_END]
    assert [json.loads(text)["result"] for text in ends] == ["noted: remember", marked(task.marker)]
    assert "mcp__shiftwork__note" in scripted_model.requests(SCRIPT)[0].tools


def test_a_toolbox_that_does_not_start_is_reported(stage: ClaudeStage, task: AgentTask) -> None:
    report, events = played(stage, [Say(text="Done.")], replace(task, toolbox=("/bin/false",)))
    assert (report.ending, report.detail) == (Ending.FINISHED, "tools that did not start: shiftwork")
    assert "shiftwork" in events[0].text


def test_a_rate_limit_is_reported_as_one(stage: ClaudeStage, task: AgentTask) -> None:
    report, _ = played(stage, [Fail(status=429, headers={"retry-after": "3600"})], task)
    assert (report.ending, report.answer) == (Ending.RATE_LIMITED, "")
    assert "429" in report.detail


@pytest.mark.parametrize("fault", [Fail(status=529), DropMid(), StreamError()], ids=lambda fault: type(fault).__name__)
def test_a_fault_that_passes_is_got_over(stage: ClaudeStage, task: AgentTask, fault: Turn) -> None:
    report, events = played(stage, [fault, Say(text="After all.")], task)
    assert (report.ending, report.answer) == (Ending.FINISHED, "After all.")
    # The agent retries after an error inside a stream without an event; it reports the other retries.
    assert (EventKind.RETRY in kinds(events)) == (not isinstance(fault, StreamError))


@pytest.mark.parametrize(
    ("status", "ending"), [*((status, Ending.API_ERROR) for status in (400, 401, 403, 500)), (529, Ending.OVERLOADED)]
)
def test_an_error_that_stays_is_the_models(stage: ClaudeStage, task: AgentTask, status: int, ending: Ending) -> None:
    report, _ = played(stage, [Fail(status=status, repeat=4)], task)
    assert (report.ending, report.answer) == (ending, "")
    assert report.detail.startswith("api_error: ")


def test_its_version_is_the_pinned_one(stage: ClaudeStage, pytestconfig: pytest.Config) -> None:
    pins = json.loads((pytestconfig.rootpath / "agents" / "package.json").read_text())
    message = asyncio.run(stage.answers("").probe())
    assert message.split()[0] == pins["dependencies"]["@anthropic-ai/claude-code"]
    assert message.endswith(", with an API key")


def of_user(program: Path, home: Path, **env: str) -> ProcessAgent:
    """As the user of this home, without a key."""
    driver = ClaudeCode(program=program, env={"PATH": os.defpath, "HOME": str(home), **env})
    return ProcessAgent(driver, login_seconds=SECONDS)


def test_without_a_key_and_a_login_nothing_begins(claude_program: Path, tmp_path: Path) -> None:
    with pytest.raises(AgentLoginError, match="Claude Code is not logged in") as refused:
        asyncio.run(of_user(claude_program, tmp_path).probe())
    assert refused.value.hint == "claude auth login, or set ANTHROPIC_API_KEY"


def test_a_login_is_enough_and_is_shown(claude_program: Path, tmp_path: Path) -> None:
    """Also a login whose token has to be renewed, and a login that comes by a variable."""
    (tmp_path / ".claude").mkdir()
    login = {"accessToken": "sk-ant-oat01-x", "refreshToken": "r", "expiresAt": 1000, "scopes": ["user:inference"]}
    (tmp_path / ".claude" / ".credentials.json").write_text(json.dumps({"claudeAiOauth": login}))
    assert asyncio.run(of_user(claude_program, tmp_path).probe()).endswith(", logged in (claude.ai)")
    by_variable = of_user(claude_program, tmp_path / "other", CLAUDE_CODE_OAUTH_TOKEN="x")  # noqa: S106 - no secret
    assert asyncio.run(by_variable.probe()).endswith(", logged in (oauth_token)")


@pytest.mark.parametrize("answer", ["exec sleep 60", "echo unknown command >&2; exit 1", "echo '{}'", "echo '[]'"])
def test_a_release_that_does_not_say_is_not_refused(tmp_path: Path, answer: str) -> None:
    program = tmp_path / "claude"
    program.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo 1.0.0; exit; }}\n{answer}\n')
    program.chmod(0o755)
    driver = ClaudeCode(program=program, env={"PATH": os.defpath, "HOME": str(tmp_path)})
    patience = 0.3 if "sleep" in answer else SECONDS
    assert asyncio.run(ProcessAgent(driver, login_seconds=patience).probe()) == "1.0.0"


def test_a_session_is_resumed_for_one_more_message(
    stage: ClaudeStage, scripted_model: ModelServer, task: AgentTask
) -> None:
    turns: list[Turn] = [
        call("Bash", command="echo hello > hello.txt"),
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
    assert first.usage.cost_usd is not None
    assert second.usage.cost_usd is not None
    assert 0 < second.usage.cost_usd < first.usage.cost_usd, "only what the second process has used"
    last = last_asked(scripted_model)
    assert (last.prompt, last.turn) == (task.prompt, 2), "the same conversation"


def test_a_session_that_is_gone_cannot_be_resumed(stage: ClaudeStage, task: AgentTask) -> None:
    gone = Session(id="01a1dc4f-0000-7000-8000-000000000000", usage=Usage())
    report, _ = played(stage, [Say(text="SUMMARY: x")], replace(task, resume=gone))
    assert report.ending is Ending.CRASHED
    assert report.answer == ""
