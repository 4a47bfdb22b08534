"""The prices that come with the package are those that genai-prices calculates, whose table they are made from."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage as Counted
from genai_prices import calc_price
from genai_prices.data import providers

from shiftwork.adapters.prices import price, price_at
from shiftwork.domain.usage.usage import Usage

ROOT = Path(__file__).parents[2]
TIMES = [
    datetime(2024, 1, 1, tzinfo=UTC),
    datetime(2025, 3, 1, 2, tzinfo=UTC),
    datetime(2026, 6, 30, 8, tzinfo=UTC),
    datetime(2026, 11, 1, 16, 29, 59, tzinfo=UTC),
    datetime(2026, 11, 1, 16, 30, tzinfo=UTC),
    datetime(2030, 1, 1, 23, 59, tzinfo=UTC),
]
USAGES = [
    Usage(input_tokens=0, cached_tokens=0, output_tokens=0),
    Usage(input_tokens=1_003, cached_tokens=7, output_tokens=31),
    Usage(input_tokens=128_000, cached_tokens=127_000, output_tokens=3),
    Usage(input_tokens=2_000_001, cached_tokens=0, output_tokens=500_000),
]


def names(match: Any) -> Iterator[str]:
    """Names that a clause is about, and some that are almost such a name."""
    for kind, value in vars(match).items():
        if isinstance(value, list):
            for clause in value:
                yield from names(clause)
        elif kind == "regex":
            yield value.strip("^$").replace(r"\d{8}", "20260102").replace("\\", "")
        else:
            yield from (value, value.upper(), f"{value}-20260102", f"{value}-20260230", f"{value}-2026-01-02")


def named() -> Iterator[tuple[str, list[str], list[datetime]]]:
    """The id of each model of a provider that is found by names of models, its other names, and times of which each
    may have another price.
    """
    for provider in providers:
        for model in provider.models if provider.model_match else provider.models[:5]:
            times = TIMES if isinstance(model.prices, list) else TIMES[2:3]
            yield model.id, sorted({*names(model.match)} - {model.id}), times


def theirs(name: str, usage: Usage, at: datetime) -> float | None:
    counted = Counted(
        input_tokens=usage.input_tokens, cache_read_tokens=usage.cached_tokens, output_tokens=usage.output_tokens
    )
    try:
        return float(calc_price(counted, model_ref=name, genai_request_timestamp=at).total_price)
    except LookupError:
        return None


def test_every_model_costs_what_genai_prices_says() -> None:
    known = 0
    for model, others, times in named():
        for usage, at in product(USAGES, times):
            assert price_at(model, usage, at.timestamp()) == theirs(model, usage, at), (model, usage, at)
        for name in others:
            assert price_at(name, USAGES[1], TIMES[2].timestamp()) == theirs(name, USAGES[1], TIMES[2]), name
            known += price_at(name, USAGES[1], TIMES[2].timestamp()) is not None
    assert known > 1000


def test_more_cached_tokens_than_were_read_are_not_believed() -> None:
    every, more = (Usage(input_tokens=100, cached_tokens=cached, output_tokens=0) for cached in (100, 200))
    assert price("gpt-5", every) == price("gpt-5", more)


@pytest.mark.parametrize("name", ["", "no-such-model", "gpt-"])
def test_an_unknown_model_has_no_price(name: str) -> None:
    assert price(name, Usage(input_tokens=1)) is None


def test_the_table_is_the_one_of_the_pinned_genai_prices() -> None:
    command = [sys.executable, "scripts/prices.py", "--check"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
