"""jest, started by itself or as a script of `package.json`."""

import re
from typing import Final

from shiftwork.domain.runners.command_words import append_words
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.regexes import regex

_SHORT: Final = regex(r'^Jest: "[^"\n]*" coverage threshold for [^\n]*not met[^\n]*$', re.MULTILINE)
_OFF: Final = "--coverageThreshold='{}'"


def _drop_threshold(command: str) -> str:
    return append_words(command, "jest", _OFF)


JEST: Final = KnownRunner(
    name="jest",
    short_form=_SHORT,
    drop_threshold=_drop_threshold,
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
