"""Reads what a program printed as JSON, line by line; nothing here raises, whatever the input."""

import json
import math
import signal
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from shiftwork.domain.usage.usage import Usage
from shiftwork.records import replace
from shiftwork.regexes import regex

type Json = Mapping[str, Any]

SESSION_ID: Final = regex(r"[0-9a-f-]{36}")
"""The id of a session, as Claude Code and Codex print it."""

_DETAIL: Final = 2000
"""Characters of standard error that a report keeps: the end, because it contains the reason."""

_SHELL_SIGNAL: Final = 128
"""A program that handles a signal and exits uses this plus the signal's number as its exit code."""


def parse(line: bytes) -> Json:
    """Returns the object on a line; empty for anything else."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text(event: Json, key: str) -> str:
    value = event.get(key)
    return clean(value) if isinstance(value, str) else ""


def compact(value: object) -> str:
    """Returns JSON on one line with sorted keys, so that equal calls give equal texts."""
    try:
        return clean(json.dumps(value, sort_keys=True, ensure_ascii=False))
    except RecursionError:
        return ""


def call_of(tool: str, given: object) -> str:
    """Returns a hash of a tool call and all its input; empty if the input is unknown."""
    return sha256(f"{tool} {compact(given)}".encode()).hexdigest()[:16] if given is not None else ""


def clean(said: str) -> str:
    """Replaces what JSON may contain but neither UTF-8 nor a database can hold: lone surrogates and NUL."""
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
    # The limits keep integers of a thousand digits from overflowing; NaN fails the comparison.
    return float(value) if 0 <= value < 1e15 and math.isfinite(value) else None


def count(event: Json, key: str) -> int:
    return int(number(event, key) or 0)


def crash(exit_code: int, stderr: str) -> str:
    said = clean(stderr).strip()[-_DETAIL:]
    return f"ended {manner(exit_code)}" + (f": {said}" if said else " before its answer was complete")


def failed_after_all(exit_code: int) -> bool:
    """A signal after the final event is only clean-up; any other exit code is an error of the agent itself."""
    return exit_code != 0 and not by_signal(exit_code)


def by_signal(exit_code: int) -> bool:
    return manner(exit_code).startswith("by ")


def garbled(line: bytes, event: Json, last_word: bytes, *, over: bool) -> bool:
    """Whether the line is unreadable and may be the agent's own final event, damaged by a program that wrote before it
    without a line end. Otherwise a final event forged by that program would count alone.
    """
    return not event and bool(line.strip()) and (over or last_word in line)


def dearest(usage: Usage, other: Usage) -> Usage:
    """Returns the higher value of each field: a program that writes to the agent's output cannot lower the reported
    usage.
    """
    costs = [cost for cost in (usage.cost_usd, other.cost_usd) if cost is not None]
    return Usage(
        input_tokens=max(usage.input_tokens, other.input_tokens),
        output_tokens=max(usage.output_tokens, other.output_tokens),
        cost_usd=max(costs, default=None),
        cached_tokens=max(usage.cached_tokens, other.cached_tokens),
    )


def since(used: Usage, earlier: Usage) -> Usage:
    """Returns what a resumed session has used since it was resumed, for agents that report the sum."""
    cost = None if used.cost_usd is None else max(used.cost_usd - (earlier.cost_usd or 0.0), 0.0)
    return replace(
        used,
        input_tokens=max(used.input_tokens - earlier.input_tokens, 0),
        output_tokens=max(used.output_tokens - earlier.output_tokens, 0),
        cached_tokens=max(used.cached_tokens - earlier.cached_tokens, 0),
        cost_usd=cost,
    )


def at_least(used: Usage) -> Usage:
    """Marks the usage of an agent that ended before its final event as a minimum: the rest is unknown."""
    return replace(used, unpriced=1, uncounted=1) if used.input_tokens or used.output_tokens else used


def manner(exit_code: int) -> str:
    """Returns how a program ended, in the same words with and without a sandbox: a shell's 137 is SIGKILL too."""
    ended_by = -exit_code if exit_code < 0 else exit_code - _SHELL_SIGNAL
    try:
        return f"by {signal.Signals(ended_by).name}"
    except ValueError:
        return f"with exit code {exit_code}"
