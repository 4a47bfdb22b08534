"""Python itself: a traceback of any program, and the errors of unittest, which are tracebacks too."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import Place, first_own, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_BEGIN: Final = regex(
    r"^(?:E? *Traceback \(most recent call last\):| *File \"[^\"\n]+\", line \d+\n(?: {4}.*\n)+\w*Error: )",
    re.MULTILINE,
)
_FILE: Final = regex(r'^ *File "([^"\n]+)", line (\d+)')
_SAID: Final = regex(r"^(?:\w+\.)*[A-Z]\w*(?::|$)|^(?:\w+\.)+\w+: ")
_HEADING: Final = regex(r"^(?:FAIL|ERROR): (.+)\n-+\n", re.MULTILINE)
_NEXT_HEADING: Final = regex(r"^={10,}$|^-{10,}\nRan ", re.MULTILINE)
_FAILED: Final = regex(r"^(?:FAIL|ERROR): \w+ \((?!unittest\.loader\.)([\w.]+)\)", re.MULTILINE)


def find_traceback(text: str) -> Located | None:
    """The first traceback: what follows from it is reported after it. The place is the innermost in own code."""
    if (found := _BEGIN.search(text)) is None:
        return None
    frames: list[Place] = []
    for line in text[found.start() :].split("\n"):
        if frame := _FILE.match(line):
            frames.append((frame[1], int(frame[2])))
        elif frames and _SAID.match(line):
            return found.start(), make_error(line, first_own(reversed(frames)))
    return None


def _find_in_tests(text: str) -> Located | None:
    if (found := _HEADING.search(text)) is None:
        return None
    if (inside := find_traceback(take_block(text, found.end() - 1, _NEXT_HEADING))) is None:
        return found.start(), make_error(found[1])
    return found.start(), inside[1]


UNITTEST: Final = KnownRunner(name="unittest", find_error=_find_in_tests, failed_form=_FAILED)
PYTHON: Final = KnownRunner(name="python", find_error=find_traceback)
