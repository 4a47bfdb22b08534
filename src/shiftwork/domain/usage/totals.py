"""What attempts have come to: the one place that sums and compares, for every view.

It knows of amounts alone, because looking at a run is to be quick.
"""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Final

from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.usage import NOTHING_USED, Share, Usage

_SMALL: Final = 0.01


def one_attempt(told: Usage | None) -> Usage:
    """What an attempt has told, counted as one. One that names a price but no tokens has not counted them, unless it
    cost nothing; and one that was ended before its last word may say itself that there was more.
    """
    used = told or NOTHING_USED
    silent = not (used.input_tokens or used.output_tokens) and used.cost_usd != 0
    unpriced, uncounted = used.unpriced or used.cost_usd is None, used.uncounted or silent
    return replace(used, attempts=1, unpriced=int(unpriced), uncounted=int(uncounted))


def dollars(usd: float) -> str:
    """A sum in figures, with as many digits as a small one needs to be seen."""
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
    return {one.agent: one.usage for one in merged(replace(share, model="") for share in shares)}


def by_model(shares: Iterable[Share]) -> dict[str, Usage]:
    """The name is empty for what nobody has told the model of."""
    return {one.model: one.usage for one in merged(replace(share, agent="") for share in shares)}


class Verdict(StrEnum):
    """Where a cost lies; it is `OPEN` where not all of it is known yet, and what is known is not too much already."""

    BELOW = "below"
    WITHIN = "within"
    ABOVE = "above"
    OPEN = "open"


def verdict(band: Band, used: Usage, *, over: bool) -> Verdict:
    """What nobody knows, or what is still to come, could be any amount, but no negative one."""
    cost = used.cost_usd or 0.0
    if cost > band.high_usd:
        return Verdict.ABOVE
    if not over or used.unpriced or used.cost_usd is None:
        return Verdict.OPEN
    return Verdict.BELOW if cost < band.low_usd else Verdict.WITHIN
