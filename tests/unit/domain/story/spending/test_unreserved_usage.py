"""A limit that is set while a run is in progress: which stories are notified, and what is recorded by then."""

from dataclasses import replace

from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import FRAME, Commit, StoryId, step_id
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.intent_checks import objection
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import Hold, HoldCause, StoryState, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.workflow import DYNAMIC, StepKind, Workflow
from shiftwork.testing.builders import (
    BASE,
    asked,
    assignment,
    began,
    done,
    fold_run,
    fold_story,
    next_effect,
    planned,
    run_plan,
    started_story,
)

US_1, US_2 = StoryId("US-001"), StoryId("US-002")
LATER = Limits(run=Budget(usd=4.0))
RAISED = run_facts.LimitsRaised(at=4, limits=LATER)
EACH = Amount(usd=1.0, tokens=10)
USED = Usage(input_tokens=3, cost_usd=0.5)


# A story's -----------------------------------------------------------------------------------------------------


def worked(used: Usage = USED) -> StoryState:
    """After its first attempt, in a run without a limit."""
    story = started_story("planning", "coding")
    at_work = fold_story(story, began(story))
    return fold_story(at_work, done(at_work, usage=used))


def test_a_story_that_receives_a_first_limit_reports_what_it_has_used_before_it_claims() -> None:
    story = worked()
    assert isinstance(next_effect(story), story_effects.RunAgent)
    received = fold_story(story, story_facts.LimitsSet(at=5, limits=LATER))
    owed = next_effect(received)
    assert owed == story_effects.SettleAllowance(key="settle/0", number=0, used=story.spending.usage)
    message = fold_story(received, story_facts.AllowanceSettled(at=6, number=0))
    assert next_effect(message) == story_effects.ClaimAllowance(key="claim/1", number=1, step=step_id(2))


def test_one_that_has_used_nothing_says_so() -> None:
    received = fold_story(started_story("coding"), story_facts.LimitsSet(at=5, limits=LATER))
    assert next_effect(received) == story_effects.SettleAllowance(key="settle/0", number=0, used=NOTHING_USED)


def test_an_attempt_in_progress_is_part_of_it_also_where_its_worker_dies() -> None:
    story = worked()
    at_work = fold_story(story, began(story), story_facts.LimitsSet(at=5, limits=LATER))
    assert isinstance(next_effect(at_work), story_effects.RunAgent)
    died = fold_story(at_work, story_facts.StepInterrupted(at=6, step=step_id(2), attempt=1, diff=""))
    owed = next_effect(died)
    assert isinstance(owed, story_effects.SettleAllowance)
    assert owed.used is not None
    assert (owed.used.cost_usd, owed.used.attempts, owed.used.unpriced) == (0.5, 2, 1)


def test_who_waits_for_a_person_reports_it_meanwhile() -> None:
    story = started_story(planned("sign_off", StepKind.APPROVAL))
    started = story_facts.StepStarted(at=1, step=step_id(1), attempt=1, commit=BASE, log="")
    held = fold_story(story, started, story_facts.StoryHeld(at=2, cause=HoldCause.APPROVAL, detail="Ship it?"))
    received = fold_story(held, story_facts.LimitsSet(at=3, limits=LATER))
    assert isinstance(next_effect(received), story_effects.SettleAllowance)


def test_with_a_limit_from_its_beginning_there_is_nothing_to_report() -> None:
    assert started_story("coding", limits=LATER).spending.unreserved is None
    failed = fold_story(worked(), story_facts.StoryFailed(at=7, cause=None, reason="no luck"))  # type: ignore[arg-type]
    again = story_facts.StoryReopened(at=8, assignment=assignment(limits=LATER), steps=(), from_scratch=False, cursor=0)
    assert fold_story(failed, again).spending.unreserved is None, "the run knows what the earlier try has used"
    unlimited = replace(again, assignment=assignment())
    assert fold_story(failed, unlimited).spending.unreserved == NOTHING_USED


def test_a_wait_for_the_runs_answer_continues_until_it_comes() -> None:
    story = fold_story(started_story("coding", limits=LATER), story_facts.AllowanceClaimed(at=1, number=1))
    held = fold_story(story, story_facts.AllowanceRefused(at=2, number=1, detail="spent"))
    message = fold_story(held, story_facts.LimitsSet(at=3, limits=Limits(run=Budget(usd=9.0))))
    assert (message.waiting.hold, message.spending.limits.run.usd) == (held.waiting.hold, 9.0)
    assert fold_story(held, story_facts.StoryReleased(at=3, granted=True, answer="")) == held
    assert fold_story(message, story_facts.AllowanceGranted(at=4, number=1, cap=None)).waiting.hold is None


def test_a_shortage_is_no_answer_to_another_wait() -> None:
    claiming = fold_story(started_story("coding", limits=LATER), story_facts.AllowanceClaimed(at=1, number=1))
    held = replace(
        claiming, waiting=replace(claiming.waiting, hold=Hold(cause=HoldCause.APPROVAL, detail="Ship it?"), holds=1)
    )
    assert fold_story(held, story_facts.AllowanceRefused(at=2, number=1, detail="spent")) == held


# A run's -------------------------------------------------------------------------------------------------------


def in_progress(limits: Limits = Limits(attempt=EACH)) -> RunState:  # noqa: B008 - frozen
    plan = replace(run_plan(asked(1), asked(2), parallel=2), limits=limits)
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan), run_facts.StoryDispatched(at=1, story=US_1))
    return fold_run(run, run_facts.StoryDispatched(at=1, story=US_2, slot=1))


def outcome_of(story: StoryId, used: Usage) -> run_facts.AttemptSettled:
    return run_facts.AttemptSettled(at=6, story=story, number=0, used=used)


def claim(story: StoryId) -> run_facts.AllowanceAsked:
    return run_facts.AllowanceAsked(at=7, story=story, number=1, kind="coding", bounded=True)


def test_every_story_in_progress_is_notified_of_other_limits_once() -> None:
    run = fold_run(in_progress(), RAISED)
    first, second = decide_run(run)
    assert first == run_effects.ForwardLimits(key="limits/US-001/1", story=US_1)
    assert second == run_effects.ForwardLimits(key="limits/US-002/1", story=US_2)
    half = fold_run(run, run_facts.LimitsForwarded(at=5, story=US_1))
    assert decide_run(half) == (second,)
    again = fold_run(half, replace(RAISED, limits=Limits(story=Budget(usd=9.0))))
    assert [effect.key for effect in decide_run(again)] == ["limits/US-001/2", "limits/US-002/2"]
    assert again.given.limits.run == LATER.run


def test_nothing_is_granted_until_all_stories_in_progress_have_reported_what_they_had_used() -> None:
    forwarded = (run_facts.LimitsForwarded(at=5, story=US_1), run_facts.LimitsForwarded(at=5, story=US_2))
    run = fold_run(in_progress(), RAISED, *forwarded, outcome_of(US_1, USED), claim(US_1))
    assert isinstance(decide_run(run)[0], e.Receive)
    unknown = Usage(input_tokens=5, cost_usd=2.0, attempts=3, unpriced=1, uncounted=1)
    known = fold_run(run, outcome_of(US_2, unknown))
    assert known.spending.ledger.spent == Amount(usd=0.5 + 2.0 + EACH.usd, tokens=3 + 5 + EACH.tokens, sessions=3)
    assert known.spending.ledger.guessed == EACH
    (effect,) = decide_run(known)
    assert isinstance(effect, run_effects.GrantAllowance)
    assert effect.amount.usd == 0.5, "what is left"


def test_what_ended_stories_have_used_is_in_the_accounts_whenever_a_limit_comes() -> None:
    ended = run_facts.StoryEnded(
        at=3,
        story=US_1,
        status=StoryStatus.FAILED,
        commit=Commit(""),
        reason="no luck",
        cause=None,
        usage=USED,
        unrecorded=USED,
    )
    before = fold_run(in_progress(), ended, RAISED)
    assert (before.spending.ledger.spent.usd, before.spending.unaware, before.spending.owing) == (
        0.5,
        frozenset({US_2}),
        frozenset({US_2}),
    )
    after = fold_run(in_progress(), RAISED, ended)
    assert (after.spending.ledger.spent.usd, after.spending.unaware, after.spending.owing) == (
        0.5,
        frozenset({US_2}),
        frozenset({US_2}),
    )


def test_the_runs_own_steps_are_reported_too() -> None:
    framed = Workflow(id="framed", version=1, steps=(planned("plan", plans=True), *DYNAMIC.steps))
    run = fold_run(
        RunState(),
        run_facts.RunStarted(at=0, plan=run_plan(asked(1), steps=framed)),
        run_facts.FrameBegun(at=1, start_number=1),
    )
    raised = fold_run(run, RAISED)
    assert [effect.key for effect in decide_run(raised)] == [f"limits/{FRAME}/1"]
    over = fold_run(raised, run_facts.FrameEnded(at=5, failure="", usage=USED, unrecorded=USED))
    assert (over.spending.unaware, over.spending.owing, over.spending.ledger.spent.usd) == (
        frozenset(),
        frozenset(),
        0.5,
    )


def test_a_limit_of_tokens_that_comes_later_leaves_no_claim_bounded() -> None:
    run = fold_run(in_progress(replace(LATER, attempt=EACH)), claim(US_1))
    assert run.spending.ledger.claims[US_1].bounded
    money = fold_run(run, run_facts.LimitsRaised(at=8, limits=Limits(run=Budget(usd=9.0))))
    assert (money.spending.ledger.claims[US_1].bounded, money.spending.owing) == (True, frozenset())
    tokens = fold_run(run, run_facts.LimitsRaised(at=8, limits=Limits(run=Budget(tokens=100))))
    assert not tokens.spending.ledger.claims[US_1].bounded


def test_limits_of_stories_alone_ask_no_one_for_anything() -> None:
    run = fold_run(in_progress(), replace(RAISED, limits=Limits(story=Budget(usd=1.0))))
    assert (run.spending.unaware, run.spending.owing) == (frozenset({US_1, US_2}), frozenset())


def test_a_run_that_is_over_keeps_other_limits_for_when_it_continues() -> None:
    run = replace(in_progress(), status=RunStatus.CANCELLED)
    assert objection(run, RAISED) is None
    raised = fold_run(run, RAISED)
    assert (raised.status, raised.spending.raises) == (RunStatus.CANCELLED, run.spending.raises + 1)
    assert raised.given.limits.run == LATER.run


def test_limits_that_were_set_before_those_that_are_known_are_no_news() -> None:
    """`resume` notifies the stories before the run, which may have sent them other limits meanwhile."""
    newest = story_facts.LimitsSet(at=5, limits=Limits(story=Budget(usd=3.0)), raises=2)
    late = story_facts.LimitsSet(at=6, limits=Limits(story=Budget(usd=8.0)), raises=1)
    story = fold_story(started_story("coding"), newest)
    assert fold_story(story, late) == story
    assert fold_story(story, replace(late, raises=3)).spending.limits.story.usd == 8.0
