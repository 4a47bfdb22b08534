"""A run and the allowances of its stories: claims, reservations, settlements, raised limits."""

from typing import Final

from shiftwork.domain.budget import reservations
from shiftwork.domain.budget.amounts import Claim
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.frame import in_progress
from shiftwork.domain.run.spending import usage_before_limit
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.spending import unreserved_usage
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.records import replace


def asked(run: RunState, fact: run_facts.AllowanceAsked) -> RunState | None:
    if run.plan is None:
        return None
    new = Claim(number=fact.number, kind=fact.kind, bounded=fact.bounded)
    return replace(
        run, spending=replace(run.spending, ledger=reservations.claimed(run.spending.ledger, fact.story, new))
    )


def reserved(run: RunState, fact: run_facts.AmountReserved) -> RunState | None:
    known = run.spending.ledger.claims.get(fact.story)
    if known is None or known.number != fact.number:
        return None
    return replace(
        run, spending=replace(run.spending, ledger=reservations.reserved(run.spending.ledger, fact.story, fact.amount))
    )


def shortage_reported(run: RunState, fact: run_facts.ShortageReported) -> RunState | None:
    known = run.spending.ledger.claims.get(fact.story)
    if known is None or known.number != fact.number:
        return None
    return replace(
        run,
        spending=replace(
            run.spending, ledger=reservations.claimed(run.spending.ledger, fact.story, replace(known, reported=True))
        ),
    )


def attempt_settled(run: RunState, fact: run_facts.AttemptSettled) -> RunState | None:
    if fact.number == unreserved_usage.UNCLAIMED:
        return None if run.plan is None else usage_before_limit.recorded(run, fact.story, fact.used or NOTHING_USED)
    held = run.spending.ledger.reserved.get(fact.story)
    if held is None or held.claim.number != fact.number:
        return None
    if fact.unused:
        return replace(
            run, spending=replace(run.spending, ledger=reservations.returned(run.spending.ledger, fact.story))
        )
    return replace(
        run, spending=replace(run.spending, ledger=reservations.settled(run.spending.ledger, fact.story, fact.used))
    )


def limits_raised(run: RunState, fact: run_facts.LimitsRaised) -> RunState | None:
    return None if run.plan is None else under(run, fact.limits)


def under(run: RunState, wanted: Limits) -> RunState:
    """The run with new limits. Refused claims are answered again. With a limit on tokens no claim is bounded, because
    an agent cannot stop at a number of tokens. A run that has ended keeps the limits for when it continues.
    """
    plan, ledger, known = run.given, run.spending.ledger, frozenset(in_progress(run))
    limits, first = plan.limits.raised(wanted), not plan.limits.run.is_set
    stops = limits.run.tokens is None
    restarted = {
        story: replace(claim, reported=False, bounded=claim.bounded and stops) for story, claim in ledger.claims.items()
    }
    return replace(
        run,
        plan=replace(plan, limits=limits),
        spending=replace(
            run.spending,
            ledger=replace(ledger, claims=restarted),
            raises=run.spending.raises + 1,
            unaware=known,
            owing=known if first and limits.run.is_set else run.spending.owing,
        ),
    )


def limits_forwarded(run: RunState, fact: run_facts.LimitsForwarded) -> RunState | None:
    return replace(run, spending=replace(run.spending, unaware=run.spending.unaware - {fact.story}))


RUN_HANDLERS: Final[Handlers[RunState, RunState | None]] = handlers(
    on(run_facts.AllowanceAsked, asked),
    on(run_facts.AmountReserved, reserved),
    on(run_facts.ShortageReported, shortage_reported),
    on(run_facts.AttemptSettled, attempt_settled),
    on(run_facts.LimitsRaised, limits_raised),
    on(run_facts.LimitsForwarded, limits_forwarded),
)
