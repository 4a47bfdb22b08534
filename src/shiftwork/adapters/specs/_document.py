"""The text of a spec file: positions in it, mistakes at a position, and edits that leave the rest unchanged."""

from collections.abc import Iterable, Sequence
from shlex import quote
from typing import Final

from shiftwork.errors import SpecError
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_LINE_END: Final = regex(r"\r\n|\n|\r")
_LIKE_THIS: Final = "fix the file; shiftwork init --prd --print shows an example"
_SHOWN: Final = 20
"""How many mistakes an error lists at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """Something wrong at an offset of the text."""

    at: int
    text: str


class UnreadableError(Exception):
    """The text cannot be parsed beyond this mistake."""

    def __init__(self, at: int, text: str) -> None:
        super().__init__(text)
        self.mistake = Mistake(at=at, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Replaces the text between two offsets with `text`."""

    start: int
    end: int
    text: str


def changed(text: str, edits: Iterable[Edit]) -> str:
    """Applies edits that do not overlap; every other character stays the same."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def place(text: str, at: int) -> tuple[int, int]:
    """Line and column, both counted from 1, as in editors."""
    ends = [found.end() for found in _LINE_END.finditer(text, 0, at)]
    return len(ends) + 1, at - (ends[-1] if ends else 0) + 1


def refused(name: str, text: str, mistakes: Sequence[Mistake]) -> SpecError:
    """The error that lists all mistakes in the order of the file."""
    ordered = sorted(mistakes, key=lambda mistake: mistake.at)
    lines = ["{}:{}:{}: {}".format(name, *place(text, mistake.at), mistake.text) for mistake in ordered[:_SHOWN]]
    more = len(ordered) - len(lines)
    listed = [*lines, f"and {more} more"] if more else lines
    hint = _LIKE_THIS if name.endswith(".json") else f"fix it, then check the result: shiftwork plan {quote(name)}"
    if len(listed) == 1:
        return SpecError(listed[0], hint=hint)
    return SpecError(f"{name} has {len(ordered)} mistakes:\n" + "\n".join(f"  {line}" for line in listed), hint=hint)
