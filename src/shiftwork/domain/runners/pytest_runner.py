"""pytest, with pytest-cov."""

import re
from typing import Final

from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.regexes import regex

_SHORT: Final = regex(
    r"^(?:FAIL Required test coverage of [\d.]+% not reached[^\n]*|ERROR: Coverage failure: total of [^\n]*)$",
    re.MULTILINE,
)
_THRESHOLD: Final = regex(r"(--cov-fail-under)[= ][\d.]+")
_OFF: Final = "--cov-fail-under=0"


def _drop_threshold(command: str) -> str:
    """The variable overrules pytest's settings, and what is on the command line overrules the variable."""
    return f'export PYTEST_ADDOPTS="${{PYTEST_ADDOPTS:-}} {_OFF}"\n{_THRESHOLD.sub(_OFF, command)}'


PYTEST: Final = KnownRunner(
    name="pytest",
    short_form=_SHORT,
    drop_threshold=_drop_threshold,
    settings=(
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "conftest.py",
    ),
    keys=("pytest_plugins",),
    options=("-p",),
)
