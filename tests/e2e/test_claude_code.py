"""One-shot mode with the real Claude Code; only the model behind it is scripted."""

from pathlib import Path

import pytest

from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.e2e.claude_rig import Handover, step_of, step_type
from tests.patience import LONG_SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.timeout(1200)]

REQUEST = "Write a greeting into greeting.txt"


@pytest.fixture
def handover(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=claude_program, server=scripted_model)


def writes() -> Turn:
    return call("Write", file_path="greeting.txt", content="hello\n")


def does_its_work(kind: str, request: ModelRequest) -> Turn | None:
    return writes() if kind == "coding" and request.turn == 0 else None


NOTE = "greetings are written in lower case"

FIX_CYCLE = {
    "operation": "add_after",
    "target_step_id": "step-007",
    "reason": "one test fails",
    "new_steps": [
        {"type": "coding", "description": "Fix the failing greeting"},
        {"type": "linting", "description": "Lint again"},
        {"type": "initial_testing", "description": "Test again"},
    ],
}
SPLIT = {
    "operation": "split",
    "target_step_id": "step-005",
    "reason": "two concerns",
    "replacement_steps": [
        {"type": "coding", "description": "Write the greeting"},
        {"type": "coding", "description": "Polish the greeting"},
    ],
}
FORBIDDEN = {"operation": "skip", "target_step_id": "step-010", "reason": "in a hurry"}
RESTART = {
    "operation": "restart",
    "target_step_id": "step-003",
    "reason": "wrong path",
    "new_description": "Design it around one plain file",
}


def edits(*operations: object) -> Turn:
    return call("mcp__shiftwork__edit_workflow", operations=list(operations))


CITED = {"criterion": "AC-1", "kind": "citation", "reference": "greeting.txt:1"}
CALLS = {
    ("step-001", 0): call("mcp__shiftwork__write_note", text=NOTE),
    ("step-002", 0): edits(FORBIDDEN),
    ("step-002", 1): edits(SPLIT),
    ("step-003", 0): edits(RESTART),
    ("step-007", 0): edits(FIX_CYCLE),
    ("step-008", 0): call("mcp__shiftwork__report_evidence", **CITED),
}
"""By the step and the turn: it notes what it knows, plans a split, restarts its architecture, adds a fix cycle after
tests, cites evidence, and tries what is not allowed.
"""


class Colleague:
    """Does its work, and each of its calls once."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.left = dict(CALLS)

    def play(self, kind: str, request: ModelRequest) -> Turn | None:
        step, _ = step_of(request)
        if request.turn > 0 and request.last_tool_result:
            self.answers.append(request.last_tool_result)
        if asked := self.left.pop((step, request.turn), None):
            return asked
        return does_its_work(kind, request)


def test_a_request_ends_in_one_commit_that_was_proved_by_the_steps_that_the_agent_edited(handover: Handover) -> None:
    """All that is asked of one whole run: more than ten sessions are the dearest thing that a test can start."""
    handover.prepare()
    colleague = Colleague()
    handover.play(colleague.play)
    ran = handover.shiftwork("run", REQUEST, timeout=LONG_SECONDS)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == [f"feat: {REQUEST}", "start"]
    assert handover.proved()[-1] == handover.git("rev-parse", "main^{tree}"), (
        "the gate ran on the very tree that landed"
    )
    assert (handover.repo / "greeting.txt").read_text() == "hello\n"
    assert handover.status()["cost_usd"] > 0
    assert_the_steps_are_exactly_those_that_were_edited(handover)
    rejected = [answer for answer in colleague.answers if "REJECTED" in answer]
    assert len(rejected) == 1
    assert "final_review is mandatory and cannot be skipped" in rejected[0]
    assert_every_prompt_holds_only_what_its_step_is_to_see(handover)
    assert handover.prompts()["step-011"].count(NOTE) == 1, "a note reaches the later steps"


def assert_the_steps_are_exactly_those_that_were_edited(handover: Handover) -> None:
    steps = handover.status()["stories"][0]["steps"]
    assert [step["step"] for step in steps] == [
        f"step-{number:03d}" for number in (1, 2, 3, 4, 11, 12, 6, 7, 13, 14, 15, 8, 9, 10)
    ]
    assert all(step["status"] == "completed" for step in steps)
    by_id = {step["step"]: step for step in steps}
    assert {name: step["attempts"] for name, step in by_id.items() if step["attempts"] != 1} == {"step-003": 2}
    assert by_id["step-003"]["restarts"] == 1
    assert by_id["step-013"]["description"] == "Fix the failing greeting"
    assert by_id["step-003"]["description"] == "Design it around one plain file"
    assert "Design it around one plain file" in handover.prompts()["step-003"]


def assert_every_prompt_holds_only_what_its_step_is_to_see(handover: Handover) -> None:
    prompts = {step_type(prompt): prompt for prompt in handover.prompts().values()}
    assert prompts.keys() == set(DYNAMIC_STEPS)
    notes = {kind for kind, prompt in prompts.items() if "context_gathering is done" in prompt}
    assert notes == set(DYNAMIC_STEPS) - {"context_gathering"}
    editors = {kind for kind, prompt in prompts.items() if "edit_workflow" in prompt}
    assert editors == {
        "planning",
        "architecture",
        "test_architecture",
        "coding",
        "initial_testing",
        "review",
        "final_review",
    }
    told_the_request = {kind for kind, prompt in prompts.items() if REQUEST in prompt}
    assert told_the_request == set(DYNAMIC_STEPS)
    assert not any("review is done" in prompts[kind] for kind in ("planning", "coding", "initial_testing"))
