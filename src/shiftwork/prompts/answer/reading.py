"""Reads the values and the summary of an agent's answer from the lines that count."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.prompts.answer.asked import (
    HEADING,
    KEY,
    LISTED,
    NOTHING_MORE,
    PROMISE,
    QUOTED,
    SUMMARY,
    Asked,
    Mark,
    marks,
)
from shiftwork.prompts.answer.marked_lines import cleaned, find, line_end
from shiftwork.records import dataclass
from shiftwork.regexes import regex

# Where the line of a key begins, and where its value begins and ends.
type Span = tuple[int, int, int]

_BOLD_END: Final = regex(r"\*\*[ \t]*$", re.MULTILINE)
_WRAPPED: Final = regex(r"(`|\*\*)([^`*\n]+)\1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The part of an answer that is read, and the lines of it that count, in order."""

    text: str
    marks: tuple[Mark, ...]

    @property
    def promise(self) -> bool:
        return any(sign == PROMISE for sign, _, _, _ in self.marks)

    @property
    def ends_with_promise(self) -> bool:
        """Whether the last promise has no prose after it: nothing, or a key."""
        limit = len(self.text)
        for sign, _, start, begin in reversed(self.marks):
            if sign == PROMISE:
                return not self.text[begin:limit].strip()
            limit = start if sign in {KEY, SUMMARY} else limit
        return False

    def spans(self) -> dict[str, Span]:
        """Returns where the value of each key is; the last value if a key is repeated.

        A value extends over several lines to the next key, summary or promise; headings are part of it.
        """
        spans: dict[str, Span] = {}
        for sign, name, span in self._backwards():
            if sign != QUOTED:
                spans.setdefault(name, span)
        return dict(reversed(spans.items()))

    def first_span(self, name: str) -> Span | None:
        """Where the first value of a key is."""
        found = [span for sign, key, span in self._backwards() if sign != QUOTED and key == name]
        return found[-1] if found else None

    def all_values(self, name: str) -> list[str]:
        """Every value of a key, in order."""
        return [self.value(span) for _, key, span in self._backwards() if key == name][::-1]

    def value(self, span: Span) -> str:
        """The text of a value, without the bold type or the backquotes in which all of it stands."""
        start, begin, end = span
        body = self.text[begin:end]
        if self.text[start:begin].count("**") == 1:
            body = _BOLD_END.sub("", body, count=1)
        found = _WRAPPED.fullmatch(body.strip())
        return (found[2] if found else body).strip()

    def summary(self) -> str:
        """Returns the last summary that is not empty. It ends at the next mark; a heading ends it only after text."""
        found = [mark for mark in self.marks if mark[0] not in {LISTED, QUOTED}]
        for place in range(len(found) - 1, -1, -1):
            sign, _, start, begin = found[place]
            if sign == SUMMARY and (body := self.value((start, begin, self._summary_end(found, place)))):
                return body
        return ""

    def _summary_end(self, found: Sequence[Mark], place: int) -> int:
        begin, after = found[place][3], place + 1
        if after < len(found) and found[after][0] == HEADING and not self.text[begin : found[after][2]].strip():
            after += 1
        return found[after][2] if after < len(found) else len(self.text)

    def _backwards(self) -> Iterator[tuple[str, str, Span]]:
        limit = len(self.text)
        for sign, name, start, begin in reversed(self.marks):
            if sign == KEY:
                yield sign, name, (start, begin, limit)
            if sign in {LISTED, QUOTED}:
                yield sign, name, (start, begin, line_end(self.text, begin))
            elif sign != HEADING:
                limit = start


def read(answer: str, asked: Asked = NOTHING_MORE) -> Reading:
    """Reads what stands outside code fences. If no key stands there, it reads the last fence at the answer's end."""
    text = cleaned(answer)
    found = find(text, asked.known)
    outside = Reading(text=text, marks=tuple(marks(text, found.lines, asked)))
    if found.fenced is None or _has_keys(outside):
        return outside
    fenced = found.fenced
    inside = Reading(text=fenced, marks=tuple(marks(fenced, find(fenced, asked.known).lines, asked)))
    if not _has_keys(inside):
        return outside
    end = (PROMISE, "", len(fenced), len(fenced))
    return Reading(text=fenced, marks=(*inside.marks, end)) if outside.ends_with_promise else inside


def _has_keys(reading: Reading) -> bool:
    return any(sign in {KEY, SUMMARY} for sign, _, _, _ in reading.marks)
