"""How long each part of a prompt may be, and how what is too long is shortened: visibly, and the oldest first.

Limits count bytes of UTF-8, because that is what an agent is sent: text in every script is bounded alike.
"""

from collections.abc import Iterable, Sequence
from typing import Final

# Their sum and the fixed texts stay below `PROMPT`; a test adds them up.
LIMITS: Final = {
    "story": 24_000,
    "instructions": 16_000,
    "requirements": 12_000,
    "criteria": 16_000,
    "gates": 4_000,
    "step": 8_000,
    "notes": 32_000,
    "scratch": 16_000,
    "project": 8_000,
    "patterns": 8_000,
    "progress": 8_000,
    "persona": 16_000,
    "answers": 8_000,
    "feedback": 12_000,
    "told": 6_000,
    "refused": 16_000,
    "remaining": 10_000,
    "outputs": 4_000,
}
# Of a step with a prompt of its own; it is not shown the story, the notes and what is remembered beside that.
OWN: Final = {"input": 64_000, "value": 16_000, "expects": 4_000}
PROMPT: Final = 250_000
FIXED: Final = 16_000
LINE: Final = 400
NOTICE: Final = 100
"""Room for the line that says what is missing; no limit may be smaller than twice that."""
QUOTE: Final = "> "


def size(text: str) -> int:
    return len(text.encode(errors="replace"))


def shorten(text: str, limit: int, mark: str = "") -> str:
    """At most `limit` bytes: head and tail stay, and a line between them says how much is missing.

    `mark` stands before that line and what follows it, where every line of the text begins with it.
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
    """Text that a tool or another agent wrote, every line marked, so that none can pass for a part of the prompt."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    return "\n".join(f"{QUOTE}{line}".rstrip() for line in lines)


def one_line(text: str, limit: int = LINE) -> str:
    """A name or title on a single line, whatever it holds."""
    return " ".join(shorten(text, limit).split())


def newest(entries: Sequence[str], limit: int, what: str) -> str:
    """The latest of quoted entries that fit, in their order; a first line says how many earlier ones do not."""
    kept = _fitting(reversed(entries), limit, QUOTE)[::-1]
    dropped = entries[: len(entries) - len(kept)]
    notice = f"[earlier {what} left out: {len(dropped)} ({_characters(dropped)} characters); newest kept]"
    return "\n\n".join((notice, *kept) if dropped else kept)


def foremost(entries: Sequence[str], limit: int, what: str) -> str:
    """The first entries that fit, one below the other; a last line says how many more there are."""
    kept = _fitting(entries, limit, "")
    dropped = entries[len(kept) :]
    notice = f"[further {what} left out: {len(dropped)} ({_characters(dropped)} characters)]"
    return "\n".join((*kept, notice) if dropped else kept)


def _fitting(entries: Iterable[str], limit: int, mark: str) -> list[str]:
    """Entries from the first on until the room is used; none takes more than half of it, so one never stands alone."""
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
