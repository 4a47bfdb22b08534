"""Money and tokens of a run: set aside before an attempt begins, settled when it has ended.

What is spent and what is set aside together never pass the limit when something is set aside. An attempt that nothing
stops runs while no other such one does. One whose agent can be told to stop may pass what was set aside for it by an
answer of its model: beside others it begins only where that is free for each of them but one. So spending passes the
limit by at most what a single attempt used beyond its reservation.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from shiftwork.domain.budget.amounts import Amount, Budget, Claim, Ledger, Reached, Reservation, Whose
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.usage.totals import dollars, one_attempt
from shiftwork.domain.usage.usage import Usage

MARGIN: Final = 1.5
"""More than the dearest attempt of its kind is set aside: one that is a little dearer is not to be cut short."""

HEADROOM: Final = 0.8
"""An agent looks at its costs after each answer of its model: told to stop here, it has stopped by its reservation."""

OVERRUN: Final = 1.0
"""What an agent that was told to stop may use beyond its reservation, as a part of it: an answer was under way."""

_CENT: Final = 0.005
"""Less than this is not shown."""

_DUST: Final = 1e-6
"""Less than this is what sums of fractions leave, and no agent can be told to keep to it."""


def tokens_of(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def exhausted(budget: Budget, usage: Usage) -> Budget:
    """Those of its bounds that are reached."""
    money = budget.usd is not None and (usage.cost_usd or 0.0) > budget.usd - _DUST
    tokens = budget.tokens is not None and tokens_of(usage) >= budget.tokens
    return Budget(usd=budget.usd if money else None, tokens=budget.tokens if tokens else None)


def told(budget: Budget, usage: Usage) -> str:
    """What was used of what there was; where nobody could tell it of some attempts, the least that it was."""
    least = "at least " if usage.unpriced else ""
    money = f"{least}{dollars(usage.cost_usd or 0.0)} of {dollars(budget.usd)} USD" if budget.usd is not None else ""
    least = "at least " if usage.uncounted else ""
    tokens = f"{least}{tokens_of(usage)} of {budget.tokens} tokens" if budget.tokens is not None else ""
    return " and ".join(filter(None, (money, tokens)))


# The books -----------------------------------------------------------------------------------------------------


def committed(ledger: Ledger) -> Amount:
    """What is spent or set aside."""
    return sum((one.amount for one in ledger.reserved.values()), ledger.spent)


def left(ledger: Ledger, limit: Budget) -> Budget:
    """What could still be set aside."""
    used = committed(ledger)
    return Budget(
        usd=None if limit.usd is None else limit.usd - used.usd,
        tokens=None if limit.tokens is None else limit.tokens - used.tokens,
    )


def needed(ledger: Ledger, claim: Claim, limits: Limits) -> Amount:
    """What an attempt of the kind may use, as far as the run has seen such ones."""
    known, first = ledger.dearest.get(claim.kind, Amount()), limits.attempt
    return Amount(
        usd=known.usd * MARGIN if known.usd else first.usd,
        tokens=int(known.tokens * MARGIN) if known.tokens else first.tokens,
    )


def reservation(ledger: Ledger, claim: Claim, limits: Limits) -> Amount | None:
    """What can be set aside for the claim now. With nobody else at work, the rest is enough where it pays for the
    dearest attempt of its kind, or where no such attempt was ever made.
    """
    if not claim.bounded and not all(one.claim.bounded for one in ledger.reserved.values()):
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
    )


def _overruns(ledger: Ledger, claim: Claim, wanted: Amount) -> Amount:
    """What attempts at work together might use beyond their shares, the one that may go furthest left out: that one's
    overrun is what a limit may be passed by. Of tokens nobody can be told, so these are never used side by side.
    """
    together = [*ledger.reserved.values(), Reservation(claim=claim, amount=wanted)]
    told = sorted(one.amount.usd * OVERRUN for one in together if one.claim.bounded)
    return Amount(usd=sum(told if len(told) < len(together) else told[:-1]))


def _fits(amount: Amount, room: Budget) -> bool:
    return (room.usd is None or amount.usd <= room.usd) and (room.tokens is None or amount.tokens <= room.tokens)


def _any(room: Budget) -> bool:
    return (room.usd is None or room.usd >= _DUST) and (room.tokens is None or room.tokens > 0)


def claimed(ledger: Ledger, story: StoryId, claim: Claim) -> Ledger:
    return replace(ledger, claims={**ledger.claims, story: claim})


def reserved(ledger: Ledger, story: StoryId, amount: Amount) -> Ledger:
    claims = dict(ledger.claims)
    held = Reservation(claim=claims.pop(story), amount=amount)
    return replace(ledger, claims=claims, reserved={**ledger.reserved, story: held})


def returned(ledger: Ledger, story: StoryId) -> Ledger:
    """Nothing was used, and nothing is learnt by that."""
    return replace(ledger, reserved={one: held for one, held in ledger.reserved.items() if one != story})


def settled(ledger: Ledger, story: StoryId, used: Usage | None) -> Ledger:
    """What nobody can tell is counted as all that was set aside, and never as nothing; or as what is known of it, where
    that is more.
    """
    rest = dict(ledger.reserved)
    held = rest.pop(story)
    aside, usage = held.amount, one_attempt(used)
    known = Amount(usd=usage.cost_usd or 0.0, tokens=tokens_of(usage))
    guess = Amount(
        usd=max(aside.usd - known.usd, 0.0) if usage.unpriced else 0.0,
        tokens=max(aside.tokens - known.tokens, 0) if usage.uncounted else 0,
    )
    spent = known + guess
    over = Amount(usd=spent.usd - aside.usd, tokens=spent.tokens - aside.tokens)
    return replace(
        ledger,
        spent=ledger.spent + spent,
        guessed=ledger.guessed + guess,
        reserved=rest,
        dearest=_learnt(ledger.dearest, held, _telling(known, aside, usage)),
        overshoot=_most(over, ledger.overshoot),
    )


def _telling(known: Amount, aside: Amount, usage: Usage) -> Amount:
    """What is known only in part says nothing of what the next one needs, unless that is more than was set aside."""
    return Amount(
        usd=known.usd if not usage.unpriced or known.usd > aside.usd else 0.0,
        tokens=known.tokens if not usage.uncounted or known.tokens > aside.tokens else 0,
    )


def _learnt(dearest: Mapping[str, Amount], held: Reservation, known: Amount) -> Mapping[str, Amount]:
    """From what was told, and never from a guess. One that came as far as its agent may go would have gone further:
    what comes next has twice the room, or its work would be thrown away again and again.
    """
    kind, share = held.claim.kind, held.amount
    if held.claim.bounded and known.usd >= share.usd * HEADROOM - _DUST:
        known = _most(known, Amount(usd=2 * share.usd / MARGIN))
    return {**dearest, kind: _most(known, dearest.get(kind, Amount()))}


def of_limited(limit: Budget, amount: Amount) -> Budget:
    """The part of an amount that a limit is about."""
    return Budget(
        usd=None if limit.usd is None else amount.usd,
        tokens=None if limit.tokens is None else amount.tokens,
    )


def overshoot(limit: Budget, aside: Amount, used: Usage) -> Amount | None:
    """What an attempt has used beyond what was set aside for it, of what is limited; None where it has not."""
    over = Amount(
        usd=0.0 if limit.usd is None else max((used.cost_usd or 0.0) - aside.usd, 0.0),
        tokens=0 if limit.tokens is None else max(tokens_of(used) - aside.tokens, 0),
    )
    return over if _passed(limit, over) else None


def _most(one: Amount, other: Amount) -> Amount:
    return Amount(usd=max(one.usd, other.usd), tokens=max(one.tokens, other.tokens))


def dropped(ledger: Ledger, story: StoryId) -> Ledger:
    """The story has ended: it claims nothing more, and what was set aside for it and not begun with is free again."""
    if story not in ledger.claims and story not in ledger.reserved:
        return ledger
    claims = {one: claim for one, claim in ledger.claims.items() if one != story}
    rest = {one: held for one, held in ledger.reserved.items() if one != story}
    return replace(ledger, claims=claims, reserved=rest)


# What the run does about claims --------------------------------------------------------------------------------


def shortage(ledger: Ledger, claim: Claim, limits: Limits) -> str:
    """What was spent of what, by how much an attempt went beyond its share, and what the next one may need."""
    reached, over = reached_by_run(ledger, claim, limits), ledger.overshoot
    limit, spent = reached.limit, Usage(input_tokens=ledger.spent.tokens, cost_usd=ledger.spent.usd)
    guess = f" ({_amount(limit, ledger.guessed)} of it guessed: nobody told)" if _passed(limit, ledger.guessed) else ""
    share = f", one attempt up to {_amount(limit, over)} more than was set aside for it"
    needs = f"; {claim.kind} may need {_amount(limit, needed(ledger, claim, limits))}"
    return (
        f"the run has spent {told(limit, spent)}{guess}{share if _passed(limit, over) else ''}"
        f"{needs if reached.needed.is_set else ''}"
    )


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
    """Those of the run's bounds for which there is not enough; all, where it is not these that are in the way."""
    room, wanted, limit = left(ledger, limits.run), needed(ledger, claim, limits), limits.run
    short = Budget(
        usd=None if room.usd is None or wanted.usd <= room.usd else limit.usd,
        tokens=None if room.tokens is None or wanted.tokens <= room.tokens else limit.tokens,
    )
    return short if short.is_set else limit


def _passed(limit: Budget, over: Amount) -> bool:
    return (limit.usd is not None and over.usd >= _CENT) or (limit.tokens is not None and over.tokens > 0)


def _amount(limit: Budget, amount: Amount) -> str:
    money = f"{dollars(amount.usd)} USD" if limit.usd is not None else ""
    tokens = f"{amount.tokens} tokens" if limit.tokens is not None else ""
    return " and ".join(filter(None, (money, tokens)))
