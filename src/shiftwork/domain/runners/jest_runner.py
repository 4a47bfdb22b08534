"""jest, started by itself or as a script of `package.json`."""

import re
from typing import Final

from shiftwork.domain.runners.command_words import append_words
from shiftwork.domain.runners.error_places import find_frames, find_script_message, first_own, make_error, take_block
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_SHORT: Final = regex(r'^Jest: "[^"\n]*" coverage threshold for [^\n]*not met[^\n]*$', re.MULTILINE)
_THRESHOLD: Final = regex(r"""\s--coverageThreshold[= ](?:'[^'\n]*'|"(?:\\.|[^"\\\n])*"|\S+)""")
_OFF: Final = "--coverageThreshold='{}'"

_HEADING: Final = regex(r"^  \u25cf .+$", re.MULTILINE)
_END: Final = regex(r"^(?:  \u25cf |Test Suites:|Summary of all failing tests)", re.MULTILINE)
_FAILED: Final = regex(r"^  \u25cf (?!Test suite failed to run)(.+)$", re.MULTILINE)
_VALUE: Final = regex(r"^ *((?:Expected|Received)(?: [\w ]+)?: .+)$", re.MULTILINE)
_UNPARSED: Final = regex(r"^ *(?P<what>\w*Error): (?P<file>\S+): (?P<message>.+) \((?P<line>\d+):\d+\)$", re.MULTILINE)
_TYPES: Final = regex(r"^ *(?P<file>\S+):(?P<line>\d+):\d+ - error (?P<message>TS\d+: .+)$", re.MULTILINE)


def _drop_threshold(command: str) -> str:
    return append_words(_THRESHOLD.sub("", command), "jest", _OFF)


def _find_error(text: str) -> Located | None:
    """Of the first failed test, or of the first file that does not load."""
    if (found := _HEADING.search(text)) is None:
        return (short.start(), make_error(short[0])) if (short := _SHORT.search(text)) else None
    block = take_block(text, found.start(), _END)
    lines = [line.strip() for line in block.split("\n")[1:] if line.strip()]
    if broken := _UNPARSED.search(block) or _TYPES.search(block):
        named = broken.groupdict().get("what")
        message = f"{named}: {broken['message']}" if named else broken["message"]
        return found.start(), make_error(message, (broken["file"], int(broken["line"])))
    values = ", ".join(value[1] for value in _VALUE.finditer(block))
    said = values or find_script_message(lines) or next(iter(lines), found[0].strip())
    return found.start(), make_error(said, first_own(find_frames(block)))


JEST: Final = KnownRunner(
    name="jest",
    short_form=_SHORT,
    drop_threshold=_drop_threshold,
    find_error=_find_error,
    failed_form=_FAILED,
    settings=("jest.config.*", "package.json"),
    keys=(
        *(
            "setupFiles",
            "setupFilesAfterEnv",
            "globalSetup",
            "globalTeardown",
            "testEnvironment",
            "runner",
            "testRunner",
        ),
        *("reporters", "resolver", "transform", "snapshotSerializers", "snapshotResolver", "testSequencer"),
        *("testResultsProcessor", "preset"),
    ),
    options=("--setupFilesAfterEnv", "--setupFiles", "--globalSetup", "--testEnvironment", "--reporters"),
    section="jest",
)
