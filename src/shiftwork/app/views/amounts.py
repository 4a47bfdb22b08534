"""Formats amounts for people and programs: unknown amounts are shown as unknown in every view."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from shiftwork.domain.agents.idle_time import Idle, worked_seconds
from shiftwork.domain.budget.amounts import Budget, Reached, Whose, counted
from shiftwork.domain.usage.forecast import Band
from shiftwork.domain.usage.totals import by_agent, by_model, dollars, verdict
from shiftwork.domain.usage.usage import Share, Usage
from shiftwork.ports.views import AttemptRow, SpentRow, StepRow, StoryRow

_THOUSAND: Final = 1000
_ABOUT: Final = "≈"
_AT_LEAST: Final = "≥"
_REPORT_SECONDS: Final = 0.05

LEGEND: Final = {
    _ABOUT: "from the prices of its model: the agent reported no cost",
    _AT_LEAST: "at least: cost or tokens of some attempts unknown",
}
"""The meanings of the marks in short forms."""


type Limited = tuple[Budget, Budget, Budget]
"""The limits of a run, of each story and of each step."""


def usage_of(row: StoryRow | StepRow | SpentRow | AttemptRow) -> Usage:
    used = row.used
    return Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost_usd=used.cost_usd,
        estimated=bool(used.estimated),
        cached_tokens=used.cached_tokens,
        attempts=used.tries,
        unpriced=used.unpriced,
        uncounted=used.uncounted,
    )


def reached_of(row: StoryRow) -> Reached | None:
    """Returns the limit that a story waits at; None if it does not, or if that is unknown."""
    limit = row.limit
    if not limit.whose:
        return None
    return Reached(
        whose=Whose(limit.whose),
        limit=Budget(usd=limit.usd, tokens=limit.tokens, sessions=limit.sessions),
        spent=Budget(usd=limit.spent_usd, tokens=limit.spent_tokens, sessions=limit.spent_sessions),
        needed=Budget(usd=limit.needed_usd, tokens=limit.needed_tokens),
    )


# For programs ----------------------------------------------------------------------------------------------------


def plain(used: Usage) -> dict[str, Any]:
    """Unknown values are null. If some attempts are unknown, the value is a lower bound."""
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
    """The usage of each profile and of each model; the name of an unknown model is null."""
    return {
        "agents": [{"agent": agent, **plain(used)} for agent, used in by_agent(shares).items()],
        "models": [{"model": model or None, **plain(used)} for model, used in by_model(shares).items()],
    }


def estimate(forecast: Band | None, used: Usage, *, over: bool) -> dict[str, Any] | None:
    """The estimated cost, and how the actual cost compares; None if there was no estimate."""
    if forecast is None:
        return None
    low, high, known = forecast.low_usd, forecast.high_usd, forecast.known
    return {"low_usd": low, "high_usd": high, "known": known, "verdict": verdict(forecast, used, over=over).value}


def waits(lost: Idle) -> dict[str, Any]:
    """Returns the idle parts of a duration, in seconds."""
    return {"waited_for_you": lost.person, "waited_for_limits": lost.limit}


# For people ------------------------------------------------------------------------------------------------------


def money(usd: float | None) -> str:
    """An unknown cost is never shown as zero."""
    return "unknown" if usd is None else f"{dollars(usd)} USD"


def is_known(used: Usage) -> bool:
    """Whether any amount is known; if none is, views say so only once."""
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
    message = f"{used.input_tokens:,} in{cached}, {used.output_tokens:,} out"
    return f"at least {message}, {_unknown(used.uncounted)}" if used.uncounted else message


def _unknown(attempts: int) -> str:
    return f"{attempts} attempt{'' if attempts == 1 else 's'} unknown"


def limited(limits: Limited) -> str:
    """Returns an empty text if there is no limit."""
    named = zip(("for the run", "for each story", "for each step"), limits, strict=True)
    return "; ".join(f"{_bound(budget)} {whose}" for whose, budget in named if budget.is_set)


def _bound(budget: Budget) -> str:
    paid = "" if budget.usd is None else money(budget.usd)
    tokens = "" if budget.tokens is None else f"{budget.tokens:,} tokens"
    sessions = "" if budget.sessions is None else counted(budget.sessions)
    return " and ".join(filter(None, (paid, tokens, sessions)))


def duration(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if seconds < 9.95:
        return f"{max(seconds, 0):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def worked(began: float, ended: float, lost: Idle, spell: Callable[[float], str]) -> str:
    """How long there was work between two moments."""
    return spell(worked_seconds(began, ended, lost))


def waiting(lost: Idle, spell: Callable[[float], str]) -> str:
    """Returns a suffix for the working time of a run: how long it was idle beside that, with no story in work. Empty if
    that is negligible.
    """
    return _beside(lost, spell, ("and", "when all work waited"))


def waiting_of_story(lost: Idle, spell: Callable[[float], str]) -> str:
    """Returns a suffix for the working time of a story: how long it waited, while others may have been worked on."""
    return _beside(lost, spell, ("and", "waiting"))


def _beside(lost: Idle, spell: Callable[[float], str], words: tuple[str, str]) -> str:
    parts = ((lost.person, "for you"), (lost.limit, "for a rate limit"))
    first, *others = [(spell(seconds), whom) for seconds, whom in parts if seconds >= _REPORT_SECONDS] or [("", "")]
    rest = "".join(f", {time} {whom}" for time, whom in others)
    return f" ({words[0]} {first[0]} {words[1]} {first[1]}{rest})" if first[0] else ""


def brief_cost(used: Usage) -> str:
    """For a cell of a table; `LEGEND` explains the marks."""
    if not used.attempts or used.cost_usd is None:
        return cost(used)
    marks = (_AT_LEAST if used.unpriced else "", _ABOUT if used.estimated else "", money(used.cost_usd))
    return " ".join(filter(None, marks))


def brief_tokens(used: Usage) -> str:
    """Input and output tokens, for a cell of a table."""
    if used.uncounted >= used.attempts:
        return tokens(used)
    return f"{f'{_AT_LEAST} ' if used.uncounted else ''}{brief(used.input_tokens)}/{brief(used.output_tokens)}"


def brief_total(used: Usage) -> str:
    if used.uncounted >= used.attempts:
        return tokens(used)
    return f"{f'{_AT_LEAST} ' if used.uncounted else ''}{brief(used.input_tokens + used.output_tokens)}"


def brief(count: int) -> str:
    """Formats a count as three digits and a unit letter."""
    scaled, unit = float(count), ""
    for larger in ("k", "M", "G"):
        if scaled < _THOUSAND:
            break
        scaled, unit = scaled / _THOUSAND, larger
    if not unit:
        return str(count)
    return f"{scaled:.{2 if scaled < 10 else 1 if scaled < 100 else 0}f}{unit}"


def band(forecast: Band) -> str:
    stories = f"{forecast.known} earlier stor{'y' if forecast.known == 1 else 'ies'}"
    return f"{span(forecast)} (from {stories})"


def span(forecast: Band) -> str:
    """The lowest and the highest amount; a single amount if both look the same."""
    low, high = dollars(forecast.low_usd), dollars(forecast.high_usd)
    return f"about {low} USD" if low == high else f"{low} to {high} USD"
