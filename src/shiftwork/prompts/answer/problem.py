"""Describes what is wrong with something an agent wrote, precisely enough that the agent can correct it."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from shiftwork.records import dataclass

MESSAGE_LIMIT: Final = 10
WORD_LIMIT: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A refusal as a value: agents' mistakes are expected, so they are not exceptions."""

    messages: tuple[str, ...]

    @property
    def text(self) -> str:
        """The first messages as the agent sees them, one per line, and the number of the others."""
        shown = self.messages[:MESSAGE_LIMIT]
        more = len(self.messages) - len(shown)
        return "\n".join((*shown, f"and {more} more") if more else shown)


def problem(*messages: str) -> Problem:
    return Problem(messages=messages)


def shown(value: object) -> str:
    """Quotes any value for a message: short and on one line."""
    text = value if isinstance(value, str) else str(type(value).__name__)
    return repr(text if len(text) <= WORD_LIMIT else f"{text[:WORD_LIMIT]}…")


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns the known word that was probably meant, or "". Cuts long words, because matching takes quadratic time."""
    plain = {name.lower(): name for name in sorted(known)}
    return next((plain[found] for found in get_close_matches(word[:WORD_LIMIT].lower(), plain, n=1)), "")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    found = nearest(word, known)
    return f"; did you mean {found!r}?" if found else ""
