"""Which of a story's changes the gates are run without: checks are as the base has them, and nothing is new there."""

import sys
from collections.abc import Sequence
from typing import Final

from shiftwork.domain.model.tampering import Protection, ProtectPolicy, Touched
from shiftwork.domain.rules.commanding import is_check_script, named
from shiftwork.domain.rules.protecting import (
    CONFIGURATION,
    FOLDERS,
    NAMES,
    TESTS,
    TESTS_TOLD,
    TOLD_ONLY,
    is_configuration,
    is_test,
    matches,
)
from shiftwork.domain.rules.sources import ending, is_source

_RUNNERS: Final = """
    pytest _pytest py pluggy iniconfig packaging pygments exceptiongroup tomli colorama coverage xdist execnet
    hypothesis sortedcontainers attr attrs nose nose2 trial twisted behave robot tox nox invoke mock mypy
    mypy_extensions ruff typing_extensions flake8 pycodestyle pyflakes mccabe pylint astroid black isort bandit pyright
    setuptools pip pkg_resources sitecustomize usercustomize
"""
_SHADOWED: Final = sys.stdlib_module_names | frozenset(_RUNNERS.split())
_ROOTS: Final = ("", "src")

INSTALLED: Final = (
    *("**/node_modules/**", "**/.venv/**", "**/venv/**", "**/site-packages/**", "**/__pypackages__/**"),
    *("**/.tox/**", "**/.nox/**", "**/.yarn/releases/**", "**/vendor/bin/**", "**/vendor/bundle/**"),
)
"""What setup commands make and git ignores: a file of the commit goes before one that was installed there."""

_TESTS_BY_PLACE: Final = (
    *(
        f"**/{folder}/**/*.{end}"
        for folder in ("__tests__", "test")
        for end in ("js", "ts", "jsx", "tsx", "mjs", "cjs")
    ),
    *("**/tests/*.rs", "**/test/**/test_*.rb"),
)
"""Files that a runner takes for tests by the folder they are in."""


def shadows(path: str, protection: Protection) -> bool:
    """Whether Python would take it for a module of its own library or of a test runner: where it is started, the root
    of the tree or the folder that a gate goes to, comes first, and so does the folder of a script.
    """
    folder, _, name = path.rpartition("/")
    module, _, end = name.partition(".")
    if module == "__init__":
        folder, _, module = folder.rpartition("/")
    known = module in _SHADOWED or module.startswith("pytest_")
    return known and end.rpartition(".")[2] in {"py", "pyc", "so", "pyd"} and _is_root(folder, protection)


def _is_root(folder: str, protection: Protection) -> bool:
    return folder in _ROOTS or not {folder, folder.removesuffix("/src")}.isdisjoint(named(protection.commands).folders)


def _displaces(one: Touched, protection: Protection) -> bool:
    """Whether it is new, and something else would be run without it."""
    return one.letter == "A" and (shadows(one.path, protection) or matches(INSTALLED, one.path))


def is_support(path: str) -> bool:
    """Code in a folder of tests that is no test by its name: other tests may be run with it."""
    return is_source(path) and matches(FOLDERS, path) and not matches((*NAMES, *TESTS_TOLD, *_TESTS_BY_PLACE), path)


def configures(one: Touched, protection: Protection) -> bool:
    """Whether it decides what gates do: by its name, as a new module in the place of another, or because a gate's
    command names it.
    """
    if is_configuration(one.path) or _displaces(one, protection):
        return True
    said = named(protection.commands)
    if one.letter != "A":
        return one.path in said.run | said.otherwise and not is_test(one.path, protection)
    # A text that a gate looks for (`test -f hello.txt`) is what the story is to bring.
    program = is_source(one.path) or not ending(one.path)
    return one.path in said.run and program and not is_test(one.path, protection)


def put_back(
    touched: Sequence[Touched], protection: Protection, allowed: Sequence[str], *, early: bool = False
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths to take from the base, and the new ones to leave out; neither where there need be no second run.

    New tests alone need none, unless something of the change may end a run `early`. New configuration and new code
    beside the tests could make any test pass. What the story's spec says it touches (`allowed`) is left as the story
    has it.
    """
    if protection.policy is ProtectPolicy.REPORT:
        return (), ()
    guarded = [one for one in touched if _guarded(one, protection) and not matches(allowed, one.path)]
    back = tuple(one.path for one in guarded if one.letter != "A")
    new = [one for one in guarded if one.letter == "A"]
    plain = not early and not back and not any(configures(one, protection) or is_support(one.path) for one in new)
    return back, () if plain else tuple(one.path for one in new)


def _guarded(one: Touched, protection: Protection) -> bool:
    if protection.patterns:
        return matches(protection.patterns, one.path)
    if matches(TESTS, one.path) or matches(CONFIGURATION, one.path):
        return True
    if one.letter == "A":
        return _displaces(one, protection)
    started = one.path in named(protection.commands).run and is_check_script(one.path)
    return started and not matches(TOLD_ONLY, one.path)
