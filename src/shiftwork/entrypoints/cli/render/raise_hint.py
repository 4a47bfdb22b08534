"""The command that raises a limit for a waiting story. Separate from `limit_rules`, which is slow to import."""

import math
from collections.abc import Iterator
from typing import Final

from shiftwork.domain.budget.amounts import Reached, Whose
from shiftwork.records import dataclass

_OPTIONS: Final = {Whose.RUN: "--max-", Whose.STORY: "--max-story-", Whose.STEP: "--max-step-"}
_DIGITS: Final = 6
"""Decimal places; smaller remainders of floating-point sums are no money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A limit that was reached, by the option that raises it: what was spent of it, including estimates."""

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
    if limit.sessions is not None:
        yield Bar(option=f"{whose}sessions", limit=limit.sessions, spent=spent.sessions or 0, needed=1)


def figure(option: str, amount: float) -> str:
    """The value to type: whole dollars, or a number of tokens or sessions."""
    if option.endswith("sessions"):
        return f"{max(amount, 1):.0f}"
    return f"{max(amount, 1000):.0f}" if option.endswith("tokens") else str(math.ceil(max(round(amount, _DIGITS), 1.0)))


def command(run: str, reached: Reached | None) -> str:
    """The command with twice the amount used, and never less than the present limit. If the limit is unknown, because
    the story has waited since before it was recorded, the command lists the options that raise one.
    """
    if reached is None:
        return f"shiftwork resume {run} --help"
    higher = (f"{bar.option} {figure(bar.option, _higher(bar))}" for bar in bars(reached))
    return " ".join((f"shiftwork resume {run}", *higher))


def _higher(bar: Bar) -> float:
    return max(2 * bar.spent, 2 * bar.limit, bar.spent + bar.needed)
