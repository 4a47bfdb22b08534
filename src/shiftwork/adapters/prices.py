"""What tokens cost: the prices of models, from a table that comes with this package and needs no network.

`just prices` writes the table from genai-prices; a test compares every price with what genai-prices calculates.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.domain.usage.usage import Usage
from shiftwork.regexes import regex

_TABLE: Final = Path(__file__).with_name("prices.json")
_MILLION: Final = 1_000_000
_COMPACT_DATE: Final = regex(r"-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")

type Table = Mapping[str, Any]


def price(model: str, usage: Usage) -> float | None:
    """Returns the cost in USD; None if the model's price is unknown. Input without cache counts is priced as uncached:
    rather too much than too little.
    """
    return price_at(model, usage, SystemClock().now())


def price_at(model: str, usage: Usage, at: float) -> float | None:
    """The same, at a time in seconds since the epoch: some prices begin on a date or depend on the time of day."""
    found = _found(model.lower())
    if found is None:
        return None
    charged = _charged(found["prices"], datetime.fromtimestamp(at, tz=UTC))
    cached = min(usage.cached_tokens, usage.input_tokens) if "cached" in charged else 0
    counted = {"input": usage.input_tokens - cached, "cached": cached, "output": usage.output_tokens}
    amounts = (_each(charged[name], usage.input_tokens) * counted[name] for name in counted if name in charged)
    return float(sum(amounts, Decimal(0)) / _MILLION)


def _found(model: str) -> Table | None:
    """The model of the first provider that knows such names; dates in a name may be written with dashes or without."""
    models = next((entry["models"] for entry in _providers() if _matches(entry["match"], model)), ())
    tried = ((entry, name) for name in (model, _with_dashes(model)) for entry in models)
    return next((entry for entry, name in tried if _matches(entry["match"], name)), None)


@cache
def _providers() -> Sequence[Table]:
    table = json.loads(_TABLE.read_text(encoding="utf-8"), parse_float=Decimal, parse_int=Decimal)
    providers: Sequence[Table] = table["providers"]
    return providers


def _matches(clause: Table, name: str) -> bool:
    ((kind, wanted),) = clause.items()
    return _CLAUSES[kind](wanted, name)


_CLAUSES: Final[Mapping[str, Callable[[Any, str], bool]]] = {
    "or": lambda clauses, name: any(_matches(clause, name) for clause in clauses),
    "and": lambda clauses, name: all(_matches(clause, name) for clause in clauses),
    "regex": lambda pattern, name: re.search(pattern, name) is not None,
    "starts_with": lambda text, name: name.startswith(text),
    "ends_with": lambda text, name: name.endswith(text),
    "contains": lambda text, name: text in name,
    "equals": lambda text, name: bool(name == text),
}


def _with_dashes(name: str) -> str:
    def dashed(found: re.Match[str]) -> str:
        try:
            return f"-{date(*map(int, found.groups()))}"
        except ValueError:  # there is no such day
            return found[0]

    return _COMPACT_DATE.sub(dashed, name)


def _charged(prices: Sequence[Table], now: datetime) -> Table:
    """The last of the prices that apply now, else the first."""
    return next((entry for entry in reversed(prices) if _applies(entry, now)), prices[0])


def _applies(entry: Table, now: datetime) -> bool:
    if "from" in entry:
        return now.date() >= date.fromisoformat(entry["from"])
    if "between" in entry:
        start, end = map(str, entry["between"])
        time = f"{now:%H:%M:%S}"
        return start <= time < end if start <= end else time >= start or time < end
    return True


def _each(amount: Any, read: int) -> Decimal:
    """The price of a million tokens; it may depend on how many tokens were read."""
    if isinstance(amount, Decimal):
        return amount
    steps = [each for start, each in amount if not start or read > start]
    price_above: Decimal = steps[-1]
    return price_above
