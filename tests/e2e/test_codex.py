"""A run with the real Codex; only the model behind it is scripted."""

from pathlib import Path

import pytest

from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.testing.model_server import Call, ModelRequest, ModelServer, ToolCall, Turn, call
from tests.e2e.claude_rig import Handover

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Write a greeting into greeting.txt"


@pytest.fixture
def handover(tmp_path: Path, codex_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=codex_program, server=scripted_model, agent="codex")


def does_its_work(kind: str, request: ModelRequest) -> Turn | None:
    if kind == "context_gathering" and request.turn == 0:
        note = ToolCall(name="write_note", namespace="mcp__shiftwork", input={"text": "greetings are in lower case"})
        return Call(calls=(note,))
    if kind == "coding" and request.turn == 0:
        return call("exec_command", cmd="echo hello > greeting.txt")
    return None


def test_a_request_ends_in_one_commit_that_was_proved(handover: Handover) -> None:
    handover.prepare()
    examined = handover.shiftwork("doctor").stdout
    assert "codex: codex-cli " in examined
    assert ", with an API key" in examined, "it says who pays"
    handover.play(does_its_work)
    ran = handover.shiftwork("run", REQUEST, "--model", "gpt-5.5")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == [f"feat: {REQUEST}", "start"]
    assert handover.proved()[-1] == handover.git("rev-parse", "main^{tree}"), (
        "the gate ran on the very tree that landed"
    )
    assert handover.git("show", "main:greeting.txt") == "hello"
    status = handover.status()
    steps = status["stories"][0]["steps"]
    assert [(step["type"], step["attempts"]) for step in steps] == [(name, 1) for name in DYNAMIC_STEPS]
    assert status["cost_usd"] > 0, "Codex reports no price: it is computed from the tokens and the model"
    assert handover.prompts()["step-005"].count("greetings are in lower case") == 1
    assert "echo hello > greeting.txt" in handover.shiftwork("logs", "--step", "step-005").stdout


def test_the_doctor_greets_an_agent_that_speaks_acp_and_reports_a_command_that_is_none(
    handover: Handover, acp_program: Path
) -> None:
    handover.prepare()
    settings = handover.repo / "shiftwork.toml"
    settings.write_text(f'[agent]\nuse = "acp"\ncommand = "{acp_program}"\nenv = ["CODEX_API_KEY"]\n')
    assert handover.shiftwork("trust").returncode == 0
    message = handover.shiftwork("doctor").stdout
    assert "acp: Codex 2." in message, message
    settings.write_text('[agent]\nuse = "acp"\ncommand = "false --acp"\n')
    assert handover.shiftwork("trust").returncode == 0
    message = handover.shiftwork("doctor").stdout
    assert "false does not answer as an ACP agent" in message, message
