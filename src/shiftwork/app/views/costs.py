"""The books of a run: what each attempt has come to, what was set aside for it, and what was foreseen of it all."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from shiftwork.app.views import amounts
from shiftwork.app.views.history import Account, StoryAccount, Turn
from shiftwork.domain.agents.idle_time import Course, Idle, idle
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.reservations import of_limited, overshoot
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.proof.certificate import Certificate
from shiftwork.domain.proof.proof_status import words
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.run.spending.forecast import of_story, unforeseen
from shiftwork.domain.run.state import RUN_ENDED
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import plain, proof_of
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.spending.attempt_usage import ENDS
from shiftwork.domain.story.spending.durations import took
from shiftwork.domain.story.state import ENDED
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import merged, one_attempt, total
from shiftwork.domain.usage.usage import Share, Usage
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.workflow import StepKind


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptMade:
    """An attempt of an agent that is over; it took so many `seconds`, where that is known. In a run with a limit
    something was set `aside` for it; `over` is what it used beyond that.
    """

    step: Step
    number: int
    ended: str
    seconds: float | None
    used: Usage
    aside: Budget | None
    over: Amount | None


def used(account: Account) -> Usage:
    return total(one.state.spending.usage for one in account.stories)


def lost(account: Account) -> Idle:
    """How much of its time the run only waited, while none of its stories was worked on."""
    return idle(map(_course, account.stories))


def lost_of(one: StoryAccount) -> Idle:
    return idle([_course(one)])


def _course(one: StoryAccount) -> Course:
    state = one.state
    began = None if one.asked.id == FRAME else state.started_at
    return Course(began=began, ended=state.ended_at, waited=state.rate_limit.waited)


def is_over(account: Account) -> bool:
    return account.run.status in RUN_ENDED


def shares(account: Account) -> tuple[Share, ...]:
    return merged(share for one in account.stories for share in one.state.spending.shares)


def attempts(account: Account, one: StoryAccount) -> Iterator[AttemptMade]:
    """In the order in which they ended."""
    limit = account.run.given.limits.run
    for turn in one.turns:
        if not isinstance(turn.fact, ENDS):
            continue
        step = turn.after.pipeline.find(turn.fact.step)
        if step is None or step.plan.kind is not StepKind.AGENT:
            continue
        spent = one_attempt(turn.fact.usage)
        aside = _aside(account, one, turn)
        yield AttemptMade(
            step=step,
            number=turn.fact.attempt,
            ended=_ending(turn.fact),
            seconds=took(step, turn.fact),
            used=spent,
            aside=of_limited(limit, aside) if aside else None,
            over=overshoot(limit, aside, spent) if aside else None,
        )


def _aside(account: Account, one: StoryAccount, turn: Turn) -> Amount | None:
    held = turn.before.spending.allowance
    return account.reserved.get((one.asked.id, held.number)) if held else None


_ENDINGS: Final[dict[type[Fact], str]] = {
    story_facts.StepCompleted: "completed",
    story_facts.StepFailed: "failed",
    story_facts.StepCancelled: "cancelled",
    story_facts.StepInterrupted: "interrupted",
    story_facts.StepYielded: "put itself back",
    story_facts.QuestionAsked: "asked a question",
    story_facts.StepDeferred: "at a limit of the agent",
    story_facts.StepCutShort: "cut short at what it may cost",
}


def _ending(fact: Fact) -> str:
    trouble = f" ({fact.trouble})" if isinstance(fact, story_facts.StepFailed | story_facts.StepCancelled) else ""
    return f"{_ENDINGS[type(fact)]}{trouble}"


def foreseen_of(account: Account, one: StoryAccount) -> Band | None:
    """What the story was foreseen to cost; the run's own steps are no story of which any is known."""
    foreseen = account.run.given.foreseen
    return of_story(foreseen, one.asked) if foreseen and one.asked.id in account.run.stories else None


def certificate(one: StoryAccount) -> Certificate | None:
    """The last one of a story that has landed and has not been taken back since."""
    found = [turn.fact.certificate for turn in one.turns if isinstance(turn.fact, StoryCertified)]
    return found[-1] if found and one.state.landed.commit else None


# For programs ----------------------------------------------------------------------------------------------------


def document(account: Account) -> dict[str, Any]:
    foreseen = account.run.given.foreseen
    return {
        **amounts.plain(used(account)),
        **amounts.shared(shares(account)),
        **amounts.waits(lost(account)),
        "estimate": amounts.estimate(foreseen.whole if foreseen else None, used(account), over=is_over(account)),
        "without_gates": list(account.run.given.without_gates),
        "no_estimate": None if foreseen else unforeseen(account.run.given.workflow),
        "stories": {one.asked.id: _story(account, one) for one in account.stories},
    }


def _story(account: Account, one: StoryAccount) -> dict[str, Any]:
    proof = certificate(one)
    return {
        **amounts.plain(one.state.spending.usage),
        **amounts.shared(one.state.spending.shares),
        **amounts.waits(lost_of(one)),
        "estimate": amounts.estimate(
            foreseen_of(account, one), one.state.spending.usage, over=account.status(one) in ENDED
        ),
        "attempts": [_attempt(made) for made in attempts(account, one)],
        "certificate": plain(proof) if proof else None,
        "proof": proof_document(proof_of(one.state)),
    }


def proof_document(status: ProofStatus | None) -> dict[str, Any] | None:
    """How a landed story stands, for programs."""
    return None if status is None else {**to_plain(status), "words": words(status)}


def _attempt(made: AttemptMade) -> dict[str, Any]:
    return {
        "step_id": made.step.id,
        "attempt": made.number,
        "agent": made.step.played_by,
        "model": made.step.model or None,
        "ended": made.ended,
        "seconds": made.seconds,
        **amounts.plain(made.used),
        "set_aside": to_plain(made.aside) if made.aside else None,
        "overshoot": to_plain(made.over) if made.over else None,
    }
