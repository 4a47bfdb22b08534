"""What the board of a run says about a fact: whom it asks, and the text of what it shows."""

import pytest

from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId, Stream, landing_stream, run_stream, step_id, story_stream
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing.facts import CandidateFailed, CandidateVerified
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling
from shiftwork.testing.builders import BASE, RUN, asked, assignment, planned, run_plan

ABOUT_RUN = run_stream(RUN)
LANDING = landing_stream("repository", "main")
STORY = story_stream(RUN, StoryId("US-001"))
STARTED = (
    story_facts.StoryStarted(at=1, assignment=assignment(), steps=(planned("coding"),)),
    story_facts.WorkspacePrepared(at=2, number=1, base=BASE, head=BASE),
)


def said(stream: Stream, fact: Fact, *before: Fact) -> str:
    board = Board()
    for earlier in before:
        board.see(Sighting(stream=stream, what=earlier))
    change = board.see(Sighting(stream=stream, what=fact))
    assert change
    return change.text


def test_a_run_and_a_new_story_are_shown_by_their_titles() -> None:
    assert said(ABOUT_RUN, run_facts.RunStarted(at=1, plan=run_plan())) == "Work"
    assert said(ABOUT_RUN, run_facts.StoryAdded(at=1, story=asked(2))) == "US-002 Story 2"


def test_only_another_agent_than_the_storys_own_is_named() -> None:
    own = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=BASE, log="", agent=assignment().agent)
    other = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=BASE, log="", agent="another")
    assert said(STORY, own, *STARTED) == ""
    assert said(STORY, other, *STARTED) == "another"


@pytest.mark.parametrize(
    ("kinds", "shown"),
    [
        ([Meddling.LARGE], "1 large file (work)"),
        ([Meddling.LARGE, Meddling.EDITED], "changes to tests: 1 edited; 1 large file (work)"),
    ],
)
def test_what_is_found_beside_tests_is_not_called_a_change_of_tests(kinds: list[Meddling], shown: str) -> None:
    found = Inspection(findings=tuple(Finding(kind=kind, path="work") for kind in kinds))
    assert said(STORY, story_facts.LandingRequested(at=3, number=1, tip=BASE, inspection=found), *STARTED) == shown


def test_changes_to_tests_are_shown_if_there_are_any() -> None:
    nothing = story_facts.LandingRequested(at=3, number=1, tip=BASE)
    edited = Inspection(findings=(Finding(kind=Meddling.EDITED, path="test_a.py"),))
    changed = story_facts.LandingRequested(at=3, number=1, tip=BASE, inspection=edited)
    assert said(STORY, nothing, *STARTED) == ""
    assert said(STORY, changed, *STARTED) == "changes to tests: 1 edited"


def test_a_story_rests_only_while_no_attempt_is_in_progress() -> None:
    board = Board()
    begun = story_facts.StepStarted(at=3, step=step_id(1), attempt=1, commit=BASE, log="", agent=assignment().agent)
    for fact in (*STARTED, begun):
        board.see(Sighting(stream=STORY, what=fact))
    assert not board.idle
    board.see(Sighting(stream=STORY, what=story_facts.StoryHeld(at=4, cause=HoldCause.EXHAUSTED, detail="go on?")))
    assert not board.idle, "its attempt has not ended"


def test_a_story_that_waits_for_a_person_is_asked_about() -> None:
    board = Board()
    held = story_facts.StoryHeld(at=3, cause=HoldCause.QUESTION, detail="which one?")
    for fact in (*STARTED, held):
        assert board.asked == {}
        board.see(Sighting(stream=STORY, what=fact))
    assert [hold.detail for hold in board.asked.values()] == ["which one?"]


def test_a_rerun_of_gates_is_named_so() -> None:
    """The same failure twice looked like two failures of one run of the gates."""
    request, commits = "r1/US-001/1", (Commit("a" * 40), Commit("b" * 40))
    red, other = (
        GateReport(commit=at, results=(GateResult(name="test", passed=False, seconds=1.25),)) for at in commits
    )
    green = GateReport(commit=commits[0], results=(GateResult(name="test", passed=True, seconds=1.25, flaky=True),))
    first = CandidateFailed(at=1, request=request, report=red)
    assert said(LANDING, first) == "test failed in 1.2 s"
    assert said(LANDING, first, first) == "rerun, test failed in 1.2 s"
    assert said(LANDING, CandidateVerified(at=2, request=request, report=green), first) == "rerun, test passed in 1.2 s"
    assert said(LANDING, CandidateFailed(at=2, request=request, report=other), first) == "test failed in 1.2 s"
