"""What a run reserves, what it counts, and what it says when there is not enough."""

from dataclasses import replace

import pytest

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Amount, Budget, Claim, Ledger, Reached, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId, step_id
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.story.state import Hold, HoldCause, StoryState
from shiftwork.domain.usage.usage import Usage
from shiftwork.testing.builders import (
    asked,
    began,
    conclusion,
    done,
    fold_run,
    fold_story,
    next_effect,
    run_plan,
    started_story,
)

US_1, US_2 = StoryId("US-001"), StoryId("US-002")
CODING = Claim(number=1, kind="coding", bounded=True)
ALONE = replace(CODING, bounded=False)
MONEY = Limits(run=Budget(usd=4.0), attempt=Amount(usd=1.0, tokens=10))
BOTH = Limits(run=Budget(usd=4.0, tokens=100), attempt=Amount(usd=1.0, tokens=10))

HALF = "the run has spent 3.00 of 4.00 USD and 50 of 100 tokens"
CODING_NEEDS = "coding may need 4.50 USD and 75 tokens"


def spent(usd: float, *, kind: str = "coding", tokens: int = 5, used: Usage | None = None) -> Ledger:
    """The books after one attempt."""
    ledger = reservations.claimed(Ledger(), US_1, replace(CODING, kind=kind))
    reserved = reservations.reserved(ledger, US_1, Amount(usd=1.0, tokens=10))
    return reservations.settled(reserved, US_1, used or Usage(input_tokens=tokens, cost_usd=usd))


def test_what_a_known_kind_reserves_is_its_dearest_attempt() -> None:
    assert reservations.reservation(Ledger(), CODING, MONEY) == Amount(usd=1.0, tokens=10, sessions=1)
    assert reservations.reservation(spent(2.5, tokens=20), CODING, BOTH) is None, "1.50 USD are left"
    assert reservations.reservation(spent(0.5, tokens=4), CODING, BOTH) == Amount(usd=0.75, tokens=6, sessions=1)


def test_the_rest_is_enough_where_it_pays_for_the_dearest_one() -> None:
    assert reservations.reservation(spent(1.75), CODING, MONEY) == Amount(usd=2.25, tokens=7, sessions=1)
    assert reservations.reservation(spent(2.1), CODING, MONEY) is None


def test_an_attempt_that_nothing_stops_waits_for_the_other() -> None:
    other = reservations.reserved(reservations.claimed(Ledger(), US_2, ALONE), US_2, Amount(usd=1.0))
    assert reservations.reservation(other, ALONE, MONEY) is None
    assert reservations.reservation(other, CODING, MONEY) is not None


def test_those_that_can_be_stopped_are_at_work_together_where_each_but_one_may_use_as_much_again() -> None:
    def at_once(usd: float) -> int:
        ledger = Ledger()
        for story in (US_1, US_2, StoryId("US-003")):
            if amount := reservations.reservation(ledger, CODING, replace(MONEY, run=Budget(usd=usd))):
                ledger = reservations.reserved(reservations.claimed(ledger, story, CODING), story, amount)
        return len(ledger.reserved)

    assert [at_once(usd) for usd in (0.5, 1.0, 2.9, 3.0, 4.9, 5.0)] == [1, 1, 1, 2, 2, 3]


def test_what_no_one_reports_counts_as_what_was_reserved() -> None:
    unpriced = spent(0.0, used=Usage(input_tokens=3))
    assert (unpriced.spent, unpriced.guessed) == (Amount(usd=1.0, tokens=3, sessions=1), Amount(usd=1.0))
    reserved = reservations.reserved(reservations.claimed(Ledger(), US_1, CODING), US_1, Amount(usd=1.0, tokens=10))
    unknown = reservations.settled(reserved, US_1, None)
    assert (unknown.spent, unknown.guessed) == (Amount(usd=1.0, tokens=10, sessions=1), Amount(usd=1.0, tokens=10))
    assert reservations.settled(reserved, US_1, Usage()) == unknown, "an attempt that was killed reports nothing either"
    assert reservations.needed(unknown, CODING, MONEY) == replace(MONEY.attempt, sessions=1), (
        "from a guess nothing is learnt"
    )


def test_what_is_known_in_part_counts_where_it_is_more_than_was_reserved() -> None:
    ended = Usage(input_tokens=3, cost_usd=0.25, unpriced=1, uncounted=1)
    little = spent(0.0, used=ended)
    assert (little.spent, little.guessed) == (Amount(usd=1.0, tokens=10, sessions=1), Amount(usd=0.75, tokens=7))
    assert reservations.needed(little, CODING, MONEY) == replace(MONEY.attempt, sessions=1), (
        "that it was little by then says nothing"
    )
    much = spent(0.0, used=replace(ended, input_tokens=400, cost_usd=3.0))
    assert (much.spent, much.guessed) == (Amount(usd=3.0, tokens=400, sessions=1), Amount())
    assert reservations.needed(much, CODING, MONEY).tokens == 600


def test_an_attempt_that_could_not_be_made_says_nothing_of_what_the_next_one_needs() -> None:
    limited = spent(0.0, used=Usage(cost_usd=0.0))
    assert (limited.spent, limited.guessed) == (Amount(sessions=1), Amount())
    assert reservations.reservation(limited, CODING, MONEY) == Amount(usd=1.0, tokens=10, sessions=1)


def test_an_attempt_that_was_cut_short_has_twice_the_room_the_next_time() -> None:
    assert reservations.needed(spent(0.8), CODING, MONEY).usd == pytest.approx(2.0)
    assert reservations.needed(spent(0.7), CODING, MONEY).usd == pytest.approx(1.05)


def test_what_is_thrown_away_on_the_way_to_a_dear_step_is_less_than_twice_its_cost() -> None:
    ledger, limits, cost = Ledger(), Limits(run=Budget(usd=1000.0)), 0.0
    for number in range(1, 20):
        ledger = reservations.claimed(ledger, US_1, replace(CODING, number=number))
        amount = reservations.reservation(ledger, CODING, limits)
        assert amount is not None
        used = min(amount.usd * reservations.HEADROOM, 30.0)
        cost += used
        ledger = reservations.settled(
            reservations.reserved(ledger, US_1, amount), US_1, Usage(input_tokens=1, cost_usd=used)
        )
        if used == 30.0:
            break
    assert cost < 3 * 30.0


def test_what_sums_of_fractions_leave_is_nothing() -> None:
    used = sum((Usage(cost_usd=0.1) for _ in range(10)), Usage())
    assert used.cost_usd != 1.0
    assert reservations.exhausted(Budget(usd=1.0), used).is_set
    ledger = Ledger(spent=Amount(usd=used.cost_usd or 0.0))
    assert reservations.reservation(ledger, CODING, Limits(run=Budget(usd=1.0))) is None


def test_only_the_limit_that_is_reached_is_named_and_what_is_unknown_is_no_zero() -> None:
    limits = Limits(story=Budget(usd=5.0, tokens=100), step=Budget(usd=1.0))
    story = started_story("coding", limits=limits)
    used = Usage(input_tokens=100, attempts=1, unpriced=1)
    step = story.pipeline.steps[0]
    assert allowance.limit_reached(replace(story, spending=replace(story.spending, usage=used)), step) == at_limit(
        "the story has spent 100 of 100 tokens", Whose.STORY, tokens=100
    )
    dear = Usage(cost_usd=5.0, attempts=2, unpriced=1, uncounted=1)
    message = reservations.spent_of(limits.story, dear)
    assert message == "at least 5.00 of 5.00 USD and at least 0 of 100 tokens"


def at_limit(message: str, whose: Whose, tokens: int) -> Hold:
    reached = Reached(whose=whose, limit=Budget(tokens=tokens), spent=Budget(tokens=tokens))
    return Hold(cause=HoldCause.LIMIT, detail=message, reached=reached)


@pytest.mark.parametrize(
    ("ledger", "limits", "message"),
    [
        (
            spent(5.0),
            MONEY,
            "the run has spent 5.00 of 4.00 USD, one attempt up to 4.00 USD more than was reserved for it",
        ),
        (spent(1.0, kind="review"), MONEY, "the run has spent 1.00 of 4.00 USD"),
        (
            spent(3.0, tokens=50),
            BOTH,
            f"{HALF}, one attempt up to 2.00 USD and 40 tokens more than was reserved for it; {CODING_NEEDS}",
        ),
        (
            spent(9.0, tokens=15),
            Limits(run=Budget(tokens=15)),
            "the run has spent 15 of 15 tokens, one attempt up to 5 tokens more than was reserved for it",
        ),
    ],
)
def test_a_shortage_reports_what_was_spent_of_what(ledger: Ledger, limits: Limits, message: str) -> None:
    assert reservations.shortage(ledger, CODING, limits) == message


@pytest.mark.parametrize(
    ("ledger", "limits", "reached"),
    [
        (spent(5.0), MONEY, Reached(whose=Whose.RUN, limit=Budget(usd=4.0), spent=Budget(usd=5.0))),
        (
            spent(3.0, tokens=50),
            BOTH,
            Reached(
                whose=Whose.RUN,
                limit=BOTH.run,
                spent=Budget(usd=3.0, tokens=50),
                needed=Budget(usd=4.5, tokens=75),
            ),
        ),
        (
            spent(3.0, tokens=5),
            BOTH,
            Reached(whose=Whose.RUN, limit=MONEY.run, spent=Budget(usd=3.0), needed=Budget(usd=4.5)),
        ),
    ],
    ids=["nothing is left", "too little of both", "of tokens there are enough"],
)
def test_a_shortage_is_reported_as_values_of_what_is_in_the_way(
    ledger: Ledger, limits: Limits, reached: Reached
) -> None:
    run = run_with(limits, claim())
    (refused,) = decide_run(
        replace(run, spending=replace(run.spending, ledger=replace(ledger, claims=run.spending.ledger.claims)))
    )
    assert isinstance(refused, run_effects.RefuseAllowance)
    assert refused.reached == reached
    allowance_refused = story_facts.AllowanceRefused(at=2, number=1, detail=refused.detail, reached=refused.reached)
    hold = fold_story(claiming(), allowance_refused).waiting.hold
    assert hold == Hold(cause=HoldCause.LIMIT, detail=reservations.shortage(ledger, CODING, limits), reached=reached)


# A run and its stories ----------------------------------------------------------------------------------------------


def claiming(limits: Limits = MONEY) -> StoryState:
    story = started_story("planning", "coding", limits=limits)
    return fold_story(story, story_facts.AllowanceClaimed(at=1, number=1))


def test_a_story_waits_for_its_allowance_and_settles_it() -> None:
    story = started_story("planning", "coding", limits=MONEY)
    assert next_effect(story) == story_effects.ClaimAllowance(key="claim/1", number=1, step=step_id(1))
    assert isinstance(next_effect(claiming()), e.Receive)
    granted = fold_story(claiming(), story_facts.AllowanceGranted(at=2, number=1, cap=0.8))
    assert isinstance(next_effect(granted), story_effects.RunAgent)
    used = Usage(input_tokens=3, cost_usd=0.5)
    at_work = fold_story(granted, began(granted))
    ended = fold_story(at_work, done(at_work, usage=used))
    assert next_effect(ended) == story_effects.SettleAllowance(key="settle/1", number=1, used=used)
    settled = fold_story(ended, story_facts.AllowanceSettled(at=3, number=1))
    assert next_effect(settled) == story_effects.ClaimAllowance(key="claim/2", number=2, step=step_id(2))


def test_a_worker_that_died_can_report_nothing_of_its_attempt() -> None:
    granted = fold_story(claiming(), story_facts.AllowanceGranted(at=2, number=1, cap=None))
    at_work = fold_story(granted, began(granted))
    died = fold_story(at_work, story_facts.StepInterrupted(at=3, step=step_id(1), attempt=1, diff=""))
    assert next_effect(died) == story_effects.SettleAllowance(key="settle/1", number=1, used=None)


def test_who_waits_for_a_person_gives_back_what_it_has_not_begun_to_use() -> None:
    """A limit of the story's own, or a pause, may come after the run has set something aside."""
    granted = fold_story(claiming(), story_facts.AllowanceGranted(at=2, number=1, cap=None))
    back = story_effects.SettleAllowance(key="settle/1", number=1, used=None, unused=True)
    paused = fold_story(granted, story_facts.StoryPaused(at=3))
    assert next_effect(paused) == back
    held = fold_story(granted, story_facts.StoryHeld(at=3, cause=HoldCause.LIMIT, detail="spent"))
    assert next_effect(held) == back
    assert isinstance(next_effect(fold_story(paused, story_facts.AllowanceSettled(at=4, number=1))), e.Receive)
    at_work = fold_story(granted, began(granted), story_facts.StoryPaused(at=3))
    assert isinstance(next_effect(at_work), e.Receive)


def test_what_is_given_back_is_there_for_others_and_nothing_is_learnt_of_it() -> None:
    reserved = run_facts.AmountReserved(at=3, story=US_1, number=1, amount=Amount(usd=1.0))
    run = fold_run(run_with(replace(MONEY, run=Budget(usd=1.0)), claim(), claim(US_2)), reserved)
    free = fold_run(run, run_facts.AttemptSettled(at=4, story=US_1, number=1, used=None, unused=True))
    assert (free.spending.ledger.spent, free.spending.ledger.dearest, free.spending.ledger.reserved) == (
        Amount(),
        {},
        {},
    )
    (granted,) = decide_run(free)
    assert isinstance(granted, run_effects.GrantAllowance)
    assert granted.story == US_2


def test_a_refusal_holds_the_story_until_it_is_granted_or_ended() -> None:
    held = fold_story(claiming(), story_facts.AllowanceRefused(at=2, number=1, detail="spent"))
    assert held.waiting.hold is not None
    assert (held.waiting.hold.cause, held.waiting.holds) == (HoldCause.LIMIT, 1)
    again = fold_story(held, story_facts.AllowanceRefused(at=2, number=1, detail="again"))
    assert again == replace(held, waiting=replace(held.waiting, hold=replace(held.waiting.hold, detail="again"))), (
        "the same wait, reported again"
    )
    assert fold_story(held, story_facts.AllowanceGranted(at=2, number=1, cap=None)).waiting.hold is None
    assert fold_story(held, story_facts.StoryReleased(at=2, granted=False, answer="")).control.cancelled


@pytest.mark.parametrize(
    "fact",
    [
        story_facts.AllowanceClaimed(at=1, number=7),
        story_facts.AllowanceGranted(at=1, number=7, cap=None),
        story_facts.AllowanceRefused(at=1, number=7, detail=""),
        story_facts.AllowanceSettled(at=1, number=7),
        story_facts.StepCutShort(at=1, step=step_id(1), attempt=7, usage=Usage(), diff=""),
        story_facts.StepCutShort(at=1, step=step_id(1), attempt=0, usage=Usage(), diff=""),
        story_facts.StepCutShort(at=1, step=step_id(9), attempt=1, usage=Usage(), diff=""),
    ],
)
def test_facts_about_another_claim_or_attempt_change_nothing(fact: Fact) -> None:
    for story in (claiming(), fold_story(claiming(), story_facts.AllowanceGranted(at=2, number=1, cap=None))):
        assert fold_story(story, fact) == story


def test_an_agent_gets_the_least_of_what_is_left() -> None:
    limits = Limits(run=Budget(usd=9.0), story=Budget(usd=3.0), step=Budget(usd=2.0))
    story = claiming(limits)
    step = story.pipeline.steps[0]
    assert allowance.cap(story, step) == 2.0
    granted = fold_story(story, story_facts.AllowanceGranted(at=2, number=1, cap=0.8))
    assert allowance.cap(granted, step) == 0.8
    assert allowance.cap(started_story("coding"), step) is None


def test_a_step_that_has_spent_its_limit_waits_for_a_person() -> None:
    story = started_story("coding", limits=Limits(step=Budget(tokens=3)))
    step = replace(story.pipeline.steps[0], usage=Usage(input_tokens=3))
    held = at_limit("step-001 coding has spent 3 of 3 tokens", Whose.STEP, tokens=3)
    assert allowance.limit_reached(story, step) == held
    running = replace(story, pipeline=story.pipeline.with_step(step))
    concluded = conclusion(running)
    assert concluded == story_facts.StoryHeld(at=0, cause=HoldCause.LIMIT, detail=held.detail, reached=held.reached)
    assert fold_story(running, concluded).waiting.hold == held


def run_with(limits: Limits, *claims: run_facts.AllowanceAsked) -> RunState:
    plan = replace(run_plan(asked(1), asked(2), parallel=2), limits=limits)
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan), run_facts.StoryDispatched(at=1, story=US_1))
    return fold_run(run, run_facts.StoryDispatched(at=1, story=US_2, slot=1), *claims)


def claim(story: StoryId = US_1, *, bounded: bool = True) -> run_facts.AllowanceAsked:
    return run_facts.AllowanceAsked(at=2, story=story, number=1, kind="coding", bounded=bounded)


def grant(cap: float | None, amount: Amount) -> run_effects.GrantAllowance:
    return run_effects.GrantAllowance(key="reserve/US-001/1", story=US_1, number=1, amount=amount, cap=cap)


def test_a_run_grants_within_its_limit_and_gives_the_agent_its_limit() -> None:
    reserved = Amount(usd=1.0, tokens=10, sessions=1)
    assert decide_run(run_with(MONEY, claim())) == (grant(0.8, reserved),)
    assert decide_run(run_with(MONEY, claim(bounded=False))) == (grant(None, reserved),)
    last = replace(MONEY, run=Budget(usd=0.5))
    assert decide_run(run_with(last, claim())) == (grant(0.5, Amount(usd=0.5, tokens=10, sessions=1)),), (
        "the rest to its very end"
    )
    tokens = Limits(run=Budget(tokens=5), attempt=reserved)
    assert decide_run(run_with(tokens, claim())) == (grant(None, Amount(usd=1.0, tokens=5, sessions=1)),)


def test_while_somebody_is_at_work_others_wait_and_no_one_is_refused() -> None:
    reserved = run_facts.AmountReserved(at=3, story=US_1, number=1, amount=Amount(usd=1.0))
    run = fold_run(run_with(replace(MONEY, run=Budget(usd=1.0)), claim(), claim(US_2)), reserved)
    assert isinstance(decide_run(run)[0], e.Receive)
    assert fold_run(run, replace(reserved, number=9)) == run
    assert fold_run(run, run_facts.AttemptSettled(at=4, story=US_1, number=9, used=None)) == run
    settled = fold_run(run, run_facts.AttemptSettled(at=4, story=US_1, number=1, used=None))
    (refused,) = decide_run(settled)
    assert isinstance(refused, run_effects.RefuseAllowance)
    assert (refused.story, refused.detail) == (
        US_2,
        "the run has spent 1.00 of 1.00 USD (1.00 USD of it estimated)",
    )


def test_a_story_that_was_refused_is_answered_again_when_limits_are_raised() -> None:
    run = run_with(replace(MONEY, run=Budget(usd=0.0)), claim())
    assert [effect.key for effect in decide_run(run)] == ["shortage/US-001/1/0"]
    message = fold_run(run, run_facts.ShortageReported(at=3, story=US_1, number=1))
    assert isinstance(decide_run(message)[0], e.Receive)
    assert fold_run(message, run_facts.ShortageReported(at=3, story=US_2, number=1)) == message
    raised = fold_run(message, run_facts.LimitsRaised(at=4, limits=Limits(run=Budget(usd=9.0))))
    assert [effect.key for effect in decide_run(raised)] == ["limits/US-001/1", "limits/US-002/1"]
    received = fold_run(raised, *(run_facts.LimitsForwarded(at=5, story=story) for story in (US_1, US_2)))
    assert isinstance(decide_run(received)[0], run_effects.GrantAllowance)
    assert raised.given.limits == replace(MONEY, run=Budget(usd=9.0))


@pytest.mark.parametrize(
    "fact",
    [
        run_facts.AllowanceAsked(at=1, story=US_1, number=1, kind="coding", bounded=True),
        run_facts.AmountReserved(at=1, story=US_1, number=1, amount=Amount()),
        run_facts.ShortageReported(at=1, story=US_1, number=1),
        run_facts.AttemptSettled(at=1, story=US_1, number=1, used=None),
        run_facts.LimitsRaised(at=1, limits=MONEY),
    ],
)
def test_a_run_that_has_not_started_keeps_no_accounts(fact: Fact) -> None:
    assert evolve_run(RunState(), fact) == RunState()
