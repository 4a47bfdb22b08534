"""What a person approves is what lands: when they are asked, about what, and what their answer covers."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import Commit, step_id
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.landing.decide import decide_queue
from shiftwork.domain.landing.state import Entry, EntryStage, QueueState
from shiftwork.domain.proof.verdict import ProofReport
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import approval
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause, LandingStage, StoryState, StoryStatus
from shiftwork.domain.workflow.pipeline import StepStatus
from shiftwork.domain.workflow.workflow import Route, StepKind
from shiftwork.testing.builders import (
    BASE,
    after_steps,
    assignment,
    began,
    concluded,
    conclusion,
    done,
    fold_queue,
    fold_story,
    gate_report,
    given_back,
    landing_request,
    next_effect,
    planned,
    started_story,
)

SIGN = planned("sign_off", StepKind.APPROVAL, description="Ship it?")
SEEN = Patch(base=BASE, commit=Commit("candidate-1"))


def signed(*more: Route) -> StoryState:
    """A story that is worked on and whose workflow ends with an approval."""
    return after_steps(started_story("coding", replace(SIGN, routes=more)), 1)


def under_review(*steps: str) -> StoryState:
    story = started_story(*steps or ("coding",))
    story = replace(story, assignment=replace(story.given, review=True))
    return after_steps(story, len(story.pipeline.steps))


def held(story: StoryState) -> StoryState:
    """The story once it waits for a person; what others receive of that is left out."""
    while not story.waiting.hold:
        story = concluded(story)
    return replace(story, waiting=replace(story.waiting, reported=True))


def replied(story: StoryState, *, granted: bool, answer: str = "") -> StoryState:
    return replace(
        made := fold_story(story, story_facts.StoryReleased(at=9, granted=granted, answer=answer)),
        waiting=replace(made.waiting, reported=False),
    )


def asks_to_land(story: StoryState) -> int:
    effect = next_effect(story)
    assert isinstance(effect, story_effects.RequestLanding), effect
    return effect.number


def landing(story: StoryState) -> StoryState:
    return fold_story(story, story_facts.LandingRequested(at=9, number=asks_to_land(story), tip=story.work.head))


def refused(cause: Refusal = Refusal.GATES, base: Commit = BASE) -> story_facts.LandingRefused:
    return story_facts.LandingRefused(at=9, cause=cause, detail="red", files=(), base=base, candidate=Commit("red"))


# When a person is asked -----------------------------------------------------------------------------------------------


def test_gates_come_before_the_approval_with_which_a_workflow_ends() -> None:
    story = signed()
    assert asks_to_land(story) == 1
    assert approval.reviewed(story)
    asked = held(given_back(story))
    assert asked.waiting.hold
    assert (asked.waiting.hold.cause, asked.waiting.hold.detail) == (HoldCause.APPROVAL, "Ship it?")
    assert asked.pipeline.steps[1].status is StepStatus.IN_PROGRESS


def test_red_gates_are_repaired_before_a_person_is_asked() -> None:
    story = concluded(fold_story(landing(signed()), refused()))
    assert [step.plan.type for step in story.pipeline.steps] == ["coding", "coding", "sign_off"]
    assert (story.waiting.holds, approval.due(story)) == (0, None)
    assert asks_to_land(after_steps(story, 1)) == 2


def test_a_run_under_review_asks_about_every_story_in_words_of_its_own() -> None:
    story = under_review()
    assert approval.reviewed(story)
    asked = held(given_back(story))
    assert asked.waiting.hold
    assert (asked.waiting.hold.cause, asked.waiting.hold.detail) == (HoldCause.APPROVAL, approval.MAY_IT_LAND)
    assert not approval.reviewed(after_steps(started_story("coding"), 1))


def test_an_approval_amid_the_steps_is_asked_at_once_and_holds_for_no_patch() -> None:
    story = started_story("planning", SIGN, "coding")
    story = replied(held(after_steps(story, 1)), granted=True)
    assert (story.landing.approved, approval.reviewed(after_steps(story, 1))) == (None, False)


def test_what_changes_nothing_is_asked_about_at_once() -> None:
    story = started_story("coding", SIGN)
    empty = replace(story.given.story, may_be_empty=True)
    story = replace(story, assignment=replace(story.given, story=empty))
    story = fold_story(story, began(story))
    story = fold_story(story, done(story, commit=BASE))
    assert held(story).waiting.hold
    assert replied(held(story), granted=True).landing.approved is None


def test_a_step_that_is_added_behind_the_last_approval_does_not_make_it_unnecessary() -> None:
    """Otherwise an agent's additions there would land unseen."""
    story = concluded(fold_story(landing(signed()), refused()))
    steps = (*story.pipeline.steps[:1], story.pipeline.steps[2], story.pipeline.steps[1])
    story = replace(story, pipeline=replace(story.pipeline, steps=steps))
    story = after_steps(replied(held(story), granted=True), 1)
    assert (approval.reviewed(story), approval.approved(story)) == (True, None)
    again = held(given_back(story))
    assert again.waiting.hold
    assert again.waiting.hold.detail == "Ship it?"
    assert again.pipeline.current
    assert again.pipeline.current.plan.name == "sign_off"


def test_of_several_last_approvals_each_is_asked_and_only_then_it_lands() -> None:
    story = after_steps(started_story("coding", SIGN, SIGN), 1)
    story = replied(held(given_back(story)), granted=True)
    assert (story.landing.approved, approval.approved(story), asks_to_land(story)) == (None, None, 2)
    story = replied(held(given_back(story)), granted=True)
    assert approval.approved(story) == Patch(base=BASE, commit=Commit("candidate-2"))


def test_the_run_asks_only_by_itself_before_its_stories_begin() -> None:
    loop = planned("stories", StepKind.LOOP)
    story = after_steps(started_story("planning", loop, SIGN), 1)
    assert not approval.reviewed(story)
    story = replace(story, assignment=replace(story.given, review=True))
    assert approval.reviewed(story)
    story = replied(held(given_back(story)), granted=True)
    assert approval.approved(story) == SEEN
    landed = fold_story(landing(story), story_facts.LandingAccepted(at=9, commit=Commit("landed"), ref="main"))
    assert concluded(landed).landing.approved is None, "what comes after the stories is another patch"


# What an answer holds for ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("story", [signed(), under_review()], ids=["a last step", "a run under review"])
def test_a_yes_is_to_the_patch_and_holds_while_only_the_base_moves(story: StoryState) -> None:
    story = replied(held(given_back(story)), granted=True)
    assert (approval.approved(story), story.landing.progress, asks_to_land(story)) == (SEEN, LandingStage.NONE, 2)
    story = concluded(fold_story(landing(story), refused(base=Commit("moved"))))
    story = fold_story(story, story_facts.BaseMerged(at=9, commit=Commit("merged"), base=Commit("moved"), files=()))
    story = after_steps(story, 1)
    assert (approval.approved(story), approval.reviewed(story)) == (SEEN, True), "the queue compares them"


@pytest.mark.parametrize("story", [signed(), under_review()], ids=["a last step", "a run under review"])
def test_a_changed_patch_is_asked_about_again(story: StoryState) -> None:
    story = replied(held(given_back(story)), granted=True)
    again = held(given_back(story, "a.py"))
    assert again.waiting.hold
    assert again.waiting.hold.cause is HoldCause.CHANGED
    assert again.waiting.hold.detail.startswith("the patch has changed: ")
    assert approval.approved(replied(again, granted=True)) == Patch(base=BASE, commit=Commit("candidate-2"))


def test_a_no_takes_the_route_of_the_workflow_and_ends_an_earlier_yes() -> None:
    story = replied(held(given_back(signed(Route(value="rejected", target="coding", back=True)))), granted=True)
    story = replied(held(given_back(story, "a.py")), granted=False, answer="too slow")
    assert (story.landing.approved, story.landing.progress) == (None, LandingStage.NONE)
    story = concluded(story)
    assert [step.status for step in story.pipeline.steps] == ["pending", "pending"]
    assert story.pipeline.steps[0].feedback == "too slow"
    assert approval.approved(after_steps(story, 1)) is None


def test_a_no_to_the_last_step_without_a_route_fails_it_and_a_retry_asks_again() -> None:
    story = concluded(replied(held(given_back(signed())), granted=False))
    assert story.status is StoryStatus.FAILED
    assert story.outcome.reason.endswith("sign_off failed after 1 attempt: rejected")
    again = story_facts.StoryReopened(at=9, assignment=story.given, steps=(), from_scratch=False, cursor=0)
    story = replace(made := fold_story(story, again), outcome=replace(made.outcome, reported=False))
    assert approval.due(story) == story.pipeline.find(step_id(2))


def test_a_no_with_a_reason_under_review_has_the_work_changed_and_spends_no_repair() -> None:
    story = replied(held(given_back(under_review())), granted=False, answer="use tabs")
    story = replace(story, spending=replace(story.spending, limits=replace(story.spending.limits, repairs=0)))
    planned_repair = conclusion(story)
    assert isinstance(planned_repair, story_facts.RepairPlanned)
    assert (planned_repair.cause, planned_repair.type, planned_repair.feedback) == (
        Refusal.APPROVAL,
        "coding",
        "use tabs",
    )
    story = concluded(story)
    assert (story.landing.repairs, story.pipeline.steps[-1].status, story.landing.approved) == (
        0,
        StepStatus.PENDING,
        None,
    )


def test_a_no_under_review_ends_an_earlier_yes() -> None:
    """Else the work could return to what was approved before, and land though the last word was a no."""
    story = replied(held(given_back(under_review())), granted=True)
    story = concluded(replied(held(given_back(story, "a.py")), granted=False, answer="as it was"))
    assert (story.landing.approved, approval.approved(after_steps(story, 1)), approval.reviewed(story)) == (
        None,
        None,
        True,
    )


def test_a_no_without_a_reason_under_review_ends_the_story_and_a_retry_asks_again() -> None:
    story = concluded(replied(held(given_back(under_review())), granted=False))
    assert (story.status, story.outcome.reason) == (StoryStatus.FAILED, "not approved")
    again = story_facts.StoryReopened(at=9, assignment=story.given, steps=(), from_scratch=False, cursor=0)
    assert approval.asked_about(fold_story(story, again)) == SEEN


def test_a_story_that_begins_again_has_nothing_approved() -> None:
    story = concluded(replied(held(given_back(signed())), granted=False))
    steps = (planned("coding"), SIGN)
    again = story_facts.StoryReopened(at=9, assignment=assignment(), steps=steps, from_scratch=True, cursor=0)
    fresh = fold_story(replace(story, landing=replace(story.landing, approved=SEEN)), again)
    assert (fresh.landing.approved, fresh.landing.signing) == (None, fresh.pipeline.steps[-1].id)


# The queue ------------------------------------------------------------------------------------------------------------


def queued(*, approved: bool, differs: tuple[str, ...] = ()) -> QueueState:
    """One candidate under review, by itself."""
    request = replace(landing_request(1), review=True, approved=SEEN if approved or differs else None)
    return fold_queue(
        QueueState(),
        landing_facts.EntryQueued(at=1, branch="main", request=request),
        landing_facts.EntryQueued(at=1, branch="main", request=landing_request(2)),
        landing_facts.BatchTaken(at=1, number=1, policy=QueueState().policy),
        landing_facts.CandidateBuilt(
            at=2, request=request.key, round=1, base=BASE, commit=Commit("c1"), approved=approved, differs=differs
        ),
    )


def green(commit: str, number: int = 1) -> landing_facts.CandidateVerified:
    report = GateReport(commit=Commit(commit), results=(GateResult(name="test", passed=True, seconds=1),))
    return landing_facts.CandidateVerified(at=3, request=landing_request(number).key, report=report)


def test_green_gates_verify_nothing_that_a_person_has_not_approved() -> None:
    assert fold_queue(queued(approved=False), green("c1")) == queued(approved=False)
    (entry, *_) = fold_queue(queued(approved=True), green("c1")).entries
    assert entry.stage is EntryStage.VERIFIED


def test_nothing_stands_on_a_candidate_that_a_person_is_asked_about() -> None:
    second = landing_request(2).key
    on_top = landing_facts.CandidateBuilt(at=2, request=second, round=1, base=Commit("c1"), commit=Commit("c2"))
    assert fold_queue(queued(approved=False), on_top) == queued(approved=False)
    assert len(fold_queue(queued(approved=True), on_top).chain) == 2


def test_a_candidate_that_a_person_is_asked_about_stands_on_no_other_one() -> None:
    first, second = landing_request(1), replace(landing_request(2), review=True)
    asked = [landing_facts.EntryQueued(at=1, branch="main", request=request) for request in (first, second)]
    taken = landing_facts.BatchTaken(at=1, number=1, policy=QueueState().policy)
    below = landing_facts.CandidateBuilt(at=2, request=first.key, round=1, base=BASE, commit=Commit("c1"))
    state = fold_queue(QueueState(), *asked, taken, below)
    above = landing_facts.CandidateBuilt(at=2, request=second.key, round=1, base=Commit("c1"), commit=Commit("c2"))
    assert fold_queue(state, above) == state
    assert len(fold_queue(state, replace(above, approved=True)).chain) == 2


def test_a_green_candidate_that_is_not_approved_leaves_the_queue_to_others() -> None:
    state = queued(approved=False, differs=("a.py",))
    entry = state.entries[0]
    proof = ProofReport(commit=entry.candidate, tree="t", policy=ProofPolicy.TRUSTING)
    found = landing_facts.CandidateUnproved(
        at=3,
        request=entry.request.key,
        report=gate_report(entry.candidate),
        proof=proof,
        lacking=approval.lacking(entry),
        cause=Refusal.APPROVAL,
    )
    (effect,) = decide_queue(fold_queue(state, found))
    assert isinstance(effect, e.Conclude)
    (fact,) = effect.facts
    assert isinstance(fact, landing_facts.EntryRefused)
    assert (fact.cause, fact.files, fact.base) == (Refusal.APPROVAL, ("a.py",), BASE)
    after = fold_queue(state, found, fact, landing_facts.EntryClosed(at=4, request=entry.request.key))
    assert [item.request.number for item in after.waiting] == [2]
    assert after.recent == (), "it is no failure"


@pytest.mark.parametrize(
    ("differs", "said"),
    [
        ((), ""),
        (("a.py", "b.py"), "the patch has changed since it was approved, in a.py, b.py"),
        (tuple("abcdefg"), "the patch has changed since it was approved, in a, b, c, d, e and 2 more"),
    ],
)
def test_what_a_candidate_lacks_is_reported(differs: tuple[str, ...], said: str) -> None:
    assert approval.lacking(Entry(request=landing_request(), differs=differs)) == said
