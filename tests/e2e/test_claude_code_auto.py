"""The default workflow with the real Claude Code: the first session sizes the story, and its size decides the steps."""

from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call
from tests.e2e.claude_rig import Handover, step_of

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Add a greeting"


@pytest.fixture
def handover(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    made = Handover(root=tmp_path, program=claude_program, server=scripted_model)
    made.prepare(workflow="", gate="! grep -qs wrong greeting.txt")
    return made


def sized(size: str) -> Say:
    return Say(text=f"I have read the code.\n\nSIZE: {size}\nSUMMARY:\nit is {size}\n")


def types(handover: Handover) -> list[str]:
    return [step["type"] for step in handover.status()["stories"][0]["steps"]]


def test_a_medium_story_gets_steps_for_its_plan_its_tests_and_its_review(handover: Handover) -> None:
    written = call("Write", file_path="greeting.txt", content="hello\n")

    def play(kind: str, request: ModelRequest) -> Turn | None:
        step, _ = step_of(request)
        if step == "step-001":
            return sized("medium")
        return written if kind == "coding" and request.turn == 0 else None

    handover.play(play)
    ran = handover.shiftwork("run", REQUEST)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "auto takes at least 2 sessions; a story takes 6 if it is medium or 9 if it is large" in ran.stdout
    assert "decided: medium, 6 sessions" in ran.stdout
    assert handover.log() == [f"feat: {REQUEST}", "start"]
    assert types(handover) == ["coding", "planning", "test_architecture", "coding", "review", "final_review"]
    assert "Shiftwork: add" in handover.shiftwork("report").stdout
