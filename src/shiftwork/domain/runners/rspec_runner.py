"""RSpec, and an error that ends a Ruby script."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, first_own, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_HEADING: Final = regex(r"^(?:  \d+\) .+\n +Failure/Error: .+|An error occurred while loading .+)$", re.MULTILINE)
_END: Final = regex(r"^(?:  \d+\) |Finished in |No examples found|An error occurred )", re.MULTILINE)
_FRAME: Final = regex(r"^ *# (\S+?):(\d+):in ", re.MULTILINE)
_VALUE: Final = regex(r"^ +(?:expected|got): .+$", re.MULTILINE)
_CLASS: Final = regex(
    r"^ *((?:\w+::)*[A-Z]\w*(?:Error|Exception|Interrupt)):\n +(?:(\S+?\.rb):(\d+): )?(.+)$", re.MULTILINE
)
_FAILED: Final = regex(r"^rspec (?:\S+) # (.+)$", re.MULTILINE)
_RUBY: Final = regex(r"^(?P<file>\S+\.rb|\S*Rakefile):(?P<line>\d+):in .+?: (?P<message>.+)$", re.MULTILINE)


def _find_error(text: str) -> Located | None:
    """Of the first failed example, or of the first file that does not load."""
    if (found := _HEADING.search(text)) is None:
        return None
    block = take_block(text, found.end(), _END)
    place = first_own((frame[1], int(frame[2])) for frame in _FRAME.finditer(block))
    if raised := _CLASS.search(block):
        place = (raised[2], int(raised[3])) if raised[2] else place
        return found.start(), make_error(f"{raised[1]}: {raised[4]}", place)
    values = ", ".join(value[0].strip() for value in _VALUE.finditer(block))
    said = values or next((line for line in block.split("\n")[1:] if line.strip()), found[0])
    return found.start(), make_error(said, place)


def _find_raised(text: str) -> Located | None:
    return find_by_form(_RUBY, text)


RSPEC: Final = KnownRunner(name="rspec", find_error=_find_error, failed_form=_FAILED)
RUBY: Final = KnownRunner(name="ruby", find_error=_find_raised)
