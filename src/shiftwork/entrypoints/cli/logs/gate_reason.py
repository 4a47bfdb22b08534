"""Why a gate is red, on one line: its runner's summary, and the first line that names a cause."""

from collections.abc import Sequence
from typing import Final

from shiftwork.entrypoints.cli.render.sanitize import one_line, plain
from shiftwork.regexes import regex

_WIDTH: Final = 120

_SUMMARIES: Final = tuple(
    regex(pattern)
    for pattern in (
        r"^=* ?((?:\d+ \w+, )*\d+ (?:failed|errors?)\b.*?|no tests ran)(?: in [\d.]+s.*)?$",  # pytest
        r"^FAILED \((.+)\)$",  # unittest
        r"^test result: FAILED\. (.+?); \d+ ignored",  # cargo
        r"^Tests:?\s+(.*\bfailed\b.*)$",  # jest, vitest
        r"^(\d+ failing)$",  # mocha
        r"^(?:#|\u2139) (fail [1-9]\d*)$",  # node --test
        r"^(\d+ (?:examples?|runs|tests), .*[1-9]\d* (?:failures?|errors?)\b.*)$",  # rspec, minitest, mix
        r"^(?:\[ERROR\] )?(Tests run: .*)$",  # maven
        r"^(Found \d+ errors?\b.*)$",  # ruff, mypy
        r"^✖ (\d+ problems?\b.*)$",  # eslint
    )
)
_CAUSES: Final = tuple(
    regex(pattern)
    for pattern in (
        r"No module named|: (?:command )?not found|No rule to make target|[Mm]issing script|[Tt]imed out after",
        r"^E  +\S|^--- FAIL|panicked at|AssertionError",
        r"error(?:\[\w+\])?: |^\w+(?:\.\w+)*Error\b|\bERROR\b|^error\b",
    )
)
"""The most informative patterns come first."""

_NOISE: Final = regex(
    r"^(?:npm (?:error|ERR!)? ?(?:Lifecycle|command|path|code|errno|workspace|location|A complete log)"
    r"|make(?:\[\d+\])?: \*\*\* \[|error: Recipe |npm notice|=+$|-+$)"
)


def reason(output: str) -> str:
    """The cause of a failure, from the end of the output; never empty."""
    lines = [line.strip() for line in plain(output).split("\n")]
    kept = [line for line in lines if line and not _NOISE.match(line)] or [line for line in lines if line]
    found = [part for part in (_summary(kept), _cause(kept)) if part]
    return one_line("; ".join(dict.fromkeys(found)) or (kept[-1] if kept else "it printed nothing"), _WIDTH)


def _summary(lines: Sequence[str]) -> str:
    for line in reversed(lines):
        matches = (pattern.match(line.rstrip("= ")) for pattern in _SUMMARIES)
        if found := next((match for match in matches if match), None):
            return str(found[1])
    return ""


def _cause(lines: Sequence[str]) -> str:
    named = (line for pattern in _CAUSES for line in lines if pattern.search(line))
    return next(named, "").removeprefix("E ").strip()
