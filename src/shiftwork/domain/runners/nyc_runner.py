"""nyc and c8, which start a runner of JavaScript tests and count what it covers."""

import re
from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.regexes import regex

_SHORT: Final = regex(r"^ERROR: Coverage for [^\n]*(?:threshold|not met)[^\n]*$", re.MULTILINE)
_STARTED: Final = regex(r"(?<![\w./-])((?:[\w./-]*/)?(?:nyc|c8))(?=\s)")
_THRESHOLD: Final = regex(r"\s--check-coverage(?:=\w+)?(?![\w-])")


def _drop_threshold(command: str) -> str:
    return _STARTED.sub(r"\1 --check-coverage=false", _THRESHOLD.sub("", command))


NYC: Final = KnownRunner(name="nyc", short_form=_SHORT, drop_threshold=_drop_threshold)
