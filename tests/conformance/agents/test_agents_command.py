"""The plain command and the scripted agent, each on the suite for agents and on tests of its own."""

import asyncio
import json
import os
import shlex
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.agents._log import AttemptLog
from shiftwork.adapters.agents.command import ANSWER_BYTES, CommandAgent
from shiftwork.adapters.agents.scripted import ScriptedAgent, Turn
from shiftwork.domain.usage.usage import Usage
from shiftwork.errors import AgentMissingError
from shiftwork.ports.agent import Agent, AgentEvent, AgentLimits, AgentTask, Ending, EventKind
from shiftwork.testing.conformance.agent import AgentConformance, Stage
from tests.conformance.agents.agent_rig import attempted

ENV = {"PATH": os.defpath, "HOME": "/nowhere", "LANG": "C.UTF-8"}


class ShellStage:
    def answers(self, text: str) -> Agent:
        return CommandAgent(f"cat >/dev/null; printf '%s' {shlex.quote(text)}", env=ENV)

    def works_on(self) -> Agent:
        return CommandAgent("setsid sleep 70 & while :; do echo working; sleep 0.2; done", env=ENV)

    def falls_silent(self) -> Agent:
        return CommandAgent(("sleep", "70"), env=ENV)

    def not_installed(self) -> Agent:
        return CommandAgent(("no-such-agent", "--yes"), env=ENV)


class TestCommand(AgentConformance):
    patience = 0.5

    @pytest.fixture
    def stage(self) -> Stage:
        return ShellStage()


def task_in(folder: Path, **env: str) -> AgentTask:
    (folder / "workdir").mkdir(exist_ok=True)
    return AgentTask(
        prompt="the prompt, äöü",
        workdir=folder / "workdir",
        home=folder / "home",
        log=folder / "deep" / "log.jsonl",
        marker=f"command{folder}",
        limits=AgentLimits(wall_seconds=90, silence_seconds=90),
        env=env,
    )


def test_the_command_reads_the_prompt_and_works_in_the_workspace(tmp_path: Path) -> None:
    report, events = attempted(CommandAgent("cat; pwd; touch made", env=ENV), task_in(tmp_path))
    assert report.answer == f"the prompt, äöü{tmp_path / 'workdir'}"
    assert (tmp_path / "workdir" / "made").exists()
    assert [event.kind for event in events] == [EventKind.TEXT]


def test_the_command_gets_what_it_was_given_and_nothing_else(tmp_path: Path) -> None:
    task = task_in(tmp_path, EXTRA="yes")
    report, _ = attempted(CommandAgent(("env",), env=ENV), task)
    given_names = {line.partition("=")[0] for line in report.answer.splitlines()}
    assert given_names == {*ENV, "EXTRA", "TMPDIR", "PWD", "SHIFTWORK_ATTEMPT"}
    assert "HOME=/nowhere" in report.answer.splitlines()
    private, _ = attempted(CommandAgent(("env",), env=ENV, private_home=True), task)
    assert f"HOME={task.home}" in private.answer.splitlines()


def test_a_command_says_by_its_exit_code_that_it_is_at_a_limit(tmp_path: Path) -> None:
    report, _ = attempted(CommandAgent("echo 'try later' >&2; exit 75", env=ENV), task_in(tmp_path))
    assert (report.ending, report.resets_at) == (Ending.RATE_LIMITED, None)
    assert "try later" in report.detail


@pytest.mark.parametrize("said", ["HTTP/1.1 429 Too Many Requests", '{"type": "rate_limit_error"}'])
def test_a_command_whose_last_errors_speak_of_a_limit_is_at_one(tmp_path: Path, said: str) -> None:
    command = f"echo '{said}' >&2; exit 1"
    report, _ = attempted(CommandAgent(command, env=ENV), task_in(tmp_path))
    assert (report.ending, report.guessed) == (Ending.RATE_LIMITED, True)
    for name in ("later", "zero"):
        (tmp_path / name).mkdir()
    later = f"echo '{said}' >&2; seq 10 >&2; exit 1"
    report, _ = attempted(CommandAgent(later, env=ENV), task_in(tmp_path / "later"))
    assert (report.ending, report.guessed) == (Ending.CRASHED, False), "long before its end"
    report, _ = attempted(CommandAgent(f"echo '{said}' >&2", env=ENV), task_in(tmp_path / "zero"))
    assert report.ending is Ending.FINISHED


def test_a_command_that_fails_reports_the_end_of_its_errors(tmp_path: Path) -> None:
    report, _ = attempted(CommandAgent("echo half; echo 'no key' >&2; exit 3", env=ENV), task_in(tmp_path))
    assert (report.ending, report.answer) == (Ending.CRASHED, "half")
    assert "exit code 3" in report.detail
    assert "no key" in report.detail
    log = (tmp_path / "deep" / "log.jsonl").read_text().splitlines()
    assert log[0] == "half"
    assert json.loads(log[-1]) == {"type": "stderr", "text": "no key"}


def test_a_long_answer_keeps_its_end_and_bad_bytes_are_replaced(tmp_path: Path) -> None:
    script = "head -c 1000000 /dev/zero | tr '\\0' x; printf '\\377\\033[31mred'"
    report, _ = attempted(CommandAgent(script, env=ENV), task_in(tmp_path))
    assert report.answer.endswith("x\N{REPLACEMENT CHARACTER}\x1b[31mred")
    assert ANSWER_BYTES - 10 < len(report.answer.encode()) <= ANSWER_BYTES + 10


def test_a_command_is_found_by_its_first_word(tmp_path: Path) -> None:
    assert asyncio.run(CommandAgent("MODE=fast sleep 1", env=ENV).probe()).endswith("/sleep")


def test_a_relative_command_is_looked_for_in_the_repository(tmp_path: Path) -> None:
    program = tmp_path / "tools" / "agent.sh"
    agent = CommandAgent("MODE=fast ./tools/agent.sh --yes", env=ENV, root=tmp_path)
    with pytest.raises(AgentMissingError, match=r"the repository has no \./tools/agent\.sh") as missing:
        asyncio.run(agent.probe())
    assert str(tmp_path) in missing.value.hint
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho fine\n", encoding="utf-8")
    with pytest.raises(AgentMissingError, match="not executable") as locked:
        asyncio.run(agent.probe())
    assert locked.value.hint.startswith(f"chmod +x {program}")
    program.chmod(0o755)
    assert asyncio.run(agent.probe()) == str(program)


@pytest.mark.parametrize("command", ["no-such-agent --yes", "/nowhere/agent"])
def test_a_command_that_is_nowhere_is_named(tmp_path: Path, command: str) -> None:
    with pytest.raises(AgentMissingError, match=f"{command.split(maxsplit=1)[0]} cannot be found"):
        asyncio.run(CommandAgent(command, env=ENV, root=tmp_path).probe())


def test_an_attempt_continues_where_its_log_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "deep").write_text("a file where the folder should be")
    report, _ = attempted(CommandAgent("echo fine", env=ENV), task_in(tmp_path))
    assert (report.ending, report.answer) == (Ending.FINISHED, "fine")
    assert "log could not be written" in report.detail


@given(st.lists(st.binary(max_size=40).map(lambda line: line.replace(b"\n", b"")), max_size=30), st.integers(0, 200))
def test_a_log_is_the_beginning_of_what_was_written(lines: list[bytes], limit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        with AttemptLog(path, limit) as log:
            for line in lines:
                log.line(line)
        everything, written = b"".join(line + b"\n" for line in lines), path.read_bytes()
    if len(everything) <= limit:
        assert written == everything
    else:
        *kept, last = written.splitlines(keepends=True)
        assert json.loads(last)["type"] == "dropped"
        assert everything.startswith(b"".join(kept))
        assert len(b"".join(kept)) <= limit


def test_a_script_is_assigned_by_step_type_and_attempt(tmp_path: Path) -> None:
    turns = (Turn(ending=Ending.CRASHED, detail="oops"), Turn(write={"a/b.txt": "text"}, answer="Done."))
    agent = ScriptedAgent({"implement": turns})
    task = task_in(tmp_path, SHIFTWORK_STEP_TYPE="implement")
    first, second, third = (
        attempted(agent, replace(task, env=task.env | {"SHIFTWORK_ATTEMPT_NUMBER": number}))[0] for number in "123"
    )
    assert (first.ending, first.detail) == (Ending.CRASHED, "oops")
    assert (second.ending, second.answer) == (Ending.FINISHED, "Done.")
    assert third == second
    assert (tmp_path / "workdir" / "a" / "b.txt").read_text() == "text"
    unknown, _ = attempted(agent, replace(task, env={"SHIFTWORK_STEP_TYPE": "review"}))
    assert unknown.ending is Ending.CRASHED
    assert "review" in unknown.detail


def test_a_scripted_turn_deletes_edits_and_reports(tmp_path: Path) -> None:
    task = task_in(tmp_path, SHIFTWORK_OUTPUTS=str(tmp_path))
    (task.workdir / "old.txt").touch()
    usage = Usage(input_tokens=3, output_tokens=4, cost_usd=0.5)
    edits = [{"operation": "skip", "target": "step-002", "reason": "not needed"}]
    turn = Turn(delete=("old.txt", "never-was.txt"), edits=edits, answer="Done.", usage=usage)
    report, events = attempted(ScriptedAgent(lambda _: turn), task)
    assert not (task.workdir / "old.txt").exists()
    assert json.loads((tmp_path / "workflow_edits.json").read_text()) == edits
    assert report.usage == usage
    assert [events[0].kind, events[-1].kind] == [EventKind.STARTED, EventKind.FINAL]
    assert [json.loads(line)["type"] for line in task.log.read_text().splitlines()] == [
        agent_event.kind for agent_event in events
    ]


@pytest.mark.parametrize(("wall", "silence", "ending"), [(0.01, 5, Ending.TIMED_OUT), (5, 0.01, Ending.SILENT)])
def test_a_scripted_pause_keeps_the_bounds(tmp_path: Path, wall: float, silence: float, ending: Ending) -> None:
    task = replace(task_in(tmp_path), limits=AgentLimits(wall_seconds=wall, silence_seconds=silence))
    report, _ = attempted(ScriptedAgent(lambda _: Turn(pause=60, write={"late.txt": ""})), task)
    assert report.ending is ending
    assert not (task.workdir / "late.txt").exists()


def test_a_listener_that_fails_does_not_break_a_script(tmp_path: Path) -> None:
    def fails(event: AgentEvent) -> None:
        raise RuntimeError(event.kind)

    report = asyncio.run(ScriptedAgent(lambda _: Turn(answer="Heard.")).attempt(task_in(tmp_path), fails))
    assert report.answer == "Heard."
