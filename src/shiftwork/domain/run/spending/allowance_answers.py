"""How a run answers the claims of its stories on its budget."""

from shiftwork.domain.budget.amounts import Amount, Claim, Ledger
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.budget.reservations import HEADROOM, dropped, left, reached_by_run, reservation, shortage
from shiftwork.domain.core.decision import Effects
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run.state import RunState
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import replace


def paid(run: RunState, story: StoryId, before: Usage, now: Usage) -> RunState:
    """Records the total usage of an ended story, which includes its usage before a retry."""
    unpriced = run.totals.unpriced - before.unpriced + now.unpriced
    estimated = run.totals.estimated or now.estimated
    message = replace(
        run,
        spending=replace(run.spending, ledger=dropped(run.spending.ledger, story)),
        totals=replace(run.totals, unpriced=unpriced, estimated=estimated),
    )
    if now.cost_usd is None:
        return message
    return replace(
        message,
        totals=replace(message.totals, spent=(run.totals.spent or 0.0) - (before.cost_usd or 0.0) + now.cost_usd),
    )


def answers(run: RunState) -> Effects:
    """Grants the first claim that can be met now; refuses the claims only when no amount is reserved any more."""
    limits, ledger = run.given.limits, run.spending.ledger
    for story, claim in ledger.claims.items():
        if amount := reservation(ledger, claim, limits):
            cap = _cap(ledger, claim, limits, amount)
            key = f"reserve/{story}/{claim.number}"
            return (run_effects.GrantAllowance(key=key, story=story, number=claim.number, amount=amount, cap=cap),)
    if ledger.reserved:
        return ()
    unreported = ((story, claim) for story, claim in ledger.claims.items() if not claim.reported)
    return tuple(
        run_effects.RefuseAllowance(
            key=f"shortage/{story}/{claim.number}/{run.spending.raises}",
            story=story,
            number=claim.number,
            detail=shortage(ledger, claim, limits),
            reached=reached_by_run(ledger, claim, limits),
        )
        for story, claim in unreported
    )


def _cap(ledger: Ledger, claim: Claim, limits: Limits, amount: Amount) -> float | None:
    """An agent that gets all the remaining money may use all of it: no other story has a share."""
    if not claim.bounded or limits.run.usd is None:
        return None
    rest = left(ledger, limits.run).usd
    return amount.usd if amount.usd == rest else amount.usd * HEADROOM
