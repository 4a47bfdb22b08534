"""Watching a run: what the board shows for facts, and that no table is wider or higher than its terminal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.app.runtime.context import GateBegun, Sighting
from shiftwork.app.views.live.board import EVENTS, OTHERWISE, Board
from shiftwork.app.views.live.change_words import WORDS, brief
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.core.ids import Commit, RunId, StoryId, Stream, landing_stream, run_stream, step_id, story_stream
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.assignment import Assignment
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.usage.usage import Usage
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import DYNAMIC
from shiftwork.entrypoints.cli.live.progress_lines import JsonView, LineView, View, line
from shiftwork.entrypoints.cli.render.phrases import at_width, o_clock
from shiftwork.entrypoints.cli.render.sanitize import cells
from shiftwork.ports.agent import AgentEvent, EventKind
from tests.json_documents import check

RUN = RunId("r1")
STORY = one_shot("Add a greeting").stories[0]
STREAM = story_stream(RUN, STORY.id)
LANDING = landing_stream("repository", "main")
HOSTILE = "[/x]\x1b[31m\x1b]0;title\x07[bold]" + "w" * 500
FIRST = step_id(1)

ASSIGNMENT = Assignment(
    run=RUN, story=STORY, position=0, requirements=(), branch="main", landing=LANDING, agent="a", limits=Limits()
)
COMMIT = Commit("c" * 40)
SEEN: list[tuple[Stream, Fact | AgentEvent]] = [
    (STREAM, story_facts.StoryStarted(at=1, assignment=ASSIGNMENT, steps=DYNAMIC.story_steps)),
    (STREAM, story_facts.WorkspacePrepared(at=2, number=1, base=COMMIT, head=COMMIT)),
    (STREAM, story_facts.StepStarted(at=3, step=FIRST, attempt=1, commit=COMMIT, log="")),
    (STREAM, AgentEvent(kind=EventKind.TOOL_START, tool="Bash", text=HOSTILE)),
]


def shown(view: View, *more: tuple[Stream, Fact | AgentEvent | GateBegun]) -> None:
    for stream, what in (*SEEN, *more):
        view.see(Sighting(stream=stream, what=what))
    view.update(10.0)


def test_a_refusal_is_reported_without_what_the_agent_is_to_do_about_it() -> None:
    board, detail = Board(), "1 of 1 criteria lack sufficient evidence:\n- AC-1: nothing was offered"
    refused = story_facts.LandingRefused(
        at=4, cause=Refusal.EVIDENCE, detail=detail, files=(), base=COMMIT, feedback=f"{detail}\nReport the evidence."
    )
    change = board.see(Sighting(stream=STREAM, what=refused))
    assert change
    assert change.text.endswith(": nothing was offered")


def failed(error: str) -> tuple[Stream, Fact]:
    usage = Usage(cost_usd=0.5)
    trouble = story_facts.Trouble.CONTRACT
    return STREAM, story_facts.StepFailed(
        at=9, step=FIRST, attempt=1, trouble=trouble, error=error, usage=usage, diff=""
    )


def test_there_are_words_for_whatever_is_reported() -> None:
    usually, otherwise = EVENTS.values(), OTHERWISE.values()
    assert set(WORDS) == {*(event for event, _ in usually), *(event for _, event, _ in otherwise)}


@pytest.mark.parametrize(("until", "message"), [(3600.0, f" until {o_clock(3600.0)}"), (9.0, "")])
def test_a_limit_of_the_agents_is_reported_with_its_end(
    capsys: pytest.CaptureFixture[str], until: float, message: str
) -> None:
    limited = story_facts.StepDeferred(
        at=9, step=FIRST, attempt=1, agent="a", resets_at=3600, until=until, reason="full", usage=Usage(), diff=""
    )
    shown(LineView(), (STREAM, limited))
    assert capsys.readouterr().out.splitlines()[-1].endswith(f"  the agent has reached a limit{message}: full")


def test_a_mark_that_was_taken_away_is_reported_as_such() -> None:
    board = Board()
    seen = (
        run_facts.SpecUpdated(at=1, stories=(STORY.id,), cleared=(STORY.id,)),
        run_facts.SpecUpdated(at=2, stories=(STORY.id,)),
        story_facts.StoryReleased(at=3, granted=True, answer="blanks"),
    )
    for fact in seen:
        board.see(Sighting(stream=LANDING, what=fact))
    assert [change.event for change in board.changes] == [
        "spec_cleared",
        "spec_updated",
        "story_answered",
    ]


def test_a_story_that_the_spec_does_not_have_is_not_said_to_be_marked() -> None:
    board = Board()
    added = StoryId("by-hand")
    board.see(Sighting(stream=LANDING, what=run_facts.SpecUpdated(at=1, stories=(added,), missing=(added,))))
    assert board.changes == []
    board.see(Sighting(stream=LANDING, what=run_facts.SpecUpdated(at=1, stories=(STORY.id, added), missing=(added,))))
    assert [(change.event, change.text) for change in board.changes] == [("spec_updated", STORY.id)]


def test_what_an_agent_has_used_is_nothing_that_it_does() -> None:
    view = LineView()
    shown(view, (STREAM, AgentEvent(kind=EventKind.USAGE, text="0 in, 0 out")))
    assert view.board.doing[STREAM].tool == "Bash"


def test_the_board_folds_facts_and_names_their_steps() -> None:
    view = LineView()
    shown(view, failed("it broke"))
    story = view.board.stories[STREAM]
    assert story.pipeline.steps[0].status is StepStatus.FAILED
    change = view.board.changes[-1]
    assert (change.event, change.story, change.type, change.attempt, change.text) == (
        "step_failed",
        "US-001",
        "context_gathering",
        1,
        "it broke",
    )
    assert view.board.doing == {}, "an attempt that is over does nothing any more"


def test_a_landing_is_reported_with_its_story_and_its_gates() -> None:
    report = GateReport(commit=COMMIT, results=(GateResult(name="test", passed=True, seconds=1.25),))
    board = Board()
    change = board.see(
        Sighting(stream=LANDING, what=landing_facts.CandidateVerified(at=1, request="r1/US-001/1", report=report))
    )
    assert change is not None
    assert (change.event, change.story, change.text) == ("gates_passed", "US-001", "test passed in 1.2 s")


def test_gates_that_were_red_are_reported_before_they_are_tried_again() -> None:
    red = GateReport(commit=COMMIT, results=(GateResult(name="test", passed=False, seconds=1.25),))
    failed = landing_facts.CandidateFailed(at=1, request="r1/US-001/1", report=red)
    change = Board().see(Sighting(stream=LANDING, what=failed))
    assert change is not None
    assert (change.event, change.story, change.text) == ("gates_failed", "US-001", "test failed in 1.2 s")


def test_a_red_gate_is_reported_with_its_first_error(capsys: pytest.CaptureFixture[str]) -> None:
    error = FirstError(file="tests/test_cart.py", line=41, message="AssertionError: assert 3 == 4")
    red = GateReport(commit=COMMIT, results=(GateResult(name="test", passed=False, seconds=1.25, error=error),))
    with at_width(80):
        failed = landing_facts.CandidateFailed(at=1, request="r1/US-001/1", report=red)
        LineView().see(Sighting(stream=LANDING, what=failed))
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(" ".join(lines).split()).endswith(
        "US-001 gates: test failed in 1.2 s: tests/test_cart.py:41: AssertionError: assert 3 == 4"
    )
    assert len(lines) <= 3
    assert all(cells(line) <= 80 for line in lines)


def test_programs_get_which_gate_runs(capsys: pytest.CaptureFixture[str]) -> None:
    JsonView().see(Sighting(stream=STREAM, what=GateBegun(at=90.0, gate="test")))
    values = json.loads(capsys.readouterr().out)
    check(values)
    assert (values["kind"], values["story"], values["gate"], values["where"]) == ("gate", "US-001", "test", "")
    assert values["time"] == "1970-01-01T00:01:30.000Z"


def test_a_story_that_waits_holds_the_run_only_when_nothing_else_moves() -> None:
    board = Board()
    other = Stream("story/r1/US-002")
    hold = story_facts.StoryHeld(at=9, cause=HoldCause.LIMIT, detail="spent 2.00 of 1.00 USD")
    for stream in (STREAM, other):
        board.see(Sighting(stream=stream, what=SEEN[0][1]))
    board.see(Sighting(stream=STREAM, what=hold))
    assert not board.held
    board.see(Sighting(stream=other, what=story_facts.StoryHeld(at=9, cause=HoldCause.APPROVAL, detail="")))
    assert board.held, "for any question, even an empty one"


def test_lines_are_clean_and_whole_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    shown(LineView(), failed(f"{HOSTILE}\nmore\nthe end"))
    message = capsys.readouterr().out
    assert "\x1b" not in message
    assert "[/x]" in message
    assert message.endswith("the end\n")
    assert message.count("\n") == 3


def test_json_lines_hold_every_event_and_nothing_raw(capsys: pytest.CaptureFixture[str]) -> None:
    shown(JsonView(), failed(HOSTILE))
    message = capsys.readouterr().out
    assert message.isascii()
    assert "\x1b" not in message
    events = [json.loads(line) for line in message.splitlines()]
    for event in events:
        check(event)
    assert [event["kind"] for event in events] == ["workspace_prepared", "step_started", "agent", "step_failed"]
    assert [(event["story"], event["step"], event["attempt"]) for event in events[1:]] == [
        ("US-001", "step-001", 1)
    ] * 3
    assert (events[2]["action"], events[2]["tool"], events[2]["text"]) == ("tool_start", "Bash", HOSTILE)


@given(st.text())
def test_any_text_of_a_change_gives_one_line_that_fits(text: str) -> None:
    board = Board()
    for stream, what in (*SEEN, failed(text)):
        board.see(Sighting(stream=stream, what=what))
    message = line(board.changes[-1], 80)
    assert cells(message) <= 80
    assert "\n" not in message


def test_of_many_lines_the_first_and_the_last_are_reported_or_why_it_failed() -> None:
    failure = "gate test failed:\n\nAssertionError: 1 != 2\n-----\nFAILED (failures=1)\n"
    assert brief(failure, "step_failed") == "gate test failed: AssertionError: 1 != 2"
    words = "ended with exit code 3\nlast output: fake agent: story\n1/2 thinking\n2/2 cannot reach the model"
    for event in ("step_failed", "step_cancelled", "story_failed"):
        assert brief(words, event) == "ended with exit code 3; last output: 2/2 cannot reach the model"
    assert brief("first\nsecond\nthird", "step_completed") == "first … third"
    assert brief("one", "step_failed") == "one"


def test_the_end_of_a_run_is_reported_by_the_word_of_every_view(capsys: pytest.CaptureFixture[str]) -> None:
    over = (run_stream(RunId("r")), run_facts.RunEnded(at=9, status=RunStatus.COMPLETED))
    shown(LineView(), over)
    assert capsys.readouterr().out.rstrip().endswith("the run has ended")
    shown(JsonView(), over)
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["text"] == "completed"
