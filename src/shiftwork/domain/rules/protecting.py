"""Which files are tests and gate configuration, and which of a story's changes the gates are run without.

Files that hold dependencies as well (`package.json`, `pyproject.toml`, …) are told of and not put back: with the base's
version a story that needs a new package could never land. See docs/decisions/0002-protected-tests.md.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

from shiftwork.domain.model.tampering import Protection, ProtectPolicy, Touched

TESTS: Final = (
    "**/tests/**",
    "**/test/**",
    "**/__tests__/**",
    "test_*.py",
    "*_test.py",
    "*_test.go",
    "*.test.*",
    "*.spec.*",
    "*_spec.rb",
    "*_test.rb",
    "*Test.java",
    "*Tests.java",
    "*Test.kt",
    "*Test.php",
    "*Tests.cs",
)

CONFIGURATION: Final = (
    *("conftest.py", "pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", ".coveragerc"),
    # Python takes these from the folder it is started in before any other.
    *("sitecustomize.py", "usercustomize.py", "/pytest.py", "/pytest/**", "/unittest.py", "/unittest/**"),
    *("mypy.ini", ".mypy.ini", "ruff.toml", ".ruff.toml", ".flake8", "pyrightconfig.json"),
    *("jest.config.*", "vitest.config.*", "karma.conf.*", "playwright.config.*", "cypress.config.*", ".mocharc*"),
    *("eslint.config.*", ".eslintrc*", ".golangci.*", "clippy.toml", ".clippy.toml", "phpunit.xml*"),
    *("GNUmakefile", "Makefile", "makefile", "justfile", "Justfile", ".justfile", "shiftwork.toml"),
)

TOLD_ONLY: Final = (
    *("package.json", "pyproject.toml", "setup.cfg", "setup.py", "tsconfig*.json", "build.gradle*", "pom.xml"),
    *(".github/workflows/**", ".gitlab-ci.yml", ".circleci/**", "azure-pipelines.yml", "Jenkinsfile"),
    *(".pre-commit-config.yaml", ".worktreeinclude"),
)


def matches(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the globs means the path or a folder above it; one without a slash is about names anywhere."""
    return any(_regex(pattern).fullmatch(path) for pattern in patterns)


_WILDCARDS: Final = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").strip("/")
    if plain in {"", "."}:
        return re.compile(r"(?!)")  # no path at all
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", plain)
    body = "".join(_WILDCARDS.get(part, re.escape(part)) for part in parts)
    anywhere = "" if "/" in pattern.removeprefix("./").rstrip("/") else "(?:.*/)?"
    return re.compile(f"{anywhere}{body}(?:/.*)?", re.DOTALL)


def is_configuration(path: str) -> bool:
    return matches(CONFIGURATION, path) or matches(TOLD_ONLY, path)


def is_test(path: str, protection: Protection) -> bool:
    """What the settings name and is no configuration is taken for a test."""
    return not is_configuration(path) and (matches(TESTS, path) or matches(protection.patterns, path))


def put_back(
    touched: Sequence[Touched], protection: Protection, allowed: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths to take from the base, and the new ones to leave out.

    New tests stay, but for one case: new configuration could make any test pass, so it is left out, and with it the
    new tests, which may need it. What the story's spec says it touches (`allowed`) is left as the story has it.
    """
    if protection.policy is ProtectPolicy.REPORT:
        return (), ()
    patterns = protection.patterns or (*TESTS, *CONFIGURATION)
    guarded = [one for one in touched if matches(patterns, one.path) and not matches(allowed, one.path)]
    back = tuple(one.path for one in guarded if one.letter != "A")
    new = [one.path for one in guarded if one.letter == "A"]
    trusted = not any(is_configuration(path) for path in new)
    return back, () if trusted else tuple(new)
