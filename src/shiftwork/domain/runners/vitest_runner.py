"""vitest, started by itself or as a script of `package.json`."""

import re
from typing import Final

from shiftwork.domain.runners.command_words import append_words
from shiftwork.domain.runners.error_places import find_frames, find_script_message, first_own, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_SHORT: Final = regex(r"^ERROR: Coverage for [^\n]*(?:threshold|not met)[^\n]*$", re.MULTILINE)
_ENABLED: Final = regex(r"\s--coverage(?:\.enabled)?=\w+|\s--coverage\.enabled(?![\w.=-])")
_OFF: Final = "--coverage.enabled=false"

_HEADING: Final = regex(r"^ FAIL  .+$", re.MULTILINE)
_END: Final = regex(r"^\u23af{3,}", re.MULTILINE)
_FAILED: Final = regex(r"^ FAIL  \S+ > (.+)$", re.MULTILINE)


def _drop_threshold(command: str) -> str:
    """Without counting: thresholds for single files, and `100`, cannot be turned off by themselves. The option may
    stand there once.
    """
    return append_words(_ENABLED.sub("", command), "vitest", _OFF)


def _find_error(text: str) -> Located | None:
    """Of the first failed test, or of the first file that does not load. Files with the same error share a block."""
    if (found := _HEADING.search(text)) is None:
        return (short.start(), make_error(short[0])) if (short := _SHORT.search(text)) else None
    block = take_block(text, found.start(), _END)
    lines = [line for line in block.split("\n") if line.strip() and not _HEADING.match(line)]
    said = find_script_message(lines) or next(iter(lines), found[0])
    return found.start(), make_error(said, first_own(find_frames(block)))


VITEST: Final = KnownRunner(
    name="vitest",
    short_form=_SHORT,
    drop_threshold=_drop_threshold,
    find_error=_find_error,
    failed_form=_FAILED,
    settings=("vitest.config.*", "vitest.workspace.*", "vite.config.*"),
    keys=("setupFiles", "globalSetup", "environment", "runner", "snapshotSerializers", "reporters"),
    options=("--globalSetup", "--environment"),
)
