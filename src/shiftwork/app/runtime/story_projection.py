"""The rows that are written with the facts of a story."""

from collections.abc import Iterable
from typing import Final

from shiftwork.domain.agents.bandit import role_of
from shiftwork.domain.agents.tally import Pick
from shiftwork.domain.budget.amounts import Reached
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.notices.notice import Noticing
from shiftwork.domain.proof.verdict import ProofStatus
from shiftwork.domain.story.approval import asked_about
from shiftwork.domain.story.certify import proof_of
from shiftwork.domain.story.state import FailureCause, StoryState, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.ports.rows.row_parts import LandingPart, LimitPart, ProofPart, UsedPart, WaitCause, WaitingPart
from shiftwork.ports.views import PAUSED, ProfileRow, Row, SpentRow, StepRow, StoryRow, Verdict, WaitedRow

WAITING: Final = "waiting"
"""The landing status of a story whose gates are green and that needs a person's approval."""


def story_rows(before: StoryState, after: StoryState) -> tuple[Row, ...]:
    """The row of the story, and the rows of its steps that changed or moved."""
    known = {step.id: (position, step) for position, step in enumerate(before.pipeline.steps)}
    steps = (
        _step_row(after, position, step)
        for position, step in enumerate(after.pipeline.steps)
        if known.get(step.id) != (position, step)
    )
    kept = {step.id for step in after.pipeline.steps}
    gone = (_gone_row(after, step) for step in before.pipeline.steps if step.id not in kept)
    further: list[Row] = [*_profile_rows(before, after), *_spent_rows(before, after), *_waited_rows(before, after)]
    return (_story_row(after), *steps, *gone, *further)


def _story_row(story: StoryState) -> StoryRow:
    given, gone = story.given, story.status is StoryStatus.MISSING
    current = story.pipeline.current
    return StoryRow(
        run=given.run,
        story=given.story.id,
        position=given.position,
        title=given.story.title,
        status=PAUSED if story.control.paused and story.status is StoryStatus.IN_PROGRESS else story.status,
        step=current.id if current else "",
        failure=story.outcome.reason,
        cause=story.outcome.cause or "",
        started_at=story.started_at,
        ended_at=story.ended_at,
        landing=LandingPart(tests=story.landing.inspection.message) if gone else _landing(story),
        waiting=_waiting(story),
        used=used_part(story.spending.usage),
        limit=_limit(story.asks.reached if story.asks else None),
        proof=ProofPart() if gone else _proof(proof_of(story)),
        depends_on=given.story.depends_on,
    )


def _landing(story: StoryState) -> LandingPart:
    landing, failed = story.landing, story.outcome.cause is FailureCause.REFUSED
    return LandingPart(
        progress=WAITING if asked_about(story) else landing.progress,
        commit=story.landed_commit,
        ref=story.landed.ref if story.landed else "",
        refusal=landing.refused.cause if landing.refused and failed else "",
        tests=landing.inspection.message,
    )


def _proof(status: ProofStatus | None) -> ProofPart:
    if status is None:
        return ProofPart()
    return ProofPart(level=status.level, shown=status.shown, criteria=status.criteria, remark=status.remark)


def _waiting(story: StoryState) -> WaitingPart:
    hold, wait = story.asks, story.rate_limit.wait
    until = wait.until if wait else None
    if hold:
        undelivered = undelivered_by(story.waiting.noticing, story.waiting.holds)
        cause, choices = WaitCause(hold.cause), hold.options
        return WaitingPart(cause=cause, detail=hold.detail, choices=choices, until=until, undelivered=undelivered)
    return WaitingPart(cause=WaitCause.RATE_LIMIT, detail=wait.reason, until=until) if wait else WaitingPart()


def undelivered_by(noticing: Noticing, number: int) -> str:
    """The channels that could not deliver the notice of that number, and why."""
    missed = noticing.missed if noticing.settled == number else ()
    return "; ".join(f"{channel}: {why}" for channel, why in missed)


def _limit(reached: Reached | None) -> LimitPart:
    """The limit at which a story waits; see `amounts.reached_of`."""
    if reached is None:
        return LimitPart()
    limit, spent, needed = reached.limit, reached.spent, reached.needed
    return LimitPart(
        whose=reached.whose,
        usd=limit.usd,
        tokens=limit.tokens,
        sessions=limit.sessions,
        spent_usd=spent.usd,
        spent_tokens=spent.tokens,
        spent_sessions=spent.sessions,
        needed_usd=needed.usd,
        needed_tokens=needed.tokens,
    )


GONE = -1
"""The position of a step that an edit replaced: lists leave it out, but its log and cost stay available."""


def _gone_row(story: StoryState, step: Step) -> StepRow:
    return _step_row(story, GONE, step)


def _step_row(story: StoryState, position: int, step: Step) -> StepRow:
    return StepRow(
        run=story.given.run,
        story=StoryId(story.given.story.id),
        step=step.id,
        position=position,
        name=step.plan.name,
        type=step.plan.type,
        kind=step.plan.kind,
        status=step.status,
        description=step.plan.description,
        attempts=step.attempts,
        restarts=step.restarts,
        notes=step.notes,
        error=step.error,
        skip_reason=step.skip_reason,
        started_at=step.started_at,
        ended_at=step.ended_at,
        seconds=step.seconds,
        log=step.log,
        agent=step.assigned_profile,
        model=step.model,
        used=used_part(step.usage),
    )


def used_part(usage: Usage) -> UsedPart:
    """The usage as a part of a row; see `amounts.usage_of`."""
    return UsedPart(
        cost_usd=usage.cost_usd,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        tries=usage.attempts,
        unpriced=usage.unpriced,
        uncounted=usage.uncounted,
        estimated=usage.estimated,
    )


def _spent_rows(before: StoryState, after: StoryState) -> Iterable[SpentRow]:
    """The shares that have changed."""
    if before.spending.shares is after.spending.shares:
        return
    known = set(before.spending.shares)
    for share in after.spending.shares:
        if share not in known:
            run, story = after.given.run, after.given.story.id
            yield SpentRow(run=run, story=story, agent=share.agent, model=share.model, used=used_part(share.usage))


def _waited_rows(before: StoryState, after: StoryState) -> Iterable[WaitedRow]:
    """The waits that have started or ended."""
    if before.rate_limit.waited is after.rate_limit.waited:
        return
    for number, wait in enumerate(after.rate_limit.waited, start=1):
        if before.rate_limit.waited[number - 1 : number] != (wait,):
            yield WaitedRow(
                run=after.given.run,
                story=after.given.story.id,
                number=number,
                awaited=wait.awaited,
                since=wait.since,
                until=wait.until,
            )


_NOT_THEIRS: Final = frozenset({FailureCause.CANCELLED, FailureCause.WORKSPACE})
"""Failures that say nothing about the profile that worked."""


def _profile_rows(before: StoryState, after: StoryState) -> Iterable[ProfileRow]:
    """A row for each role with a chosen profile, when the story starts and when its status changes."""
    if after.assignment is None or before.status is after.status:
        return
    for pick in after.given.picks:
        steps = [step for step in after.pipeline.steps if role_of(step.plan.agent, after.given.agents) == pick.role]
        yield ProfileRow(
            run=after.given.run,
            story=after.given.story.id,
            role=pick.role,
            profile=pick.profile,
            verdict=_verdict(after, pick, steps),
            cost_usd=_whole_cost(after, pick),
            started_at=after.started_at,
        )


def _whole_cost(story: StoryState, pick: Pick) -> float | None:
    """The cost of all starts of the story, or None if any part is unknown, because a partial sum would seem cheap."""
    used = dict(story.spending.roles).get(pick.role, NOTHING_USED)
    return None if used.unpriced else used.cost_usd


def _verdict(story: StoryState, pick: Pick, steps: Iterable[Step]) -> Verdict:
    """A story that landed only because another profile took over is a failure of the chosen profile; if another took
    over because of a rate limit, the result does not count.
    """
    if story.status is StoryStatus.IN_PROGRESS:
        return Verdict.OPEN
    own = {"", pick.profile}
    if any(step.profile not in own for step in steps):
        return Verdict.FAILED
    if story.outcome.cause in _NOT_THEIRS or any(step.assigned_profile not in own for step in steps):
        return Verdict.VOID
    return Verdict.VERIFIED if story.status is StoryStatus.COMPLETED else Verdict.FAILED
