"""Money, tokens and sessions of a run: reserved before an attempt starts, settled when it has ended.

At the moment of a reservation, what is spent plus what is reserved never exceeds the limit. Of attempts that cannot be
stopped, only one runs at a time. An attempt whose agent has a cost cap may exceed its reservation by an answer of its
model; it starts beside others only where that amount is free for each of them but one. So spending exceeds the limit by
at most the overrun of a single attempt. Every attempt is one session, so a limit on sessions is never exceeded.
"""

from collections.abc import Mapping
from typing import Final

from shiftwork.domain.budget.amounts import Amount, Budget, Claim, Ledger, Reached, Reservation, Whose, counted
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.totals import dollars, one_attempt
from shiftwork.domain.usage.usage import Usage
from shiftwork.records import replace

MARGIN: Final = 1.5
"""Reserves more than the most expensive attempt of its kind used, so that a slightly more expensive attempt is not
stopped.
"""

HEADROOM: Final = 0.8
"""An agent checks its costs after each answer of its model: with the cap here, it stops before its full reservation."""

OVERRUN: Final = 1.0
"""What an agent with a cap may use beyond its reservation, as a fraction of it, because an answer was in progress."""

_CENT: Final = 0.005
"""Smaller amounts are not shown."""

_DUST: Final = 1e-6
"""Smaller amounts are rounding errors, and no agent can be capped at them."""


def tokens_of(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def used_by(usage: Usage) -> Amount:
    """The known usage as an amount; every attempt is a session."""
    return Amount(usd=usage.cost_usd or 0.0, tokens=tokens_of(usage), sessions=usage.attempts)


def exhausted(budget: Budget, usage: Usage) -> Budget:
    """The bounds that are reached."""
    money = budget.usd is not None and (usage.cost_usd or 0.0) > budget.usd - _DUST
    tokens = budget.tokens is not None and tokens_of(usage) >= budget.tokens
    sessions = budget.sessions is not None and usage.attempts >= budget.sessions
    return Budget(
        usd=budget.usd if money else None,
        tokens=budget.tokens if tokens else None,
        sessions=budget.sessions if sessions else None,
    )


def spent_of(budget: Budget, usage: Usage) -> str:
    """What was used of the limit; with "at least" where the usage of some attempts is unknown."""
    least = "at least " if usage.unpriced else ""
    money = f"{least}{dollars(usage.cost_usd or 0.0)} of {dollars(budget.usd)} USD" if budget.usd is not None else ""
    least = "at least " if usage.uncounted else ""
    tokens = f"{least}{tokens_of(usage)} of {budget.tokens} tokens" if budget.tokens is not None else ""
    sessions = f"{usage.attempts} of {counted(budget.sessions)}" if budget.sessions is not None else ""
    return " and ".join(filter(None, (money, tokens, sessions)))


# The ledger ----------------------------------------------------------------------------------------------------


def committed(ledger: Ledger) -> Amount:
    """What is spent or reserved. Reservations of older releases name no session, but each is for one."""
    return sum((replace(item.amount, sessions=1) for item in ledger.reserved.values()), ledger.spent)


def left(ledger: Ledger, limit: Budget) -> Budget:
    """What can still be reserved."""
    used = committed(ledger)
    return Budget(
        usd=None if limit.usd is None else limit.usd - used.usd,
        tokens=None if limit.tokens is None else limit.tokens - used.tokens,
        sessions=None if limit.sessions is None else limit.sessions - used.sessions,
    )


def needed(ledger: Ledger, claim: Claim, limits: Limits) -> Amount:
    """What an attempt of this kind may use, from what the run has seen."""
    known, first = ledger.dearest.get(claim.kind, Amount()), limits.attempt
    return Amount(
        usd=known.usd * MARGIN if known.usd else first.usd,
        tokens=int(known.tokens * MARGIN) if known.tokens else first.tokens,
        sessions=1,
    )


def possible_excess(limits: Limits, *, bounded: bool) -> tuple[float, float] | None:
    """The smallest limit in US dollars that is below what the first attempt may need, and by about how much that
    attempt may pass it: by an answer if its agent is `bounded`, otherwise by all that it may need. None without one.
    """
    set_limits = [budget.usd for budget in (limits.run, limits.story, limits.step) if budget.usd is not None]
    least = min(set_limits, default=None)
    if least is None or least >= limits.attempt.usd:
        return None
    return least, OVERRUN * least if bounded else limits.attempt.usd - least


def reservation(ledger: Ledger, claim: Claim, limits: Limits) -> Amount | None:
    """What can be reserved for the claim now; None where it must wait. If nothing else is reserved, the remainder is
    enough where it covers the most expensive attempt of its kind, or where no such attempt was made yet.
    """
    alone = limits.run.is_metered and not claim.bounded
    if alone and not all(item.claim.bounded for item in ledger.reserved.values()):
        return None
    room, wanted = left(ledger, limits.run), needed(ledger, claim, limits)
    if _fits(wanted + _overruns(ledger, claim, wanted), room):
        return wanted
    least = ledger.dearest.get(claim.kind, Amount())
    if ledger.reserved or not _fits(least, room) or not _any(room):
        return None
    return Amount(
        usd=wanted.usd if room.usd is None else min(wanted.usd, room.usd),
        tokens=wanted.tokens if room.tokens is None else min(wanted.tokens, room.tokens),
        sessions=wanted.sessions,
    )


def _overruns(ledger: Ledger, claim: Claim, wanted: Amount) -> Amount:
    """What concurrent attempts might use beyond their reservations, without the largest overrun: that is by how much a
    limit may be exceeded. An agent cannot be capped in tokens, so token limits do not allow concurrent attempts.
    """
    together = [*ledger.reserved.values(), Reservation(claim=claim, amount=wanted)]
    lines = sorted(item.amount.usd * OVERRUN for item in together if item.claim.bounded)
    return Amount(usd=sum(lines if len(lines) < len(together) else lines[:-1]))


def _fits(amount: Amount, room: Budget) -> bool:
    metered = (room.usd is None or amount.usd <= room.usd) and (room.tokens is None or amount.tokens <= room.tokens)
    return metered and (room.sessions is None or amount.sessions <= room.sessions)


def _any(room: Budget) -> bool:
    metered = (room.usd is None or room.usd >= _DUST) and (room.tokens is None or room.tokens > 0)
    return metered and (room.sessions is None or room.sessions > 0)


def claimed(ledger: Ledger, story: StoryId, claim: Claim) -> Ledger:
    return replace(ledger, claims={**ledger.claims, story: claim})


def reserved(ledger: Ledger, story: StoryId, amount: Amount) -> Ledger:
    claims = dict(ledger.claims)
    held = Reservation(claim=claims.pop(story), amount=amount)
    return replace(ledger, claims=claims, reserved={**ledger.reserved, story: held})


def returned(ledger: Ledger, story: StoryId) -> Ledger:
    """Nothing was used, and nothing is learnt from it."""
    return replace(ledger, reserved={item: held for item, held in ledger.reserved.items() if item != story})


def settled(ledger: Ledger, story: StoryId, used: Usage | None) -> Ledger:
    """Unknown usage counts as the full reservation, never as nothing; or as the known part, where that is more."""
    rest = dict(ledger.reserved)
    held = rest.pop(story)
    reserved, usage = held.amount, one_attempt(used)
    known = used_by(usage)
    guess = Amount(
        usd=max(reserved.usd - known.usd, 0.0) if usage.unpriced else 0.0,
        tokens=max(reserved.tokens - known.tokens, 0) if usage.uncounted else 0,
    )
    spent = known + guess
    over = Amount(usd=spent.usd - reserved.usd, tokens=spent.tokens - reserved.tokens)
    return replace(
        ledger,
        spent=ledger.spent + spent,
        guessed=ledger.guessed + guess,
        reserved=rest,
        dearest=_learnt(ledger.dearest, held, _informative(known, reserved, usage)),
        overshoot=_most(over, ledger.overshoot),
    )


def _informative(known: Amount, reserved: Amount, usage: Usage) -> Amount:
    """Usage that is only partly known says nothing about the next attempt's need, unless it exceeds the reservation."""
    return Amount(
        usd=known.usd if not usage.unpriced or known.usd > reserved.usd else 0.0,
        tokens=known.tokens if not usage.uncounted or known.tokens > reserved.tokens else 0,
    )


def _learnt(dearest: Mapping[str, Amount], held: Reservation, known: Amount) -> Mapping[str, Amount]:
    """Learns from reported usage, never from an estimate. An attempt that reached its cap would have used more: the
    next gets twice the amount, because otherwise its work would be discarded again and again.
    """
    kind, share = held.claim.kind, held.amount
    if held.claim.bounded and known.usd >= share.usd * HEADROOM - _DUST:
        known = _most(known, Amount(usd=2 * share.usd / MARGIN))
    return {**dearest, kind: _most(known, dearest.get(kind, Amount()))}


def of_limited(limit: Budget, amount: Amount) -> Budget:
    """The part of an amount that a limit covers."""
    return Budget(
        usd=None if limit.usd is None else amount.usd,
        tokens=None if limit.tokens is None else amount.tokens,
        sessions=None if limit.sessions is None else amount.sessions,
    )


def overshoot(limit: Budget, reserved: Amount, used: Usage) -> Amount | None:
    """What an attempt used beyond its reservation, in limited units; None where it did not."""
    over = Amount(
        usd=0.0 if limit.usd is None else max((used.cost_usd or 0.0) - reserved.usd, 0.0),
        tokens=0 if limit.tokens is None else max(tokens_of(used) - reserved.tokens, 0),
    )
    return over if _passed(limit, over) else None


def _most(amount: Amount, other: Amount) -> Amount:
    return Amount(usd=max(amount.usd, other.usd), tokens=max(amount.tokens, other.tokens))


def dropped(ledger: Ledger, story: StoryId) -> Ledger:
    """The story has ended: its claim is removed, and its unused reservation is free again."""
    if story not in ledger.claims and story not in ledger.reserved:
        return ledger
    claims = {item: claim for item, claim in ledger.claims.items() if item != story}
    rest = {item: held for item, held in ledger.reserved.items() if item != story}
    return replace(ledger, claims=claims, reserved=rest)


# Limits that are reached ---------------------------------------------------------------------------------------


def shortage(ledger: Ledger, claim: Claim, limits: Limits) -> str:
    """What was spent of the limit, by how much an attempt exceeded its reservation, and what the next may need."""
    reached, over = reached_by_run(ledger, claim, limits), ledger.overshoot
    limit, spent = reached.limit, _as_usage(ledger.spent)
    guess = f" ({_amount(limit, ledger.guessed)} of it estimated)" if _passed(limit, ledger.guessed) else ""
    share = f", one attempt up to {_amount(limit, over)} more than was reserved for it"
    needs = f"; {claim.kind} may need {_amount(limit, needed(ledger, claim, limits))}"
    return (
        f"the run has spent {spent_of(limit, spent)}{guess}{share if _passed(limit, over) else ''}"
        f"{needs if reached.needed.is_set else ''}"
    )


def _as_usage(amount: Amount) -> Usage:
    return Usage(input_tokens=amount.tokens, cost_usd=amount.usd, attempts=amount.sessions)


def reached_by_run(ledger: Ledger, claim: Claim, limits: Limits) -> Reached:
    limit = _short(ledger, claim, limits)
    some = _any(left(ledger, limit)) and claim.kind in ledger.dearest
    return Reached(
        whose=Whose.RUN,
        limit=limit,
        spent=of_limited(limit, ledger.spent),
        needed=of_limited(limit, needed(ledger, claim, limits)) if some else Budget(),
    )


def _short(ledger: Ledger, claim: Claim, limits: Limits) -> Budget:
    """The run's bounds that are too low for the claim; all of them where none is the obstacle."""
    room, wanted, limit = left(ledger, limits.run), needed(ledger, claim, limits), limits.run
    short = Budget(
        usd=None if room.usd is None or wanted.usd <= room.usd else limit.usd,
        tokens=None if room.tokens is None or wanted.tokens <= room.tokens else limit.tokens,
        sessions=None if room.sessions is None or wanted.sessions <= room.sessions else limit.sessions,
    )
    return short if short.is_set else limit


def _passed(limit: Budget, over: Amount) -> bool:
    return (limit.usd is not None and over.usd >= _CENT) or (limit.tokens is not None and over.tokens > 0)


def _amount(limit: Budget, amount: Amount) -> str:
    money = f"{dollars(amount.usd)} USD" if limit.usd is not None else ""
    tokens = f"{amount.tokens} tokens" if limit.tokens is not None else ""
    sessions = counted(amount.sessions) if limit.sessions is not None else ""
    return " and ".join(filter(None, (money, tokens, sessions)))
