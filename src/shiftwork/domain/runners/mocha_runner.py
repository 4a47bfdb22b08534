"""mocha: its output, and which code its settings name."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_frames, find_script_message, first_own, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_COUNT: Final = regex(r"^ +\d+ failing$", re.MULTILINE)
_HEADING: Final = regex(r"^  1\) .+$", re.MULTILINE)
_NEXT: Final = regex(r"^  \d+\) ", re.MULTILINE)
_FAILED: Final = regex(r"^  \d+\) ([^\n]+\n(?: {4,}[^\n]*[^\n:]\n){0,6} {4,}[^\n]+):$", re.MULTILINE)
_TITLE_END: Final = regex(r":$", re.MULTILINE)


def _find_error(text: str) -> Located | None:
    """Of the first failed test, below the counts: above, a test has only its number."""
    count = _COUNT.search(text)
    found = _HEADING.search(text, count.end()) if count else None
    if found is None:
        return None
    block = take_block(text, found.start(), _NEXT)
    title = _TITLE_END.search(block)
    lines = block[title.end() if title else 0 :].split("\n")
    said = find_script_message(lines) or next((line for line in lines if line.strip()), found[0])
    return found.start(), make_error(said, first_own(find_frames(block)))


MOCHA: Final = KnownRunner(
    name="mocha",
    find_error=_find_error,
    failed_form=_FAILED,
    settings=(".mocharc*", "package.json"),
    keys=("require", "file", "import", "ui", "reporter"),
    options=("--require", "--import", "--file", "--reporter", "-r"),
    section="mocha",
)
