"""vitest, started by itself or as a script of `package.json`."""

import re
from typing import Final

from shiftwork.domain.runners.command_words import append_words
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.regexes import regex

_SHORT: Final = regex(r"^ERROR: Coverage for [^\n]*(?:threshold|not met)[^\n]*$", re.MULTILINE)
_OFF: Final = " ".join(f"--coverage.thresholds.{kind}=0" for kind in ("lines", "functions", "branches", "statements"))


def _drop_threshold(command: str) -> str:
    return append_words(command, "vitest", _OFF)


VITEST: Final = KnownRunner(
    name="vitest",
    short_form=_SHORT,
    drop_threshold=_drop_threshold,
    settings=("vitest.config.*", "vitest.workspace.*", "vite.config.*"),
    keys=("setupFiles", "globalSetup", "environment", "runner", "snapshotSerializers", "reporters"),
    options=("--globalSetup", "--environment"),
)
