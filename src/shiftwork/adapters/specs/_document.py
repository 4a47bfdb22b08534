"""The text of a spec file: where a place in it is, what is wrong there, and changes that leave the rest alone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Final

from shiftwork.errors import SpecError

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_LIKE_THIS: Final = "mend the file; shiftwork init --prd --print shows how one looks"
_SHOWN: Final = 20
"""How many mistakes are told at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """Something wrong at an offset of the text."""

    at: int
    text: str


class UnreadableError(Exception):
    """The text cannot be understood beyond this mistake."""

    def __init__(self, at: int, text: str) -> None:
        super().__init__(text)
        self.mistake = Mistake(at=at, text=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Put `text` in the place of what stands between two offsets."""

    start: int
    end: int
    text: str


def changed(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits that do not overlap; every other character is as it was."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def place(text: str, at: int) -> tuple[int, int]:
    """Line and column, both counted from 1, as editors do."""
    ends = [found.end() for found in _LINE_END.finditer(text, 0, at)]
    return len(ends) + 1, at - (ends[-1] if ends else 0) + 1


def refused(name: str, text: str, mistakes: Sequence[Mistake]) -> SpecError:
    """The error that tells all mistakes in the order of the file."""
    ordered = sorted(mistakes, key=lambda mistake: mistake.at)
    lines = ["{}:{}:{}: {}".format(name, *place(text, one.at), one.text) for one in ordered[:_SHOWN]]
    more = len(ordered) - len(lines)
    listed = [*lines, f"and {more} more"] if more else lines
    hint = _LIKE_THIS if name.endswith(".json") else f"mend it, then look at what is read: shiftwork plan {quote(name)}"
    if len(listed) == 1:
        return SpecError(listed[0], hint=hint)
    return SpecError(f"{name} has {len(ordered)} mistakes:\n" + "\n".join(f"  {one}" for one in listed), hint=hint)
