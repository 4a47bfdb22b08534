"""Parses an agent's answer: its summary, the values it sets and what it claims. Accepts any text without an error."""

from dataclasses import dataclass
from typing import Final

from shiftwork.prompts.answer.edits import edits
from shiftwork.prompts.answer.list_items import items
from shiftwork.prompts.answer.marked_lines import PROMISE, cleaned, marks, summary, values
from shiftwork.prompts.answer.problem import Problem
from shiftwork.prompts.answer.stories import STORIES_KEY, stories
from shiftwork.prompts.lengths import shorten

__all__ = ["Answer", "Problem", "edits", "parse", "stories"]

SUMMARY_LIMIT: Final = 4_000
VALUE_LIMIT: Final = 20_000
KEYS_LIMIT: Final = 200
STATUSES: Final = frozenset({"done", "retry", "blocked"})

_BLOCKED: Final = "story_blocked"
_COMPLETE: Final = "story_complete"
# The summary and the plan are parsed separately, and the two claims are not values for later steps.
_NO_OUTPUTS: Final = frozenset({"summary", STORIES_KEY, _BLOCKED, _COMPLETE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A parsed answer. `status`, `promise`, `blocked` and `complete` are claims: none of them proves anything.

    `outputs` has the last value of each key in lower case, at most the last `KEYS_LIMIT` keys. Texts that are too
    long keep their beginning and end and say how much is missing. `learnings`, `patterns` and `evidence` are the lists
    below the keys of these names, from an agent without tools for them: notes for other stories, and claims.
    """

    summary: str = ""
    outputs: tuple[tuple[str, str], ...] = ()
    status: str | None = None
    promise: bool = False
    blocked: str = ""
    complete: str = ""
    learnings: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def parse(answer: str) -> Answer:
    text = cleaned(answer)
    found = tuple(marks(text))
    spans = values(text, found)

    def value(key: str) -> str:
        return shorten(text[slice(*spans.get(key, (0, 0)))].strip(), VALUE_LIMIT)

    keys = [key for key in spans if key not in _NO_OUTPUTS][-KEYS_LIMIT:]
    return Answer(
        summary=shorten(summary(text, found), SUMMARY_LIMIT),
        outputs=tuple((key, value(key)) for key in keys),
        status=_status(value("status")),
        promise=any(sign == PROMISE for sign, _, _ in found),
        blocked=value(_BLOCKED),
        complete=_first_word(value(_COMPLETE)),
        learnings=items(value("learnings")),
        patterns=items(value("patterns")),
        evidence=items(value("evidence")),
    )


def _status(value: str) -> str | None:
    word = _first_word(value).strip("`*_.,;!").lower()
    return word if word in STATUSES else None


def _first_word(value: str) -> str:
    return next(iter(value.split(maxsplit=1)), "")
