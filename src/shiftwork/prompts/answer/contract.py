"""Parses an agent's answer: its summary, the values it sets and what it claims. Accepts any text without an error."""

from typing import Final

from shiftwork.domain.story.routing import STATUS, plain_value
from shiftwork.prompts.answer.asked import NOTHING_MORE, STATUSES, Asked
from shiftwork.prompts.answer.edits import edits
from shiftwork.prompts.answer.list_items import items
from shiftwork.prompts.answer.problem import Problem
from shiftwork.prompts.answer.reading import Reading, read
from shiftwork.prompts.answer.stories import STORIES_KEY, stories
from shiftwork.prompts.lengths import shorten
from shiftwork.records import dataclass

__all__ = ["Answer", "Asked", "Problem", "edits", "parse", "stories"]

SUMMARY_LIMIT: Final = 4_000
VALUE_LIMIT: Final = 20_000
KEYS_LIMIT: Final = 200
_SHOWN: Final = 60

_BLOCKED: Final = "story_blocked"
_COMPLETE: Final = "story_complete"
# The summary and the plan are parsed separately, and the two claims are not values for later steps.
_NO_OUTPUTS: Final = frozenset({"summary", STORIES_KEY, _BLOCKED, _COMPLETE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A parsed answer. `status`, `promise`, `blocked` and `complete` are claims: none of them proves anything.

    `outputs` has the last value of each key in lower case, at most the last `KEYS_LIMIT` keys. Texts that are too
    long keep their beginning and end and say how much is missing. `learnings`, `patterns`, `evidence` and `scratch` are
    the lists below the keys of these names, from an agent without tools for them: notes for other stories, and claims.

    `planned` if the answer has stories. `finished` if the promise ends the answer. `conflicts` are the keys that
    choose between values and stand there with two different values, in the words of the answer; such an answer has
    no status and no decision.
    """

    summary: str = ""
    outputs: tuple[tuple[str, str], ...] = ()
    status: str | None = None
    promise: bool = False
    finished: bool = False
    conflicts: tuple[str, ...] = ()
    blocked: str = ""
    complete: str = ""
    learnings: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    scratch: tuple[str, ...] = ()
    planned: bool = False


def parse(answer: str, asked: Asked = NOTHING_MORE) -> Answer:
    reading = read(answer, asked)
    spans = reading.spans()

    def value(key: str) -> str:
        return shorten(reading.value(spans[key]), VALUE_LIMIT) if key in spans else ""

    keys = [key for key in spans if key not in _NO_OUTPUTS][-KEYS_LIMIT:]
    conflicts = _conflicts(reading, asked)
    return Answer(
        summary=shorten(reading.summary(), SUMMARY_LIMIT),
        outputs=tuple((key, value(key)) for key in keys),
        status=None if conflicts else _status(value(STATUS)),
        promise=reading.promise,
        finished=reading.ends_with_promise,
        conflicts=conflicts,
        blocked=value(_BLOCKED),
        complete=_first_word(value(_COMPLETE)),
        learnings=items(value("learnings")),
        patterns=items(value("patterns")),
        evidence=items(value("evidence")),
        scratch=items(value("scratch")),
        planned=STORIES_KEY in spans,
    )


def _conflicts(reading: Reading, asked: Asked) -> tuple[str, ...]:
    """Says for each key that chooses between values which different values the answer gives."""
    found = []
    for key in dict.fromkeys((STATUS, *asked.choices)):
        values = filter(None, reading.all_values(key))
        different = dict.fromkeys((key == STATUS and _status(value)) or plain_value(value) for value in values)
        if len(different) > 1:
            found.append(" and ".join(f"{key.upper()}: {value[:_SHOWN]}" for value in different))
    return tuple(found)


def _status(value: str) -> str | None:
    status = plain_value(_first_word(value))
    return status if status in STATUSES else None


def _first_word(value: str) -> str:
    return next(iter(value.split(maxsplit=1)), "")
