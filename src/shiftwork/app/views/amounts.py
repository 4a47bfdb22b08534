"""How amounts are told, to people and to programs: what is not known is said to be unknown, in every view."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from shiftwork.domain.agents.idle_time import Idle
from shiftwork.domain.budget.amounts import Budget, Reached, Whose
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import by_agent, by_model, dollars, verdict
from shiftwork.domain.usage.usage import Share, Usage
from shiftwork.ports.views import SpentRow, StepRow, StoryRow

_THOUSAND: Final = 1000
_ABOUT: Final = "≈"
_AT_LEAST: Final = "≥"
_TOLD_SECONDS: Final = 0.05

LEGEND: Final = {
    _ABOUT: "by the prices of its model: the agent told no cost",
    _AT_LEAST: "at least: of some attempts nobody knows it",
}
"""What the marks of short forms mean."""


type Limited = tuple[Budget, Budget, Budget]
"""What a run, each of its stories and each of their steps may use."""


def usage_of(row: StoryRow | StepRow | SpentRow) -> Usage:
    return Usage(
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cost_usd=row.cost_usd,
        estimated=bool(row.estimated),
        cached_tokens=row.cached_tokens,
        attempts=row.tries,
        unpriced=row.unpriced,
        uncounted=row.uncounted,
    )


def reached_of(row: StoryRow) -> Reached | None:
    """The limit at which a story waits, where it does and that is known."""
    if not row.limit_of:
        return None
    return Reached(
        whose=Whose(row.limit_of),
        limit=Budget(usd=row.limit_usd, tokens=row.limit_tokens),
        spent=Budget(usd=row.limit_spent_usd, tokens=row.limit_spent_tokens),
        needed=Budget(usd=row.limit_needed_usd, tokens=row.limit_needed_tokens),
    )


# For programs ----------------------------------------------------------------------------------------------------


def plain(used: Usage) -> dict[str, Any]:
    """What is not known is null. Where it is not known of all attempts, what is told is the least it can be."""
    known = used.uncounted < used.attempts
    return {
        "tries": used.attempts,
        "cost_usd": used.cost_usd,
        "estimated": used.estimated,
        "unpriced": used.unpriced,
        "input_tokens": used.input_tokens if known else None,
        "cached_tokens": used.cached_tokens if known else None,
        "output_tokens": used.output_tokens if known else None,
        "uncounted": used.uncounted,
    }


def shared(shares: Sequence[Share]) -> dict[str, Any]:
    """What went to each profile and to each model, whose name is null where nobody has told it."""
    return {
        "agents": [{"agent": agent, **plain(used)} for agent, used in by_agent(shares).items()],
        "models": [{"model": model or None, **plain(used)} for model, used in by_model(shares).items()],
    }


def estimate(foreseen: Band | None, used: Usage, *, over: bool) -> dict[str, Any] | None:
    """What was foreseen, and where what it came to lies; nothing where there was no ground to foresee anything."""
    if foreseen is None:
        return None
    low, high, known = foreseen.low_usd, foreseen.high_usd, foreseen.known
    return {"low_usd": low, "high_usd": high, "known": known, "verdict": verdict(foreseen, used, over=over).value}


def bounds(limits: Limited) -> dict[str, Any]:
    """What is not limited is null."""
    named = zip(("run", "story", "step"), limits, strict=True)
    return {whose: {"usd": budget.usd, "tokens": budget.tokens} for whose, budget in named}


def waits(lost: Idle) -> dict[str, Any]:
    """In seconds, of the time that something took."""
    return {"waited_for_you": lost.person, "waited_for_limits": lost.limit}


# For people ------------------------------------------------------------------------------------------------------


def money(usd: float | None) -> str:
    """An unknown cost is unknown, and never nothing."""
    return "unknown" if usd is None else f"{dollars(usd)} USD"


def is_known(used: Usage) -> bool:
    """Whether there is any amount to tell of; where there is none, to say so once is enough."""
    return used.cost_usd is not None or used.uncounted < used.attempts


def cost(used: Usage) -> str:
    if not used.attempts or used.cost_usd is None:
        return "unknown" if used.attempts else "-"
    about = f"{_ABOUT} {money(used.cost_usd)}" if used.estimated else money(used.cost_usd)
    return f"at least {about}, {_unknown(used.unpriced)}" if used.unpriced else about


def tokens(used: Usage) -> str:
    if used.uncounted >= used.attempts:
        return "unknown" if used.attempts else "-"
    cached = f" ({used.cached_tokens:,} cached)" if used.cached_tokens else ""
    told = f"{used.input_tokens:,} in{cached}, {used.output_tokens:,} out"
    return f"at least {told}, {_unknown(used.uncounted)}" if used.uncounted else told


def _unknown(attempts: int) -> str:
    return f"{attempts} attempt{'' if attempts == 1 else 's'} unknown"


def limited(limits: Limited) -> str:
    """Empty where nothing is limited."""
    named = zip(("for the run", "for each story", "for each step"), limits, strict=True)
    return "; ".join(f"{_bound(budget)} {whose}" for whose, budget in named if budget.is_set)


def _bound(budget: Budget) -> str:
    paid = "" if budget.usd is None else money(budget.usd)
    counted = "" if budget.tokens is None else f"{budget.tokens:,} tokens"
    return " and ".join(filter(None, (paid, counted)))


def waiting(lost: Idle, spell: Callable[[float], str]) -> str:
    """To be said behind what something took: how much of it was only waiting. Nothing where that is next to nothing."""
    parts = ((lost.person, "for you"), (lost.limit, "for the end of a limit"))
    first, *others = [(spell(seconds), whom) for seconds, whom in parts if seconds >= _TOLD_SECONDS] or [("", "")]
    rest = "".join(f", {time} {whom}" for time, whom in others)
    return f" (of it {first[0]} waiting {first[1]}{rest})" if first[0] else ""


def brief_cost(used: Usage) -> str:
    """For a cell of a table; `LEGEND` explains the marks."""
    if not used.attempts or used.cost_usd is None:
        return cost(used)
    marks = (_AT_LEAST if used.unpriced else "", _ABOUT if used.estimated else "", money(used.cost_usd))
    return " ".join(filter(None, marks))


def brief_tokens(used: Usage) -> str:
    """What went in and came out, for a cell of a table."""
    if used.uncounted >= used.attempts:
        return tokens(used)
    return f"{f'{_AT_LEAST} ' if used.uncounted else ''}{brief(used.input_tokens)}/{brief(used.output_tokens)}"


def brief_total(used: Usage) -> str:
    if used.uncounted >= used.attempts:
        return tokens(used)
    return f"{f'{_AT_LEAST} ' if used.uncounted else ''}{brief(used.input_tokens + used.output_tokens)}"


def brief(count: int) -> str:
    """Three digits and a letter."""
    scaled, unit = float(count), ""
    for larger in ("k", "M", "G"):
        if scaled < _THOUSAND:
            break
        scaled, unit = scaled / _THOUSAND, larger
    if not unit:
        return str(count)
    return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 100 else 0}f}{unit}"


def band(foreseen: Band) -> str:
    stories = f"{foreseen.known} stor{'y' if foreseen.known == 1 else 'ies'}"
    return f"{span(foreseen)}, judging by {stories} before"


def span(foreseen: Band) -> str:
    """From the least to the most; where both look the same, it is told once."""
    low, high = dollars(foreseen.low_usd), dollars(foreseen.high_usd)
    return f"about {low} USD" if low == high else f"{low} to {high} USD"
