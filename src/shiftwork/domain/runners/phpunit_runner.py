"""PHPUnit: its output, and which code its settings name; the errors of PHP itself."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, first_own, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_HEADING: Final = regex(r"^\d+\) (?:[\w\\]+::.+)$", re.MULTILINE)
_END: Final = regex(r"^(?:\d+\) |--$|(?:FAILURES|ERRORS)!$)", re.MULTILINE)
_FRAME: Final = regex(r"^(\S+\.php):(\d+)$", re.MULTILINE)
_FATAL: Final = regex(
    r"^(?:PHP )?(?P<message>(?:Parse|Fatal) error: .+?)(?: in (?P<file>\S+)(?: on line |:)(?P<line>\d+))?$",
    re.MULTILINE,
)
_FAILED: Final = regex(r"^\d+\) ([\w\\]+::.+)$", re.MULTILINE)


def _find_error(text: str) -> Located | None:
    if (found := _HEADING.search(text)) is None:
        return find_by_form(_FATAL, text)
    block = take_block(text, found.start(), _END)
    said = [line for line in block.split("\n")[1:] if line.strip() and not _FRAME.match(line)]
    frames = ((frame[1], int(frame[2])) for frame in _FRAME.finditer(block))
    return found.start(), make_error(next(iter(said), found[0]), first_own(frames))


PHPUNIT: Final = KnownRunner(
    name="phpunit",
    find_error=_find_error,
    failed_form=_FAILED,
    settings=("phpunit.xml*", "phpunit.dist.xml"),
    keys=("bootstrap",),
    options=("--bootstrap",),
)
