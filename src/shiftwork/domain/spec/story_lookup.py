"""Guesses which story the user means by an id typed differently: another case, fewer zeros, the number alone."""

from collections.abc import Iterable
from typing import Final

from shiftwork.regexes import regex

_PARTS: Final = regex(r"[a-z]+|[0-9]+")


def guess(typed: str, known: Iterable[str]) -> str:
    """Text for the end of an error; empty where no id, or more than one, could be meant. Ids that only look alike are
    not suggested: US-009 is not a typo of US-001.
    """
    wanted = _parts(typed)
    found = [story for story in known if wanted and wanted in {_parts(story), _parts(story)[-1:]}]
    return f"; did you mean {found[0]}?" if len(found) == 1 else ""


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.lstrip("0") or "0" for part in _PARTS.findall(name.lower()))
