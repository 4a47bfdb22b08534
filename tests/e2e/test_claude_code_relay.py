"""The bundled `relay` with the real Claude Code: four agents pass a story on until no further round is needed."""

from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call
from tests.e2e.claude_rig import Handover, step_name

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.slow]

ROUND = ["planner", "coder", "reviewer", "tester"]
REQUEST = "Count to two in count.txt"


def hands_on(step: str, request: ModelRequest) -> Turn:
    """One number a round: what is missing is known from the handoff alone."""
    second = "the two is missing" in request.prompt
    match (step, request.turn):
        case ("planner", _):
            return Say(text="HANDOFF: the two is missing, add it" if second else "HANDOFF: begin with one")
        case ("coder", 0):
            return call("Bash", command=f"echo {'two' if second else 'one'} >> count.txt")
        case ("reviewer", 0) | ("tester", 0):
            return call("Bash", command="cat count.txt")
        case ("tester", _) if "two" not in request.last_tool_result:
            return Say(text="VERDICT: retry\nHANDOFF: the two is missing")
        case _:
            said = {"coder": "HANDOFF: a number", "reviewer": "HANDOFF: read it", "tester": "VERDICT: Done"}
            return Say(text=said[step])


def test_a_second_round_is_run_with_the_handoff_of_the_first_and_then_it_lands(
    tmp_path: Path, claude_program: Path, scripted_model: ModelServer
) -> None:
    handover = Handover(root=tmp_path, program=claude_program, server=scripted_model)
    handover.prepare(gate="test ! -e count.txt || grep -q two count.txt")
    handover.play_own(hands_on)
    ran = handover.shiftwork("run", REQUEST, "--workflow", "relay")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.attempts("US-001") == [(step, number) for number in (1, 2) for step in ROUND]
    assert handover.log() == [f"feat: US-001 - {REQUEST}", "start"]
    assert handover.git("show", "main:count.txt") == "one\ntwo"
    assert len(handover.proved()) == 2, "beside the base: what is not done yet is not offered to the gate"
    prompts = handover.asked()
    assert [step_name(prompt) for prompt in prompts] == ROUND * 2
    assert "Handed on to you: \n" in prompts[0]
    assert "Handed on to you: the two is missing\n" in prompts[4]
    assert "Handed on to you: the two is missing, add it\n" in prompts[5]
    assert "## Coder\n\nYou write code" in prompts[5]
