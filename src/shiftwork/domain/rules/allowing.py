"""A story within its limits: what it and its steps may use, and the allowance that its run grants for each attempt.

Only where the run has a limit is there anything to ask it for: each attempt then costs two messages more.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import budget_facts as b
from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.budget import Allowance, Amount, Budget, Claim, Reached, Whose
from shiftwork.domain.model.pipeline import Step, StepStatus
from shiftwork.domain.model.run import RunState
from shiftwork.domain.model.story import Hold, HoldCause, Limits, StoryState
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.domain.model.workflow import StepKind
from shiftwork.domain.rules import booking, budgets
from shiftwork.domain.rules.deciding import Effects, receive
from shiftwork.domain.rules.framing import afoot
from shiftwork.domain.rules.machine import Trigger, turn_step_of

# A story's -----------------------------------------------------------------------------------------------------


def limit_reached(story: StoryState, step: Step) -> Hold | None:
    """What a person is told where the story, or its step, has used what it may; nothing where it has not."""
    limits = story.limits
    if (met := budgets.exhausted(limits.story, story.usage)).is_set:
        return _spent("the story", Whose.STORY, met, story.usage)
    if (met := budgets.exhausted(limits.step, step.usage)).is_set:
        return _spent(f"{step.id} {step.name}", Whose.STEP, met, step.usage)
    return None


def _spent(who: str, whose: Whose, met: Budget, used: Usage) -> Hold:
    amount = Amount(usd=used.cost_usd or 0.0, tokens=budgets.tokens_of(used))
    return Hold(
        cause=HoldCause.LIMIT,
        detail=f"{who} has spent {budgets.told(met, used)}",
        reached=Reached(whose=whose, limit=met, spent=budgets.of_limited(met, amount)),
    )


def claim(story: StoryState, step: Step) -> e.Effect | None:
    """What comes before an attempt of a run with a limit, until something is set aside for it."""
    if step.kind is not StepKind.AGENT or not story.limits.run.is_set or story.allowance:
        return None
    if story.claiming:
        return receive(story.cursor)
    number = story.claims + 1
    return e.ClaimAllowance(key=f"claim/{number}", number=number, step=step.id)


def settle(story: StoryState) -> Effects:
    """The run is told what was used before anything else is done. A story that waits for a person keeps nothing to
    itself meanwhile: others would wait for it, and nobody would know why.
    """
    held, step = story.allowance, story.pipeline.current
    if held is None:
        return booking.owed(story)
    unused = not held.begun
    under_way = step is not None and step.status is StepStatus.IN_PROGRESS
    if under_way or (unused and not (story.hold or story.paused)):
        return ()
    return (e.SettleAllowance(key=f"settle/{held.number}", number=held.number, used=held.used, unused=unused),)


def cap(story: StoryState, step: Step) -> float | None:
    """The money at which the agent is told to stop: the least of what is left for it."""
    limits = story.limits
    rests = (
        None if limits.story.usd is None else limits.story.usd - (story.usage.cost_usd or 0.0),
        None if limits.step.usd is None else limits.step.usd - (step.usage.cost_usd or 0.0),
        story.allowance.cap if story.allowance else None,
    )
    return min((rest for rest in rests if rest is not None), default=None)


def charged(story: StoryState, fact: f.Fact) -> StoryState:
    """What a fact about an attempt says of what was set aside for it."""
    held = story.allowance
    if held is None or not hasattr(fact, "attempt"):
        return story
    if isinstance(fact, f.StepStarted):
        step = story.pipeline.find(fact.step)
        return replace(story, allowance=replace(held, begun=step is not None and step.kind is StepKind.AGENT))
    used = getattr(fact, "usage", None)
    return story if used is None else replace(story, allowance=replace(held, used=used))


def claimed(story: StoryState, fact: b.AllowanceClaimed) -> StoryState | None:
    if fact.number != story.claims + 1 or story.claiming or story.allowance:
        return None
    return replace(story, claims=fact.number, claiming=True)


def granted(story: StoryState, fact: b.AllowanceGranted) -> StoryState | None:
    """With that a wait for a higher limit of the run is over."""
    if not story.claiming or fact.number != story.claims:
        return None
    allowance = Allowance(number=fact.number, cap=fact.cap)
    return replace(story, claiming=False, allowance=allowance, hold=None if _at_limit(story) else story.hold)


def refused(story: StoryState, fact: b.AllowanceRefused) -> StoryState | None:
    """Refused once more it is the same wait, and what a person is told of it is new."""
    if not story.claiming or fact.number != story.claims or (story.hold and not _at_limit(story)):
        return None
    hold = Hold(cause=HoldCause.LIMIT, detail=fact.detail, reached=fact.reached)
    return replace(story, hold=hold, holds=story.holds if story.hold else story.holds + 1)


def _at_limit(story: StoryState) -> bool:
    return story.hold is not None and story.hold.cause is HoldCause.LIMIT


def limits_set(story: StoryState, fact: b.LimitsSet) -> StoryState | None:
    """A wait for the run's answer goes on until it comes: the claim stands. One at a limit of the story's own is over
    where that is not reached any more. Whoever resumes a run tells its stories of limits that the run hears of later:
    what the run has said meanwhile may come after that.
    """
    if fact.raises < story.raises:
        return None
    now = replace(story, limits=raised(story.limits, fact.limits), raises=fact.raises)
    step = story.pipeline.current
    if story.claiming or story.hold is None or not _at_limit(story) or step is None:
        return now
    return replace(now, hold=limit_reached(now, step))


def settled(story: StoryState, fact: b.AllowanceSettled) -> StoryState | None:
    if fact.number == booking.UNCLAIMED:
        return replace(story, unbooked=None)
    if story.allowance is None or story.allowance.number != fact.number:
        return None
    return replace(story, allowance=None)


def cut_short(story: StoryState, fact: b.StepCutShort) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    turned = turn_step_of(story, step, Trigger.DEFER, ended_at=fact.at)
    return turned and replace(turned, heard=0)


def raised(limits: Limits, other: Limits) -> Limits:
    return replace(
        limits,
        run=limits.run.raised(other.run),
        story=limits.story.raised(other.story),
        step=limits.step.raised(other.step),
    )


# A run's -------------------------------------------------------------------------------------------------------


def asked(run: RunState, fact: r.AllowanceAsked) -> RunState | None:
    if run.plan is None:
        return None
    new = Claim(number=fact.number, kind=fact.kind, bounded=fact.bounded)
    return replace(run, ledger=budgets.claimed(run.ledger, fact.story, new))


def reserved(run: RunState, fact: r.AmountReserved) -> RunState | None:
    known = run.ledger.claims.get(fact.story)
    if known is None or known.number != fact.number:
        return None
    return replace(run, ledger=budgets.reserved(run.ledger, fact.story, fact.amount))


def shortage_told(run: RunState, fact: r.ShortageTold) -> RunState | None:
    known = run.ledger.claims.get(fact.story)
    if known is None or known.number != fact.number:
        return None
    return replace(run, ledger=budgets.claimed(run.ledger, fact.story, replace(known, told=True)))


def attempt_settled(run: RunState, fact: r.AttemptSettled) -> RunState | None:
    if fact.number == booking.UNCLAIMED:
        return None if run.plan is None else booking.booked(run, fact.story, fact.used or NOTHING_USED)
    held = run.ledger.reserved.get(fact.story)
    if held is None or held.claim.number != fact.number:
        return None
    if fact.unused:
        return replace(run, ledger=budgets.returned(run.ledger, fact.story))
    return replace(run, ledger=budgets.settled(run.ledger, fact.story, fact.used))


def limits_raised(run: RunState, fact: r.LimitsRaised) -> RunState | None:
    return None if run.plan is None else under(run, fact.limits)


def under(run: RunState, wanted: Limits) -> RunState:
    """The run under other limits. Whoever was told that there is not enough is answered anew; at a number of tokens no
    agent can be told to end. A run that is over keeps them for when it goes on.
    """
    plan, ledger, known = run.given, run.ledger, frozenset(afoot(run))
    limits, first = raised(plan.limits, wanted), not plan.limits.run.is_set
    stops = limits.run.tokens is None
    anew = {
        story: replace(claim, told=False, bounded=claim.bounded and stops) for story, claim in ledger.claims.items()
    }
    return replace(
        run,
        plan=replace(plan, limits=limits),
        ledger=replace(ledger, claims=anew),
        raises=run.raises + 1,
        unaware=known,
        owing=known if first and limits.run.is_set else run.owing,
    )


def limits_forwarded(run: RunState, fact: r.LimitsForwarded) -> RunState | None:
    return replace(run, unaware=run.unaware - {fact.story})


STORY_HANDLERS: Final[dict[type[f.Fact], Callable[[StoryState, Any], StoryState | None]]] = {
    b.AllowanceClaimed: claimed,
    b.AllowanceGranted: granted,
    b.AllowanceRefused: refused,
    b.AllowanceSettled: settled,
    b.LimitsSet: limits_set,
    b.StepCutShort: cut_short,
}
RUN_HANDLERS: Final[dict[type[f.Fact], Callable[[RunState, Any], RunState | None]]] = {
    r.AllowanceAsked: asked,
    r.AmountReserved: reserved,
    r.ShortageTold: shortage_told,
    r.AttemptSettled: attempt_settled,
    r.LimitsRaised: limits_raised,
    r.LimitsForwarded: limits_forwarded,
}
