"""How the tests of a Python project are written, which decides how to run them."""

import re
from itertools import islice
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.python.manifest import MANIFESTS
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_FILES: Final = r"test_.*\.py|.*_test\.py|tests\.py"
_MOST_FILES: Final = 60
_DEPTH: Final = 5
_TEST_FOLDERS: Final = ("tests", "test")

_PYTEST: Final = regex(
    r"^(?:async\s+)?def\s+test_?\w*\s*\("
    r"|^[ \t]*(?:import|from)[ \t]+pytest\b"
    r"|^class\s+Test\w*\s*(?:\(\s*\))?\s*:",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """The test files, and whether any of them need pytest."""

    files: tuple[str, ...] = ()
    pytest: bool = False


def tests_in(folder: Folder, *, declared: bool, whole: bool) -> Tests:
    """The tests in the folder, without those of nested projects unless `whole` is set. If no manifest declares a Python
    project (`declared`), only tests at the root and in its test folder count.
    """
    depth = _DEPTH if declared else 1
    found = islice(folder.files(_FILES, depth=depth, stop=() if whole else MANIFESTS), _MOST_FILES)
    files = tuple(path for path in found if declared or _at_the_usual_place(path))
    texts = [folder.text(path) for path in files]
    return Tests(
        files=files,
        pytest=any(map(_PYTEST.search, texts)) or any(folder.files(r"conftest\.py", depth=1, stop=MANIFESTS)),
    )


def unittest_command(folder: Folder, tests: Tests) -> str:
    """Arguments for `python -m`: by default unittest only searches packages, for names that start with "test"."""
    place = tests.files[0].rpartition("/")[0].partition("/")[0] if tests.files else ""
    suffix = "" if any(_name(path).startswith("test") for path in tests.files) else " -p '*_test.py'"
    if not place:
        return f"unittest{' discover' if suffix else ''} -v{suffix}"
    top = " -t ." if folder.has(f"{place}/__init__.py") else ""
    return f"unittest discover -v -s {place}{top}{suffix}"


def _at_the_usual_place(path: str) -> bool:
    return "/" not in path or path.partition("/")[0] in _TEST_FOLDERS


def _name(path: str) -> str:
    return path.rpartition("/")[2]
