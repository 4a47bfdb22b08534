"""Which of a story's changes the gates are run without: checks are as the base has them, and nothing is new there."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from shiftwork.domain.gates.commands import is_check_script, named
from shiftwork.domain.tampering.ecosystems import ECOSYSTEMS
from shiftwork.domain.tampering.findings import Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.protected_paths import (
    CONFIGURATION,
    FOLDERS,
    NAMES,
    TESTS,
    TESTS_TOLD,
    TOLD_ONLY,
    is_configuration,
    is_test,
)
from shiftwork.domain.tampering.runner_keys import is_keyed
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches

_RUNNERS: Final = """
    pytest _pytest py pluggy iniconfig packaging pygments exceptiongroup tomli colorama coverage xdist execnet
    hypothesis sortedcontainers attr attrs nose nose2 trial twisted behave robot tox nox invoke mock mypy
    mypy_extensions ruff typing_extensions flake8 pycodestyle pyflakes mccabe pylint astroid black isort bandit pyright
    setuptools pip pkg_resources sitecustomize usercustomize
"""
_SHADOWED: Final = sys.stdlib_module_names | frozenset(_RUNNERS.split())
_ROOTS: Final = ("", "src")

_VENDORED: Final = ("**/vendor/**",)
INSTALLED: Final = (
    *(pattern for one in ECOSYSTEMS for pattern in one.installed if pattern not in _VENDORED),
    *("**/vendor/bin/**", "**/vendor/bundle/**"),
)
"""What setup commands make and git ignores: a file of the commit goes before one that was installed there."""


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
    return folder in module_roots(protection)


@lru_cache(maxsize=256)
def module_roots(protection: Protection) -> frozenset[str]:
    """The folders in which Python looks for modules when gates run."""
    folders = (*named(protection.commands).folders, *protection.members)
    return frozenset((*_ROOTS, *folders, *(f"{folder}/src" for folder in folders if folder)))


def _displaces(one: Touched, protection: Protection) -> bool:
    """Whether it is new, and something else would be run without it."""
    if one.letter != "A":
        return False
    return shadows(one.path, protection) or matches(INSTALLED, one.path) or _is_installed(one.path, protection)


def _is_installed(path: str, protection: Protection) -> bool:
    """Whether Python would take it for a part of a module that is installed already."""
    if not protection.installed or not is_source(path):
        return False
    below = (
        path.removeprefix(f"{root}/")
        for root in module_roots(protection)
        if path.startswith(f"{root}/" if root else "")
    )
    return any(name.partition("/")[0].partition(".")[0] in protection.installed for name in below)


def _edits_installed(one: Touched) -> bool:
    """Whether it changes a package that is committed: that is another package by the same name."""
    return one.letter != "A" and matches((*INSTALLED, *_VENDORED), one.path)


_TESTS_BY_PLACE: Final = (
    *(
        f"**/{folder}/**/*.{end}"
        for folder in ("__tests__", "test")
        for end in ("js", "ts", "jsx", "tsx", "mjs", "cjs")
    ),
    *("**/tests/*.rs", "**/test/**/test_*.rb"),
)
"""Files that a runner takes for tests by the folder they are in."""


def is_support(path: str) -> bool:
    """Code in a folder of tests that is no test by its name: other tests may be run with it."""
    return is_source(path) and matches(FOLDERS, path) and not matches((*NAMES, *TESTS_TOLD, *_TESTS_BY_PLACE), path)


def configures(one: Touched, protection: Protection) -> bool:
    """Whether it decides what gates do: by its name, as a new module in the place of another, as an edit of what was
    installed, because a gate's command names it, or because gate configuration includes or starts it.
    """
    if is_configuration(one.path) or _displaces(one, protection) or _edits_installed(one):
        return True
    if matches(protection.included, one.path):
        return True
    said = named(protection.commands)
    if one.letter != "A":
        return one.path in said.run | said.otherwise | protection.followed and not is_test(one.path, protection)
    # A text that a gate looks for (`test -f hello.txt`) is what the story is to bring.
    program = is_source(one.path) or not ending(one.path)
    return one.path in said.run and program and not is_test(one.path, protection)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The paths to take from the base (`back`), the new ones to leave out (`out`), and those of which only what
    configures runners is taken from the base (`keyed`).
    """

    back: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    keyed: tuple[str, ...] = ()


def put_back(touched: Sequence[Touched], protection: Protection, allowed: Sequence[str]) -> Restored:
    """What a second run of the gates does without; nothing where there need be none.

    New tests are left out as new configuration is: while they run, they can do to the code and to the runner whatever
    they like. What the story's spec says it touches (`allowed`) is left as the story has it.
    """
    if protection.policy is ProtectPolicy.REPORT:
        return Restored()
    open_to_doubt = [one for one in touched if not matches(allowed, one.path)]
    guarded = [one for one in open_to_doubt if _guarded(one, protection)]
    paths = {one.path for one in guarded}
    return Restored(
        back=tuple(one.path for one in guarded if one.letter != "A"),
        out=tuple(one.path for one in guarded if one.letter == "A"),
        keyed=tuple(one.path for one in open_to_doubt if is_keyed(one.path) and one.path not in paths),
    )


def only_new_tests(restored: Restored, protection: Protection) -> bool:
    """Whether a second run does without nothing but new tests, so that gates which run none need not run again."""
    new = [Touched(path=path, letter="A") for path in restored.out]
    return not restored.back and not any(configures(one, protection) or is_support(one.path) for one in new)


def _guarded(one: Touched, protection: Protection) -> bool:
    if protection.patterns:
        return matches(protection.patterns, one.path)
    if matches((*TESTS, *CONFIGURATION, *protection.included), one.path) or _edits_installed(one):
        return True
    if one.letter == "A":
        return _displaces(one, protection)
    if one.path in protection.listed:
        return True
    started = one.path in named(protection.commands).run | protection.followed and is_check_script(one.path)
    return started and not matches(TOLD_ONLY, one.path)
