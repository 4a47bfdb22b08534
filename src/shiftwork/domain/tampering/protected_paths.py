"""Which files are tests, gate configuration and shiftwork's own settings: known by the names that tools go by.

Files that hold dependencies or product code as well (`package.json`, `CMakeLists.txt`, `tests.py`, …) are told of and
not put back: with the base's version a story that needs a new package could never land. See
docs/decisions/0002-protected-tests.md.
"""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.tampering.ecosystems import ECOSYSTEMS, Ecosystem
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.text.globs import matches


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
