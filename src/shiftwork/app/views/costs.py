"""The costs of a run: the cost of each attempt, the amount reserved for it, and the estimates."""

from collections.abc import Iterator
from typing import Any, Final

from shiftwork.app.views import amounts
from shiftwork.app.views.history import Account, StoryAccount, Turn
from shiftwork.domain.agents.idle_time import Course, Idle, idle
from shiftwork.domain.budget.amounts import Amount, Budget
from shiftwork.domain.budget.reservations import of_limited, overshoot
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.core.plain import to_plain
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
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptMade:
    """An ended attempt of an agent. `seconds` is None if unknown. In a run with a limit, an amount was `reserved` for
    it; `over` is what it used beyond that.
    """

    step: Step
    number: int
    ended: str
    seconds: float | None
    used: Usage
    reserved: Budget | None
    over: Amount | None


def used(account: Account) -> Usage:
    return total(story.state.spending.usage for story in account.stories)


def lost(account: Account) -> Idle:
    """Returns how long the run was idle: no story was being worked on."""
    return idle(map(_course, account.stories))


def lost_of(account: StoryAccount) -> Idle:
    return idle([_course(account)])


def _course(account: StoryAccount) -> Course:
    state = account.state
    began = None if account.asked.id == FRAME else state.started_at
    return Course(began=began, ended=state.ended_at, waited=state.rate_limit.waited)


def is_over(account: Account) -> bool:
    return account.run.status in RUN_ENDED


def shares(account: Account) -> tuple[Share, ...]:
    return merged(share for story in account.stories for share in story.state.spending.shares)


def attempts(account: Account, story_account: StoryAccount) -> Iterator[AttemptMade]:
    """Returns the attempts in the order in which they ended."""
    limit = account.run.given.limits.run
    for turn in story_account.turns:
        if not isinstance(turn.fact, ENDS):
            continue
        step = turn.after.pipeline.find(turn.fact.step)
        if step is None or step.plan.kind is not StepKind.AGENT:
            continue
        spent = one_attempt(turn.fact.usage)
        reserved = _reserved(account, story_account, turn)
        yield AttemptMade(
            step=step,
            number=turn.fact.attempt,
            ended=_ending(turn.fact),
            seconds=took(step, turn.fact),
            used=spent,
            reserved=of_limited(limit, reserved) if reserved else None,
            over=overshoot(limit, reserved, spent) if reserved else None,
        )


def _reserved(account: Account, story_account: StoryAccount, turn: Turn) -> Amount | None:
    held = turn.before.spending.allowance
    return account.reserved.get((story_account.asked.id, held.number)) if held else None


_ENDINGS: Final[dict[type[Fact], str]] = {
    story_facts.StepCompleted: "completed",
    story_facts.StepFailed: "failed",
    story_facts.StepCancelled: "cancelled",
    story_facts.StepInterrupted: "interrupted",
    story_facts.StepYielded: "restarted by its own edit",
    story_facts.QuestionAsked: "asked a question",
    story_facts.StepDeferred: "reached a limit of the agent",
    story_facts.StepCutShort: "stopped at its cost limit",
    story_facts.SummaryMissed: "gave no summary",
}


def _ending(fact: Fact) -> str:
    if isinstance(fact, story_facts.StepInterrupted) and fact.restarted:
        return "restarted by a person"
    trouble = f" ({fact.trouble})" if isinstance(fact, story_facts.StepFailed | story_facts.StepCancelled) else ""
    return f"{_ENDINGS[type(fact)]}{trouble}"


def forecast_of(account: Account, story_account: StoryAccount) -> Band | None:
    """Returns the estimated cost of the story; None for the run's own steps."""
    forecast = account.run.given.forecast
    return (
        of_story(forecast, story_account.asked) if forecast and story_account.asked.id in account.run.stories else None
    )


def certified(account: StoryAccount) -> StoryCertified | None:
    """Returns the certificate of the commit that has landed, unless it has been reverted since."""
    found = [turn.fact for turn in account.turns if isinstance(turn.fact, StoryCertified)]
    landed = account.state.landed
    return found[-1] if found and landed and landed.certificate == found[-1].sha256 else None


# For programs ----------------------------------------------------------------------------------------------------


def document(account: Account) -> dict[str, Any]:
    forecast = account.run.given.forecast
    return {
        **amounts.plain(used(account)),
        **amounts.shared(shares(account)),
        **amounts.waits(lost(account)),
        "estimate": amounts.estimate(forecast.whole if forecast else None, used(account), over=is_over(account)),
        "without_gates": list(account.run.given.without_gates),
        "no_estimate": None if forecast else unforeseen(account.run.given.workflow),
        "stories": {story.asked.id: _story(account, story) for story in account.stories},
    }


def _story(account: Account, story_account: StoryAccount) -> dict[str, Any]:
    proof = certified(story_account)
    return {
        **amounts.plain(story_account.state.spending.usage),
        **amounts.shared(story_account.state.spending.shares),
        **amounts.waits(lost_of(story_account)),
        "estimate": amounts.estimate(
            forecast_of(account, story_account),
            story_account.state.spending.usage,
            over=account.status(story_account) in ENDED,
        ),
        "attempts": [_attempt(made) for made in attempts(account, story_account)],
        "certificate": plain(proof.certificate) if proof else None,
        "proof": proof_document(proof_of(story_account.state)),
    }


def proof_document(status: ProofStatus | None) -> dict[str, Any] | None:
    """Returns the proof of a landed story, for programs."""
    return None if status is None else {**to_plain(status), "words": words(status)}


def _attempt(made: AttemptMade) -> dict[str, Any]:
    return {
        "step_id": made.step.id,
        "attempt": made.number,
        "agent": made.step.assigned_profile,
        "model": made.step.model or None,
        "ended": made.ended,
        "seconds": made.seconds,
        **amounts.plain(made.used),
        "reserved": to_plain(made.reserved) if made.reserved else None,
        "overshoot": to_plain(made.over) if made.over else None,
    }
