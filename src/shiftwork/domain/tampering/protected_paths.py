"""Which files are tests, gate configuration and shiftwork's own settings, by the names that tools use.

Files that also contain dependencies or product code (`package.json`, `CMakeLists.txt`, `tests.py`, …) are reported and
not restored: with the base's version, a story that needs a new package could never land. See
docs/decisions/0002-protected-tests.md.
"""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.tampering.ecosystems import ECOSYSTEMS, Ecosystem
from shiftwork.domain.tampering.findings import Protection
from shiftwork.domain.text.globs import matches


def _of_all(names: Callable[[Ecosystem], tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(pattern for ecosystem in ECOSYSTEMS for pattern in names(ecosystem))


TESTS: Final = _of_all(lambda ecosystem: ecosystem.tests)
"""Tests and recorded outputs, by names and folders that nothing else has."""

FOLDERS: Final = tuple(pattern for pattern in TESTS if pattern.startswith("**/") and pattern.endswith("/**"))

NAMES: Final = tuple(pattern for pattern in TESTS if pattern not in FOLDERS)

TESTS_SHOWN: Final = _of_all(lambda ecosystem: ecosystem.perhaps)
"""Names of tests that product code has too (`ab-test.ts`, `JobSpec.kt`)."""

CONFIGURATION: Final = _of_all(lambda ecosystem: ecosystem.settings)

SHOWN_ONLY: Final = _of_all(lambda ecosystem: ecosystem.mixed)

DEPENDENCIES: Final = (
    *_of_all(lambda ecosystem: ecosystem.dependencies),
    *_of_all(lambda ecosystem: ecosystem.installed),
)
"""Files that say what is installed, and installed files that are committed."""

OWN: Final = ("shiftwork.toml", "shiftwork/workflows/**", "workflows/*/workflow.yml")
"""Files that configure the next run of the harness itself."""


def is_own(path: str) -> bool:
    return matches(OWN, path)


def is_configuration(path: str) -> bool:
    return matches(CONFIGURATION, path) or matches(SHOWN_ONLY, path) or is_own(path)


def is_dependency(path: str) -> bool:
    """Whether it says what is installed, or is itself installed and committed."""
    return matches(DEPENDENCIES, path)


def is_test(path: str, protection: Protection) -> bool:
    """Files that the settings name and that are not configuration count as tests, and so do files that a runner has
    listed.
    """
    if is_configuration(path) or is_dependency(path):
        return False
    return path in protection.listed or matches((*TESTS, *TESTS_SHOWN, *protection.patterns), path)


def is_written_test(path: str, protection: Protection) -> bool:
    """A test that somebody has written, rather than a file that only makes its folder exist."""
    name = path.rpartition("/")[2]
    return name != "__init__.py" and not name.startswith(".") and is_test(path, protection)
