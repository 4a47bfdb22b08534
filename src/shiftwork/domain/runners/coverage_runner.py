"""coverage.py, which a gate starts beside the tests."""

import re
from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.regexes import regex

_SHORT: Final = regex(r"^Coverage failure: total of [^\n]*$", re.MULTILINE)
_REPORT: Final = regex(r"(\bcoverage3?[ \t]+(?:report|html|xml|json|lcov))(?![\w.-])")
_THRESHOLD: Final = regex(r"(?<![\w-])--fail-under[= ][\d.]+")


def _drop_threshold(command: str) -> str:
    return _REPORT.sub(r"\1 --fail-under=0", _THRESHOLD.sub("", command))


COVERAGE: Final = KnownRunner(name="coverage", short_form=_SHORT, drop_threshold=_drop_threshold)
