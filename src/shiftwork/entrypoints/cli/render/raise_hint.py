"""What to type so that a story that waits at a limit goes on. Apart from `limiting`, which takes long to load."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from shiftwork.domain.budget.amounts import Reached, Whose

_OPTIONS: Final = {Whose.RUN: "--max-", Whose.STORY: "--max-story-", Whose.STEP: "--max-step-"}
_DIGITS: Final = 6
"""After the point: what sums of fractions leave behind these is no money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bound that is in the way, by the option that raises it: what was spent of it, guesses included."""

    option: str
    limit: float
    spent: float
    needed: float


def bars(reached: Reached) -> Iterator[Bar]:
    whose, limit, spent, needed = _OPTIONS[reached.whose], reached.limit, reached.spent, reached.needed
    if limit.usd is not None:
        yield Bar(option=f"{whose}cost", limit=limit.usd, spent=spent.usd or 0.0, needed=needed.usd or 0.0)
    if limit.tokens is not None:
        yield Bar(option=f"{whose}tokens", limit=limit.tokens, spent=spent.tokens or 0, needed=needed.tokens or 0)


def figure(option: str, amount: float) -> str:
    """What to type: whole dollars, or so many tokens."""
    return f"{max(amount, 1000):.0f}" if option.endswith("tokens") else str(math.ceil(max(round(amount, _DIGITS), 1.0)))


def command(run: str, reached: Reached | None) -> str:
    """Twice what has been used, and never less than may be used now. Where nobody knows which limit it is, as of a
    story that has waited since before that was recorded, the options that raise one are listed.
    """
    if reached is None:
        return f"shiftwork resume {run} --help"
    higher = (f"{bar.option} {figure(bar.option, _higher(bar))}" for bar in bars(reached))
    return " ".join((f"shiftwork resume {run}", *higher))


def _higher(bar: Bar) -> float:
    return max(2 * bar.spent, 2 * bar.limit, bar.spent + bar.needed)
