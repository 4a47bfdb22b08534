"""dotnet: the errors of its compilers, and of its tests."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_COMPILED: Final = regex(
    r"^ *(?P<file>\S[^\n(]*\.\w+)\((?P<line>\d+)(?:,\d+)*\): error (?P<message>[A-Z]+\d+: .+?)(?: \[[^\n\]]+\])?$",
    re.MULTILINE,
)
_HEADING: Final = regex(r"^ *[Ff]ailed (\S.*?) [\[(][<\d].*$", re.MULTILINE)
_END: Final = regex(r"^ *(?:[Ff]ailed |Passed |Skipped |Test Run |Failed!)", re.MULTILINE)
_FRAME: Final = regex(r" in (?!/_/)(\S+?):(?:line )?(\d+)$", re.MULTILINE)
_LABEL: Final = regex(r"^ *(?:Error Message|Stack Trace):$")
_VALUE: Final = regex(r"^ *((?:Expected|Actual|But was):.*)$", re.MULTILINE)


def _find_error(text: str) -> Located | None:
    return find_by_form(_COMPILED, text) or _find_in_tests(text)


def _find_in_tests(text: str) -> Located | None:
    """The message, with the values below it; places of xUnit itself begin with `/_/`."""
    if (found := _HEADING.search(text)) is None:
        return None
    block = take_block(text, found.end(), _END)
    lines = [line.strip() for line in block.split("\n") if line.strip() and not _LABEL.match(line)]
    values = (" ".join(value[1].split()) for value in _VALUE.finditer(block))
    said = ", ".join(dict.fromkeys((*lines[:1], *values))) or found[1]
    frame = _FRAME.search(block)
    return found.start(), make_error(said, (frame[1], int(frame[2])) if frame else ("", 0))


DOTNET: Final = KnownRunner(name="dotnet", find_error=_find_error, failed_form=_HEADING)
