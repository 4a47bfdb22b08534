"""The keys that an answer is asked for, and which lines of it count as these keys.

A key in plain capitals at the start of its line (`STATUS: done`) always counts. In bold, as a heading, as a list item
or in other letters, only a key counts that the harness or the step asks for, and only outside of another key's value.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from shiftwork.domain.story.routing import STATUS, plain_value
from shiftwork.prompts.answer.marked_lines import line_end
from shiftwork.records import dataclass, field

# A line that counts: its sign, its key in lower case, where the line begins, and where the text after the key begins.
# A plain tuple, because an answer may have a million of them.
type Mark = tuple[str, str, int, int]

KEY: Final = "key"
SUMMARY: Final = "summary"
HEADING: Final = "heading"
PROMISE: Final = "promise"
LISTED: Final = "listed"
"""A choice in a list that belongs to the value of another key: it is read, and the other value continues after it."""

QUOTED: Final = "quoted"
"""Such a choice below other items of the list: it may be a quotation, so it only contradicts another choice."""

STATUSES: Final = frozenset({"done", "retry", "blocked"})
COMMON: Final = frozenset(
    {
        *(SUMMARY, STATUS, "issues", "question", "reason", "learnings", "patterns", "evidence", "scratch"),
        *("stories_json", "story_blocked", "story_complete"),
    }
)
"""The keys that every step may answer with."""

_PLAIN, _DECORATED, _OTHER_LETTERS = range(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The keys that a step asks for beyond `COMMON`, and the values of those that choose between some; lower case."""

    keys: frozenset[str] = frozenset()
    choices: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def known(self, name: str) -> bool:
        return name in COMMON or name in self.keys or name in self.choices

    def values(self, name: str) -> frozenset[str]:
        """The values between which a key chooses; empty if its value is any text."""
        return self.choices.get(name, frozenset()) | (STATUSES if name == STATUS else frozenset())


NOTHING_MORE: Final = Asked()


def marks(text: str, lines: Iterable[re.Match[str]], asked: Asked) -> Iterator[Mark]:
    """Yields the lines that count, in order."""
    found = tuple(lines)
    so_far = _SoFar(text, asked, _best_forms(found))
    for line in found:
        name = (line["name"] or "").lower()
        sign = so_far.sign(line, name) if name else str(line.lastgroup)
        if sign:
            so_far.passed(line, sign)
            yield sign, name if sign in {KEY, LISTED, QUOTED} else "", *line.span()


class _SoFar:
    """Which values the lines before the present one have begun, and in which forms the keys of the answer stand."""

    def __init__(self, text: str, asked: Asked, best: Mapping[str, int]) -> None:
        self._text, self._asked, self._best = text, asked, best
        self._capitals = any(
            form == _PLAIN or (form == _DECORATED and asked.known(name)) for name, form in best.items()
        )
        self._in_value = self._summarised = False
        self._last = 0

    def passed(self, line: re.Match[str], sign: str) -> None:
        self._in_value = sign != PROMISE and (self._in_value or (sign in {KEY, SUMMARY} and line["item"] is None))
        self._summarised |= sign == SUMMARY
        self._last = line_end(self._text, line.end())

    def sign(self, line: re.Match[str], name: str) -> str:
        """What a line with a key counts as; empty if it is text."""
        listed = line["item"] is not None and self._in_value
        if name == SUMMARY:
            return "" if listed else SUMMARY
        form = _form(line)
        if form == _PLAIN:
            return KEY
        if not self._asked.known(name):
            counts = False
        elif choices := self._asked.values(name):
            exact = plain_value(self._text[line.end() : line_end(self._text, line.end())]) in choices
            if listed:
                return (LISTED if self._follows(line) else QUOTED) if exact else ""
            counts = exact or form == _DECORATED
        else:
            counts = not listed and self._is_best(name, form)
        return KEY if counts else _as_heading(line)

    def _follows(self, line: re.Match[str]) -> bool:
        """Whether only keys stand above it: an item below others is part of their list, and may be a quotation."""
        return not self._text[self._last : line.start()].strip()

    def _is_best(self, name: str, form: int) -> bool:
        """Other forms of a key that stands in plain capitals are text; so are other letters beside any capitals, and
        below a summary if the step does not ask for that key.
        """
        if form == _OTHER_LETTERS and (self._capitals or (self._summarised and name not in self._asked.keys)):
            return False
        return form == self._best[name]


def _best_forms(lines: Iterable[re.Match[str]]) -> dict[str, int]:
    best: dict[str, int] = {}
    for line in lines:
        if line["name"]:
            name, form = line["name"].lower(), _form(line)
            best[name] = min(form, best.get(name, form))
    return best


def _form(line: re.Match[str]) -> int:
    """How far a line is from the form that is asked for."""
    if not line["name"].isupper():
        return _OTHER_LETTERS
    return _DECORATED if any(line[part] for part in ("item", "hashes", "bold", "blank")) else _PLAIN


def _as_heading(line: re.Match[str]) -> str:
    return HEADING if line["hashes"] and not line["item"] else ""
