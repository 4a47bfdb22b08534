"""Linters and type checkers: the form of their errors, and which code of the project their settings name."""

import re
from typing import Final

from shiftwork.domain.runners.error_places import find_by_form, make_error
from shiftwork.domain.runners.runner_report import KnownRunner, Located
from shiftwork.regexes import regex

_MYPY: Final = regex(r"^(?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?: error: (?P<message>.+)$", re.MULTILINE)
_RUFF: Final = regex(
    r"^(?P<message>(?:[A-Z]+\d+ |(?!warning|note|help)[a-z-]+: ).+)\n +--> (?P<file>\S+?):(?P<line>\d+):\d+$",
    re.MULTILINE,
)
_CONCISE: Final = regex(
    r"^(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?P<message>(?:[A-Z]+\d+ |[a-z]+(?:-[a-z]+)+: ).+)$", re.MULTILINE
)
_UNFORMATTED: Final = regex(r"^(?P<message>[Ww]ould reformat): (?P<file>\S+)$", re.MULTILINE)
_ESLINT: Final = regex(
    r"^(?P<file>\S.*)\n(?: +\d+:\d+ +warning .*\n)* +(?P<line>\d+):\d+ +error +(?P<message>\S.*)$", re.MULTILINE
)


def _find_by_mypy(text: str) -> Located | None:
    return find_by_form(_MYPY, text)


def _find_by_ruff(text: str) -> Located | None:
    """In both of its formats, and by its formatter; also flake8 and pylint, which print the second one."""
    found = [located for form in (_RUFF, _CONCISE, _UNFORMATTED) if (located := find_by_form(form, text))]
    return min(found, key=lambda located: located[0], default=None)


def _find_by_eslint(text: str) -> Located | None:
    """The rule is the last word of a line."""
    if (found := _ESLINT.search(text)) is None:
        return None
    said, _, rule = found["message"].rpartition("  ")
    message = f"{said.strip()} ({rule})" if said else rule
    return found.start(), make_error(message, (found["file"], int(found["line"])))


RUFF: Final = KnownRunner(name="ruff", find_error=_find_by_ruff)
MYPY: Final = KnownRunner(
    name="mypy",
    find_error=_find_by_mypy,
    settings=("mypy.ini", ".mypy.ini", "setup.cfg", "pyproject.toml"),
    keys=("plugins",),
)
PYLINT: Final = KnownRunner(
    name="pylint", settings=(".pylintrc", "pylintrc", "pyproject.toml", "setup.cfg"), keys=("load-plugins",)
)
ESLINT: Final = KnownRunner(
    name="eslint",
    find_error=_find_by_eslint,
    settings=("eslint.config.*", ".eslintrc*", "package.json"),
    keys=("plugins", "parser", "processor", "from", "require"),
    section="eslintConfig",
)
