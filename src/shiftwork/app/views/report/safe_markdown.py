"""Escapes text from agents, gates and specs for Markdown: limited in length, without markup, and on one line. Only the
output of gates keeps its lines, as code.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from shiftwork.domain.text.excerpt import trimmed

_TEXT: Final = 300
_LINES: Final = 40
_PRINTED: Final = 3000
_SPECIAL: Final = str.maketrans({char: f"\\{char}" for char in "\\`*_[]<>|#~$"})


def listed(title: str, lines: Iterable[str]) -> Iterator[str]:
    if found := list(lines):
        yield f"\n### {title}\n"
        yield from (f"- {line}" for line in found)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def text(said: str) -> str:
    line = " ".join(said[: 4 * _TEXT].split())
    cut = line if len(line) <= _TEXT else f"{line[: _TEXT - 1]}…"
    return cut.translate(_SPECIAL)


def quoted(said: str) -> Iterator[str]:
    """Returns the first line as text, and the last of the other lines unchanged as indented code."""
    first, *rest = [line for line in said.splitlines() if line.strip()] or [""]
    yield text(first)
    if rest:
        yield ""
    if len(rest) > _LINES:
        yield f"    … {len(rest) - _LINES} lines left out"
    yield from (f"    {_as_it_is(line)}" for line in rest[-_LINES:])


def printed(said: str) -> str:
    """Returns an excerpt of a gate's output for the end of a list item; several lines go below it."""
    lines = [line for line in trimmed(said, _PRINTED).splitlines() if line.strip()]
    if len(lines) <= 1:
        return "".join(f" {text(line)}" for line in lines)
    return "\n\n" + "\n".join(f"      {_as_it_is(line)}" for line in lines) + "\n"


def _as_it_is(line: str) -> str:
    return "".join(char for char in line if char.isprintable())[:_TEXT]


def code(path: str) -> str:
    return f"`{' '.join(path.replace('`', '?').split())}`"


def time(at: float | None) -> str:
    return "-" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def between(start: float | None, end: float | None) -> str:
    return lasted(None if start is None or end is None else max(end - start, 0))


def lasted(seconds: float | None, unknown: str = "-") -> str:
    return unknown if seconds is None else f"{seconds:.1f} s"
