"""make: the line of the makefile whose command failed. Why it failed is what that command printed."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, make_error
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_RECIPE: Final = regex(r"^g?make(?:\[\d+\])?: \*\*\* \[(?:([^\s:\]]+):(\d+): )?([^\n\]]+)\] (Error \d+)", re.MULTILINE)
_MAKEFILE: Final = regex(
    r"^(?:(?P<file>[^\s:]+):(?P<line>\d+)|g?make(?:\[\d+\])?): \*\*\* (?P<message>(?!\[).+?)(?:  Stop\.)?$",
    re.MULTILINE,
)


def _find_error(text: str) -> Located | None:
    if (found := _RECIPE.search(text)) is None:
        return find_by_form(_MAKEFILE, text)
    return found.start(), make_error(f"{found[3]}: {found[4]}", (found[1] or "", int(found[2] or 0)))


MAKE: Final = KnownRunner(name="make", find_error=_find_error)
