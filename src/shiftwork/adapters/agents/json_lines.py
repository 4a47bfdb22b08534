"""Reading what a program printed as JSON, line by line: whatever it is, nothing here raises."""

import json
import math
import signal
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from shiftwork.domain.usage.usage import Usage

type Json = Mapping[str, Any]

_DETAIL: Final = 2000
"""Characters of standard error that a report keeps: its end, where the reason stands."""

_SHELL_SIGNAL: Final = 128
"""Programs that end in order on a signal exit with this plus its number."""


def parse(line: bytes) -> Json:
    """The object on a line; empty for anything else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text(event: Json, key: str) -> str:
    value = event.get(key)
    return clean(value) if isinstance(value, str) else ""


def compact(value: object) -> str:
    """JSON on one line, sorted: the same call twice is the same text twice."""
    try:
        return clean(json.dumps(value, sort_keys=True, ensure_ascii=False))
    except RecursionError:
        return ""


def call_of(tool: str, given: object) -> str:
    """Stands for a tool call with all its input; empty where none is told."""
    return sha256(f"{tool} {compact(given)}".encode()).hexdigest()[:16] if given is not None else ""


def clean(said: str) -> str:
    """Without what JSON may spell and neither UTF-8 nor a database can hold: lone surrogates and NUL."""
    return said.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def child(event: Json, key: str) -> Json:
    value = event.get(key)
    return value if isinstance(value, dict) else {}


def children(event: Json, key: str) -> list[Json]:
    value = event.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def number(event: Json, key: str) -> float | None:
    value = event.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # The bound keeps integers of a thousand digits from overflowing, and NaN is within no bound.
    return float(value) if 0 <= value < 1e15 and math.isfinite(value) else None


def count(event: Json, key: str) -> int:
    return int(number(event, key) or 0)


def crash(exit_code: int, stderr: str) -> str:
    said = clean(stderr).strip()[-_DETAIL:]
    return f"ended {manner(exit_code)}" + (f": {said}" if said else " before its answer was complete")


def failed_after_all(exit_code: int) -> bool:
    """A signal after the final event is somebody tidying up; any other code is news from the agent itself."""
    return exit_code != 0 and not by_signal(exit_code)


def by_signal(exit_code: int) -> bool:
    return manner(exit_code).startswith("by ")


def garbled(line: bytes, event: Json, last_word: bytes, *, over: bool) -> bool:
    """Whether it cannot be read and may be an agent's own last word, spoilt by somebody who wrote right before it
    without an end of line: theirs would then stand alone.
    """
    return not event and bool(line.strip()) and (over or last_word in line)


def dearest(one: Usage, other: Usage) -> Usage:
    """The most of each: whoever can write where an agent prints may say that it was cheap, but not unsay its word."""
    costs = [cost for cost in (one.cost_usd, other.cost_usd) if cost is not None]
    return Usage(
        input_tokens=max(one.input_tokens, other.input_tokens),
        output_tokens=max(one.output_tokens, other.output_tokens),
        cost_usd=max(costs, default=None),
        cached_tokens=max(one.cached_tokens, other.cached_tokens),
    )


def at_least(used: Usage) -> Usage:
    """What an agent has told that was ended before its last word: it has used that, and nobody knows how much more."""
    return replace(used, unpriced=1, uncounted=1) if used.input_tokens or used.output_tokens else used


def manner(exit_code: int) -> str:
    """How a program ended, in the same words with a sandbox and without: a shell's 137 is SIGKILL too."""
    ended_by = -exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL
    try:
        return f"by {signal.Signals(ended_by).name}"
    except ValueError:
        return f"with exit code {exit_code}"
