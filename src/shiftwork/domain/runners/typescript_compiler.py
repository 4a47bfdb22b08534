"""tsc, with and without colours and excerpts."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, make_error
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_PLACED: Final = regex(
    r"^(?P<file>\S[^\n(:]*)(?:\((?P<line>\d+),\d+\):|:(?P<row>\d+):\d+ -) error (?P<message>TS\d+: .+)$", re.MULTILINE
)
_UNPLACED: Final = regex(r"^error (?P<message>TS\d+: .+)$", re.MULTILINE)


def _find_error(text: str) -> Located | None:
    if (found := _PLACED.search(text)) is None:
        return find_by_form(_UNPLACED, text)
    return found.start(), make_error(found["message"], (found["file"], int(found["line"] or found["row"])))


TSC: Final = KnownRunner(name="tsc", find_error=_find_error)
