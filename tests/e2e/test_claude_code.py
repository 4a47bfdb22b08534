"""One-shot mode with the real Claude Code; only the model behind it is scripted."""

from pathlib import Path

import pytest

from shiftwork.domain.workflow.step_types import DYNAMIC_STEPS
from shiftwork.testing.model_server import ModelRequest, ModelServer, Turn, call
from tests.e2e.claude_rig import Handover, step_of, step_type, summary

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Write a greeting into greeting.txt"


@pytest.fixture
def handover(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    return Handover(root=tmp_path, program=claude_program, server=scripted_model)


def writes(content: str = "hello\n") -> Turn:
    return call("Write", file_path="greeting.txt", content=content)


def does_its_work(kind: str, request: ModelRequest) -> Turn | None:
    return writes() if kind == "coding" and request.turn == 0 else None


NOTE = "greetings are written in lower case"


def does_its_work_and_says_what_it_knows(kind: str, request: ModelRequest) -> Turn | None:
    if kind == "context_gathering" and request.turn == 0:
        return call("mcp__shiftwork__write_note", text=NOTE)
    if kind == "review" and request.turn == 0:
        return call("mcp__shiftwork__report_evidence", criterion="AC-1", kind="citation", reference="greeting.txt:1")
    return does_its_work(kind, request)


def test_a_request_ends_in_one_commit_that_was_proved(handover: Handover) -> None:
    """All that is asked of one whole run: ten sessions are the dearest thing that a test can start."""
    handover.prepare()
    handover.play(does_its_work_and_says_what_it_knows)
    ran = handover.shiftwork("run", REQUEST)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.log() == [f"feat: US-001 - {REQUEST}", "start"]
    assert handover.proved()[-1] == handover.git("rev-parse", "main^{tree}"), (
        "the gate ran on the very tree that landed"
    )
    assert (handover.repo / "greeting.txt").read_text() == "hello\n"
    steps = handover.status()["stories"][0]["steps"]
    assert [(step["type"], step["attempts"]) for step in steps] == [(name, 1) for name in DYNAMIC_STEPS]
    assert handover.status()["cost_usd"] > 0
    assert_every_prompt_holds_only_what_its_step_is_to_see(handover)
    assert handover.prompts()["step-005"].count(NOTE) == 1, "a note reaches the later steps"


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


class Editor:
    """Plans a split, restarts its architecture, adds a fix cycle after tests, and tries what is not allowed."""

    def __init__(self) -> None:
        self.answers: list[str] = []
        self.done: set[str] = set()

    def play(self, kind: str, request: ModelRequest) -> Turn | None:
        step, _ = step_of(request)
        if request.turn > 0 and request.last_tool_result:
            self.answers.append(request.last_tool_result)
        first = step not in self.done
        match (step, request.turn):
            case ("step-002", 0):
                return edits(FORBIDDEN)
            case ("step-002", 1):
                return edits(SPLIT)
            case ("step-003", 0) if first:
                self.done.add(step)
                return edits(RESTART)
            case ("step-007", 0):
                return edits(FIX_CYCLE)
            case _:
                return does_its_work(kind, request)


def test_an_agent_edits_its_workflow_and_gets_exactly_that(handover: Handover) -> None:
    handover.prepare()
    editor = Editor()
    handover.play(editor.play)
    ran = handover.shiftwork("run", REQUEST)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    steps = handover.status()["stories"][0]["steps"]
    assert [step["step"] for step in steps] == [
        f"step-{number:03d}" for number in (1, 2, 3, 4, 11, 12, 6, 7, 13, 14, 15, 8, 9, 10)
    ]
    by_id = {step["step"]: step for step in steps}
    assert by_id["step-013"]["description"] == "Fix the failing greeting"
    assert by_id["step-003"]["restarts"] == 1
    assert by_id["step-003"]["description"] == "Design it around one plain file"
    assert "Design it around one plain file" in handover.prompts()["step-003"]
    assert all(step["status"] == "completed" for step in steps)
    rejected = [answer for answer in editor.answers if "REJECTED" in answer]
    assert len(rejected) == 1
    assert "final_review is mandatory and cannot be skipped" in rejected[0]
    assert handover.log() == [f"feat: US-001 - {REQUEST}", "start"]


def test_red_code_is_repaired_with_what_the_gate_said(handover: Handover) -> None:
    handover.prepare(
        gate="[ ! -e greeting.txt ] || grep -q hello greeting.txt || { printf 'no %s in it' hello; exit 1; }",
        tools=False,
    )

    def play(kind: str, request: ModelRequest) -> Turn | None:
        if kind == "coding" and request.turn == 0:
            return writes("hello\n" if "no hello in it" in request.prompt else "broken\n")
        return None

    handover.play(play)
    ran = handover.shiftwork("run", REQUEST, "--workflow", "ralph")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert handover.git("show", "main:greeting.txt") == "hello"
    base, red, again, green = handover.proved()
    assert red == again != green, "a red gate is tried once more before it is believed"
    start = handover.git("rev-list", "--max-parents=0", "main")
    assert base == handover.git("rev-parse", f"{start}^{{tree}}"), "known before the first session, and asked once"


def test_answers_cannot_touch_the_terminal(handover: Handover) -> None:
    handover.prepare(tools=False)

    def play(kind: str, request: ModelRequest) -> Turn | None:
        if kind == "coding" and request.turn == 0:
            return writes()
        return summary(f"{kind} [/red] [bold]done[/] \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J end")

    handover.play(play)
    ran = handover.shiftwork("run", REQUEST, "--workflow", "ralph")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    shown = ran.stdout + handover.shiftwork("status").stdout + handover.shiftwork("logs").stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
