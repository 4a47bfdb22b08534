"""Limits the length of each part of a prompt. Shortened text says what is missing; the oldest entries go first.

Limits count bytes of UTF-8, because agents are sent bytes: text in every script has the same limit.
"""

from collections.abc import Iterable, Sequence
from typing import Final

# The sum of the limits and the fixed texts stays below `PROMPT`; a test checks this.
LIMITS: Final = {
    "story": 20_000,
    "instructions": 12_000,
    "task": 4_000,
    "requirements": 12_000,
    "non_goals": 4_000,
    "criteria": 16_000,
    "context": 8_000,
    "gates": 4_000,
    "step": 8_000,
    "notes": 24_000,
    "scratch": 12_000,
    "project": 8_000,
    "patterns": 8_000,
    "progress": 8_000,
    "persona": 12_000,
    "answers": 8_000,
    "feedback": 12_000,
    "messages": 6_000,
    "refused": 10_000,
    "remaining": 10_000,
    "outputs": 4_000,
}
# Limits for a step with its own prompt; they are added to the others.
OWN: Final = {"input": 34_000, "value": 16_000, "expects": 4_000}
PROMPT: Final = 266_000
FIXED: Final = 16_000
LINE: Final = 400
NOTICE: Final = 100
"""Bytes reserved for the line that says what is missing; every limit must be at least twice this."""
QUOTE: Final = "> "


def size(text: str) -> int:
    return len(text.encode(errors="replace"))


def shorten(text: str, limit: int, mark: str = "") -> str:
    """Shortens text to `limit` bytes: keeps head and tail, with a line between them that says how much is missing.

    If every line of the text begins with `mark`, that line and the tail begin with it too.
    """
    raw = text.encode(errors="replace")
    if len(raw) <= limit:
        return text
    room = limit - NOTICE
    head = raw[: room - room // 2].decode(errors="ignore")
    tail = raw[len(raw) - room // 2 :].decode(errors="ignore")
    missing = len(text) - len(head) - len(tail)
    return f"{head}\n{mark}[{missing:,} characters left out here]\n{mark}{tail}"


def quoted(text: str) -> str:
    """Marks every line of text from a tool or another agent, so that no line can pass for a part of the prompt."""
    lines = "\n".join(text.splitlines()).strip("\n").split("\n")
    return "\n".join(f"{QUOTE}{line}".rstrip() for line in lines)


def one_line(text: str, limit: int = LINE) -> str:
    """Puts any name or title on a single line."""
    return " ".join(shorten(text, limit).split())


def newest(entries: Sequence[str], limit: int, what: str) -> str:
    """Returns the latest quoted entries that fit, in order; a first line says how many earlier entries do not."""
    kept = _fitting(reversed(entries), limit, QUOTE)[::-1]
    dropped = entries[: len(entries) - len(kept)]
    notice = f"[earlier {what} left out: {len(dropped)} ({_characters(dropped)} characters); newest kept]"
    return "\n\n".join((notice, *kept) if dropped else kept)


def foremost(entries: Sequence[str], limit: int, what: str) -> str:
    """Returns the first entries that fit, each on a new line; a last line says how many more there are."""
    kept = _fitting(entries, limit, "")
    dropped = entries[len(kept) :]
    notice = f"[further {what} left out: {len(dropped)} ({_characters(dropped)} characters)]"
    return "\n".join((*kept, notice) if dropped else kept)


def _fitting(entries: Iterable[str], limit: int, mark: str) -> list[str]:
    """Takes entries in order until the room is used. Each takes at most half, so a long entry never fills it alone."""
    room = limit - NOTICE
    kept: list[str] = []
    for entry in entries:
        short = shorten(entry, limit // 2, mark)
        room -= size(short) + len("\n\n")
        if room < 0:
            break
        kept.append(short)
    return kept


def _characters(entries: Iterable[str]) -> str:
    return f"{sum(map(len, entries)):,}"
