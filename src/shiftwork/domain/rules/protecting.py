"""Which files are tests, gate configuration and shiftwork's own settings: known by the names that tools go by.

Files that hold dependencies or product code as well (`package.json`, `CMakeLists.txt`, `tests.py`, …) are told of and
not put back: with the base's version a story that needs a new package could never land. See
docs/decisions/0002-protected-tests.md.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final

from shiftwork.domain.model.tampering import Protection
from shiftwork.domain.rules.ecosystems import ECOSYSTEMS, Ecosystem


def _of_all(names: Callable[[Ecosystem], tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(pattern for one in ECOSYSTEMS for pattern in names(one))


TESTS: Final = _of_all(lambda one: one.tests)
"""Tests and recorded outputs, by names and folders that nothing else has."""

FOLDERS: Final = tuple(pattern for pattern in TESTS if pattern.startswith("**/") and pattern.endswith("/**"))

NAMES: Final = tuple(pattern for pattern in TESTS if pattern not in FOLDERS)

TESTS_TOLD: Final = _of_all(lambda one: one.perhaps)
"""Names of tests that product code has too (`ab-test.ts`, `JobSpec.kt`)."""

CONFIGURATION: Final = _of_all(lambda one: one.settings)

TOLD_ONLY: Final = _of_all(lambda one: one.mixed)

DEPENDENCIES: Final = (*_of_all(lambda one: one.dependencies), *_of_all(lambda one: one.installed))
"""What says what is installed, and installed files that are committed."""

OWN: Final = ("shiftwork.toml", "shiftwork/workflows/**", "workflows/*/workflow.yml")
"""What tells the harness itself how to go about the next run."""


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the globs means the path or a folder above it; one without a slash is about names anywhere."""
    return _regex(tuple(patterns)).fullmatch(path) is not None


_NO_PATH: Final = r"(?!)"
_WILDCARDS: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@cache
def _regex(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join((_NO_PATH, *map(_one, patterns))), re.DOTALL)


def _one(pattern: str) -> str:
    plain = pattern.removeprefix("./").strip("/")
    if plain in {"", "."}:
        return _NO_PATH
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", plain)
    body = "".join(_WILDCARDS.get(part, re.escape(part)) for part in parts)
    anywhere = "" if "/" in pattern.removeprefix("./").rstrip("/") else "(?:.*/)?"
    return f"{anywhere}{body}(?:/.*)?"


def is_own(path: str) -> bool:
    return matches(OWN, path)


def is_configuration(path: str) -> bool:
    return matches(CONFIGURATION, path) or matches(TOLD_ONLY, path) or is_own(path)


def is_dependency(path: str) -> bool:
    """Whether it says what is installed, or is installed itself and committed."""
    return matches(DEPENDENCIES, path)


def is_test(path: str, protection: Protection) -> bool:
    """What the settings name and is no configuration is taken for a test, and so is what a runner has listed."""
    if is_configuration(path) or is_dependency(path):
        return False
    return path in protection.listed or matches((*TESTS, *TESTS_TOLD, *protection.patterns), path)
