"""go: its tests, its compiler and vet."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, first_own, make_error
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_COMPILED: Final = regex(r"^(?:vet: )?(?P<file>[^\s:]+\.go):(?P<line>\d+)(?::\d+)?: (?P<message>.+)$", re.MULTILINE)
_TESTED: Final = regex(r"^ +(?P<file>[^\s:]+\.go):(?P<line>\d+): (?P<message>.+)$", re.MULTILINE)
_FAILED: Final = regex(r"^ *--- FAIL: (\S+)", re.MULTILINE)
_PANIC: Final = regex(r"^panic: (.+?)(?: \[recovered\])?$", re.MULTILINE)
_FRAME: Final = regex(r"^ +(/\S+\.go):(\d+)(?: \+0x[0-9a-f]+)?$", re.MULTILINE)


def _find_error(text: str) -> Located | None:
    """The first of a compiler's error, a failed test and a panic; a message of a test counts only if a test failed."""
    found = [find_by_form(_COMPILED, text), _find_panic(text)]
    if _FAILED.search(text):
        found.append(find_by_form(_TESTED, text))
    return min(filter(None, found), key=lambda located: located[0], default=None)


def _find_panic(text: str) -> Located | None:
    if (found := _PANIC.search(text)) is None:
        return None
    frames = ((frame[1], int(frame[2])) for frame in _FRAME.finditer(text, found.end()))
    return found.start(), make_error(f"panic: {found[1]}", first_own(frames))


GO: Final = KnownRunner(name="go", find_error=_find_error, failed_form=_FAILED)
