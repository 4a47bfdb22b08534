"""Tools that write to their agent's output to make its work look cheap: real processes, and a stand-in."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from shiftwork.adapters.agents._process import ProcessAgent
from shiftwork.adapters.agents.claude_code import ClaudeCode
from shiftwork.adapters.agents.codex import Codex
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.ports.agent import AgentReport, Ending
from tests.conformance.agents.agent_rig import new_task
from tests.conformance.processes.programs import once_begun

pytestmark = pytest.mark.timeout(180)

RESULT = '{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":%s,"usage":{}}'
FORGED, OWN = RESULT % "0.0001", RESULT % "5.0"


def reported(folder: Path, script: str, silence_seconds: float = 90) -> AgentReport:
    program = folder / "claude"
    program.write_text(f"#!/bin/sh\nforged() {{ echo '{FORGED}'; }}\nown() {{ echo '{OWN}'; }}\n{script}\n")
    program.chmod(0o755)
    agent = ProcessAgent(ClaudeCode(program=program, env={"PATH": os.defpath}))
    with new_task(folder) as task:
        bounded = replace(task, limits=replace(task.limits, silence_seconds=silence_seconds))
        return asyncio.run(agent.attempt(bounded, lambda _: None))


@pytest.mark.parametrize("number", ["9", "15", "2"])
def test_ended_by_somebody_else_it_is_not_believed_whatever_it_said(tmp_path: Path, number: str) -> None:
    report = reported(tmp_path, f"(forged; kill -{number} $$); own")
    assert (report.ending, report.usage) == (Ending.FINISHED, NOTHING_USED)


def test_ended_by_the_harness_after_its_last_word_it_is(tmp_path: Path) -> None:
    def played(seconds: float) -> tuple[AgentReport, list[bytes]]:
        folder = tmp_path / str(seconds)
        folder.mkdir()
        report = reported(folder, "own; touch ready; exec sleep 170", silence_seconds=seconds)
        return report, [path.name.encode() for path in (folder / "workdir").iterdir()]

    report, _ = once_begun(played, 0.5)
    assert (report.ending, report.usage) == (Ending.SILENT, Usage(cost_usd=5.0))


@pytest.mark.parametrize("script", ["forged; own", "own; (forged &)", "own; forged; forged"])
def test_a_second_last_word_makes_nothing_cheaper(tmp_path: Path, script: str) -> None:
    report = reported(tmp_path, script)
    assert (report.ending, report.usage) == (Ending.FINISHED, Usage(cost_usd=5.0))


def test_a_last_word_that_was_spoilt_leaves_the_cost_unknown(tmp_path: Path) -> None:
    assert reported(tmp_path, "forged; printf x; own").usage == NOTHING_USED


def test_a_pipe_in_the_place_of_a_session_file_is_not_waited_for(tmp_path: Path) -> None:
    thread = "0" * 36
    folder = tmp_path / "codex" / "sessions" / "2026" / "01" / "31"
    folder.mkdir(parents=True)
    os.mkfifo(folder / f"rollout-1-{thread}.jsonl")
    driver = Codex(program=tmp_path / "codex", env={"CODEX_HOME": str(tmp_path / "codex")})
    with new_task(tmp_path) as task:
        transcript = driver.transcript(task)
    list(transcript.feed(b'{"type":"thread.started","thread_id":"%s"}' % thread.encode()))
    list(transcript.feed(b'{"type":"turn.completed","usage":{"input_tokens":5}}'))
    assert transcript.verdict(0, "").usage == Usage(input_tokens=5)
