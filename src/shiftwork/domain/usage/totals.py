"""Totals of what attempts used: the single place that sums and compares, for every view.

It depends only on amounts, because views of a run must be fast.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage
from shiftwork.records import replace

_SMALL: Final = 0.01


def one_attempt(usage: Usage | None) -> Usage:
    """What an attempt reported, counted as one. An attempt that reports a price but no tokens counts as uncounted,
    unless it cost nothing. An attempt that was stopped early may itself report that it used more.
    """
    used = usage or NOTHING_USED
    silent = not (used.input_tokens or used.output_tokens) and used.cost_usd != 0
    unpriced, uncounted = used.unpriced or used.cost_usd is None, used.uncounted or silent
    return replace(used, attempts=1, unpriced=int(unpriced), uncounted=int(uncounted))


def dollars(usd: float) -> str:
    """The amount with as many digits as a small amount needs."""
    return f"{usd:.4f}" if 0 < usd < _SMALL else f"{usd:.2f}"


def total(parts: Iterable[Usage]) -> Usage:
    return sum(parts, start=NOTHING_USED)


def merged(shares: Iterable[Share]) -> tuple[Share, ...]:
    """One share for each profile and model, in the order in which they first worked."""
    found: dict[tuple[str, str], Usage] = {}
    for share in shares:
        known = found.get((share.agent, share.model), NOTHING_USED)
        found[share.agent, share.model] = known + share.usage
    return tuple(Share(agent=agent, model=model, usage=usage) for (agent, model), usage in found.items())


def by_agent(shares: Iterable[Share]) -> dict[str, Usage]:
    return {share.agent: share.usage for share in merged(replace(share, model="") for share in shares)}


def by_model(shares: Iterable[Share]) -> dict[str, Usage]:
    """The name is empty where the model is unknown."""
    return {share.model: share.usage for share in merged(replace(share, agent="") for share in shares)}


class Verdict(StrEnum):
    """Where a cost is relative to a band; `OPEN` where it is not fully known yet and not already too high."""

    BELOW = "below"
    WITHIN = "within"
    ABOVE = "above"
    OPEN = "open"


def verdict(band: Band, used: Usage, *, over: bool) -> Verdict:
    """Unknown and future costs may be any amount from zero. Amounts are compared as they are shown: 0.26 is not
    above 0.26.
    """
    digits = 2 if band.high_usd >= _SMALL else 4
    cost = round(used.cost_usd or 0.0, digits)
    if cost > round(band.high_usd, digits):
        return Verdict.ABOVE
    if not over or used.unpriced or used.cost_usd is None:
        return Verdict.OPEN
    return Verdict.BELOW if cost < round(band.low_usd, digits) else Verdict.WITHIN
