"""Writes the table of prices that comes with the package, from genai-prices (MIT), which is needed for nothing else.

Only what the product asks for: the models that can be found by their name alone, and what they charge for tokens read,
tokens read from a cache and tokens written.
"""

import importlib.metadata
import json
import sys
from collections.abc import Iterator
from datetime import time
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from genai_prices import types
from genai_prices.data import providers

TARGET: Final = Path(__file__).parents[1] / "src/shiftwork/adapters/prices.json"
COUNTED: Final = {"input": "input_mtok", "cached": "cache_read_mtok", "output": "output_mtok"}


def table() -> dict[str, Any]:
    distribution = importlib.metadata.distribution("genai-prices")
    return {
        "source": f"{distribution.name} {distribution.version}, https://github.com/pydantic/genai-prices",
        "license": "MIT, Copyright (c) Pydantic Services Inc. 2025 to present",
        "unit": "USD for a million tokens",
        "providers": [
            {"match": clause(provider.model_match), "models": [model(item) for item in offered(provider)]}
            for provider in providers
            if provider.model_match is not None
        ],
    }


def offered(provider: types.Provider) -> Iterator[types.ModelInfo]:
    """The models of a provider, then those of the providers whose models it offers, too."""
    yield from provider.models
    for name in provider.fallback_model_providers or ():
        yield from next(other.models for other in providers if other.id == name)


def model(item: types.ModelInfo) -> dict[str, Any]:
    conditional = item.prices if isinstance(item.prices, list) else [types.ConditionalPrice(prices=item.prices)]
    return {"match": clause(item.match), "prices": [price(entry) for entry in conditional]}


def price(entry: types.ConditionalPrice) -> dict[str, Any]:
    charged = {name: amount(entry.prices.__dict__.get(key)) for name, key in COUNTED.items()}
    return condition(entry.constraint) | {name: value for name, value in charged.items() if value is not None}


def condition(constraint: object) -> dict[str, Any]:
    match constraint:
        case types.StartDateConstraint():
            return {"from": constraint.start_date.isoformat()}
        case types.TimeOfDateConstraint():
            return {"between": [in_utc(moment) for moment in (constraint.start_time, constraint.end_time)]}
        case _:
            return {}


def in_utc(moment: time) -> str:
    if moment.utcoffset():
        raise ValueError(f"{moment} is not a time in UTC")
    return f"{moment:%H:%M:%S}"


def amount(value: object) -> Any:
    """One price, or the price of few tokens and those above each number of tokens read."""
    match value:
        case types.TieredPrices():
            return [[0, number(value.base)], *([tier.start, number(tier.price)] for tier in value.tiers)]
        case Decimal():
            return number(value)
        case _:
            return None


def number(value: Decimal) -> float | int:
    short = float(value)
    if Decimal(str(short)) != value:
        raise ValueError(f"{value} has too many digits")
    return int(short) if short.is_integer() else short


def clause(match: Any) -> dict[str, Any]:
    """As the table of genai-prices has it; texts in small letters, because names are compared so."""
    ((name, value),) = vars(match).items()
    if isinstance(value, list):
        return {name.rstrip("_"): [clause(item) for item in value]}
    return {name: value if name == "regex" else value.lower()}


def main() -> int:
    text = json.dumps(table(), separators=(",", ":")).replace('{"match":', '\n{"match":') + "\n"
    if "--check" not in sys.argv:
        TARGET.write_text(text)
    elif TARGET.read_text() != text:
        print(f"{TARGET.name} is not what genai-prices says: just prices")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
