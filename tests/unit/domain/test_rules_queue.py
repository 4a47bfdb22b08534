"""What a landing queue does next, and how facts change it."""

import pytest

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.gate import GateReport
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.queue import Entry, EntryStage, QueueState
from shiftwork.domain.model.story import Refusal
from shiftwork.domain.rules.decide_queue import decide_queue
from shiftwork.testing.builders import BASE, fold_queue, gate_report, landing_request

CANDIDATE = Commit("candidate-1")
REQUEST = landing_request()
QUEUED = f.EntryQueued(at=1, branch="main", request=REQUEST)
BUILT = f.CandidateBuilt(at=2, request=REQUEST.key, round=1, base=BASE, commit=CANDIDATE)
VERIFIED = f.CandidateVerified(at=3, request=REQUEST.key, report=gate_report(CANDIDATE))
MOVED = f.BaseMoved(at=4, request=REQUEST.key, commit=CANDIDATE, ref="main")
MISSED = f.BaseMissed(at=4, request=REQUEST.key)
CLOSED = f.EntryClosed(at=5, request=REQUEST.key)
REFUSED = f.EntryRefused(
    at=3, request=REQUEST.key, cause=Refusal.CONFLICT, detail="a.py", files=("a.py",), base=BASE, report=None
)


def queue(*facts: f.Fact) -> QueueState:
    return fold_queue(QueueState(), *facts)


def head(state: QueueState) -> Entry:
    assert state.head is not None
    return state.head


def test_an_empty_queue_looks_into_its_inbox_and_does_not_wait() -> None:
    assert decide_queue(queue()) == (e.Receive(key="receive/0", cursor=0, wait=False),)
    assert decide_queue(queue(f.MessagesRead(at=1, upto=3))) == (e.Receive(key="receive/3", cursor=3, wait=False),)


@pytest.mark.parametrize(
    ("facts", "effect", "stage"),
    [
        ((), e.BuildCandidate, EntryStage.QUEUED),
        ((BUILT,), e.VerifyCandidate, EntryStage.BUILT),
        ((BUILT, VERIFIED), e.MoveBase, EntryStage.VERIFIED),
        ((BUILT, VERIFIED, MOVED), e.AnswerStory, EntryStage.LANDED),
        ((REFUSED,), e.AnswerStory, EntryStage.REFUSED),
        ((BUILT, REFUSED), e.AnswerStory, EntryStage.REFUSED),
    ],
)
def test_each_stage_has_its_effect(facts: tuple[f.Fact, ...], effect: type[e.Effect], stage: EntryStage) -> None:
    state = queue(QUEUED, *facts)
    (asked,) = decide_queue(state)
    assert isinstance(asked, effect)
    assert asked.key == f"r1/US-001/1/{stage}/1"


def test_a_base_that_was_moved_by_another_costs_a_round() -> None:
    state = queue(QUEUED, BUILT, VERIFIED, MISSED)
    assert (head(state).stage, head(state).round) == (EntryStage.QUEUED, 2)
    (asked,) = decide_queue(state)
    assert (type(asked), asked.key) == (e.BuildCandidate, "r1/US-001/1/queued/2")


def test_a_closed_entry_leaves_and_the_next_is_built() -> None:
    other = landing_request(story=2)
    state = queue(QUEUED, f.EntryQueued(at=1, branch="main", request=other), BUILT, VERIFIED, MOVED, CLOSED)
    assert [entry.request for entry in state.entries] == [other]


def test_what_became_of_an_entry_is_kept_for_the_answer() -> None:
    landed = head(queue(QUEUED, BUILT, VERIFIED, MOVED))
    assert (landed.candidate, landed.landed_ref, landed.report) == (CANDIDATE, "main", gate_report(CANDIDATE))
    refused = head(queue(QUEUED, REFUSED))
    assert (refused.refusal, refused.detail, refused.files) == (Refusal.CONFLICT, "a.py", ("a.py",))


@pytest.mark.parametrize(
    "report",
    [gate_report(Commit("another")), gate_report(CANDIDATE, passed=False), GateReport(commit=BASE)],
    ids=["another commit", "red", "the base"],
)
def test_only_a_green_report_on_the_very_candidate_verifies_it(report: GateReport) -> None:
    state = queue(QUEUED, BUILT)
    assert fold_queue(state, f.CandidateVerified(at=3, request=REQUEST.key, report=report)) == state


def test_a_report_on_the_candidate_of_an_earlier_round_verifies_nothing() -> None:
    again = f.CandidateBuilt(at=5, request=REQUEST.key, round=2, base=Commit("base-2"), commit=Commit("candidate-2"))
    state = queue(QUEUED, BUILT, VERIFIED, MISSED, again)
    assert fold_queue(state, VERIFIED) == state


def test_the_base_moves_to_nothing_but_the_candidate() -> None:
    state = queue(QUEUED, BUILT, VERIFIED)
    assert fold_queue(state, f.BaseMoved(at=4, request=REQUEST.key, commit=Commit("another"), ref="main")) == state


@pytest.mark.parametrize("fact", [VERIFIED, MOVED, MISSED, CLOSED])
def test_no_stage_is_skipped(fact: f.Fact) -> None:
    assert queue(QUEUED, fact) == queue(QUEUED)


def test_a_request_stands_in_the_queue_once() -> None:
    assert queue(QUEUED, QUEUED) == queue(QUEUED)


def test_facts_about_another_request_or_another_stream_mean_nothing() -> None:
    state = queue(QUEUED)
    other = f.CandidateBuilt(at=2, request="r1/US-002/1", round=1, base=BASE, commit=CANDIDATE)
    assert fold_queue(state, other, f.StoryReported(at=1)) == state
    assert fold_queue(queue(), BUILT) == queue()


def test_messages_are_read_forwards() -> None:
    assert queue(f.MessagesRead(at=1, upto=4), f.MessagesRead(at=1, upto=2)).cursor == 4
