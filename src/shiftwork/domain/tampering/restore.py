"""Which of a story's changes the gates run without: checks are restored from the base, and new checks are left out."""

import sys
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from shiftwork.domain.gates.commands import is_check_script, named
from shiftwork.domain.tampering.ecosystems import ECOSYSTEMS
from shiftwork.domain.tampering.findings import Protection, ProtectPolicy, Touched
from shiftwork.domain.tampering.protected_paths import (
    CONFIGURATION,
    FOLDERS,
    NAMES,
    SHOWN_ONLY,
    TESTS,
    TESTS_SHOWN,
    is_configuration,
    is_test,
)
from shiftwork.domain.tampering.runner_keys import is_keyed
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches
from shiftwork.records import dataclass, replace

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
    *(pattern for ecosystem in ECOSYSTEMS for pattern in ecosystem.installed if pattern not in _VENDORED),
    *("**/vendor/bin/**", "**/vendor/bundle/**"),
)
"""What setup commands create and git ignores: a committed file there takes precedence over an installed one."""


def shadows(path: str, protection: Protection) -> bool:
    """Whether Python would load it in place of a standard module or of a test runner: the start folder, which is the
    root of the tree or the gate's working folder, comes first on the module path, and so does the folder of a script.
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


def _displaces(change: Touched, protection: Protection) -> bool:
    """Whether it is new, and something else would run without it."""
    if change.letter != "A":
        return False
    if shadows(change.path, protection) or matches(INSTALLED, change.path) or _replaces_loaded(change.path, protection):
        return True
    return _is_installed(change.path, protection)


def _replaces_loaded(path: str, protection: Protection) -> bool:
    """Whether it may be loaded instead of a file that runners or tests load: it has the same name, as a module or as a
    package, beside it or in another folder in which Python looks for modules.
    """
    loaded = protection.loaded | protection.support
    if not loaded or not is_source(path):
        return False
    roots = module_roots(protection)
    taken = {_module_name(known, roots) for known in loaded} | {_stem(known) for known in loaded}
    return bool({_module_name(path, roots), _stem(path)} & taken)


def _module_name(path: str, roots: Collection[str]) -> str:
    """The path below the innermost folder in which Python looks for modules, without its ending."""
    above = max((root for root in roots if path.startswith(f"{root}/")), key=len, default="")
    return _stem(path.removeprefix(f"{above}/" if above else ""))


def _stem(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder if stem in {"__init__", "index"} and folder else f"{folder}{slash}{stem}"


def _is_installed(path: str, protection: Protection) -> bool:
    """Whether Python would load it as a part of a module that is already installed."""
    if not protection.installed or not is_source(path):
        return False
    below = (
        path.removeprefix(f"{root}/")
        for root in module_roots(protection)
        if path.startswith(f"{root}/" if root else "")
    )
    return any(name.partition("/")[0].partition(".")[0] in protection.installed for name in below)


def _edits_installed(change: Touched) -> bool:
    """Whether it changes a committed package: that makes it another package with the same name."""
    return change.letter != "A" and matches((*INSTALLED, *_VENDORED), change.path)


_TESTS_BY_PLACE: Final = (
    *(
        f"**/{folder}/**/*.{end}"
        for folder in ("__tests__", "test")
        for end in ("js", "ts", "jsx", "tsx", "mjs", "cjs")
    ),
    *("**/tests/*.rs", "**/test/**/test_*.rb"),
)
"""Files that a runner collects as tests because of their folder."""


def is_support(path: str) -> bool:
    """Code in a tests folder that is not a test by its name: other tests may use it."""
    return is_source(path) and matches(FOLDERS, path) and not matches((*NAMES, *TESTS_SHOWN, *_TESTS_BY_PLACE), path)


def configures(change: Touched, protection: Protection) -> bool:
    """Whether it decides what gates do: by its name, as a new module that replaces another, as an edit of an installed
    package, because a gate's command names it, or because gate configuration includes or starts it.
    """
    if is_configuration(change.path) or _displaces(change, protection) or _edits_installed(change):
        return True
    if matches(protection.included, change.path) or change.path in protection.loaded:
        return True
    said = named(protection.commands)
    if change.letter != "A":
        return change.path in said.run | said.otherwise | protection.followed and not is_test(change.path, protection)
    # A file that a gate looks for (`test -f hello.txt`) is what the story should add.
    program = is_source(change.path) or not ending(change.path)
    return change.path in said.run and program and not is_test(change.path, protection)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """The paths to restore from the base (`back`), the new paths to leave out (`out`), and those where only the
    settings of runners are restored (`keyed`). `support` are those of `back` that tests alone use.
    """

    back: tuple[str, ...] = ()
    out: tuple[str, ...] = ()
    keyed: tuple[str, ...] = ()
    support: tuple[str, ...] = ()

    def list_trials(self) -> tuple["Restored", ...]:
        """What each further run restores: with support code as the story has it, and, if it has changed some, as the
        base has it. Were this product after all, a single run would judge the base's version of it.
        """
        first = replace(self, back=tuple(path for path in self.back if path not in self.support), support=())
        return (first, self) if self.support else (self,)


def put_back(touched: Sequence[Touched], protection: Protection, allowed: Sequence[str]) -> Restored:
    """What a second run of the gates restores or leaves out; empty where no second run is needed.

    New tests are left out like new configuration, because while they run they can manipulate the code and the runner.
    Files that the story's spec lists in `touches` (`allowed`) stay as the story has them.
    """
    if protection.policy is ProtectPolicy.REPORT:
        return Restored()
    open_to_question = [change for change in touched if not matches(allowed, change.path)]
    guarded = [change for change in open_to_question if _guarded(change, protection)]
    paths = {change.path for change in guarded}
    return Restored(
        back=tuple(change.path for change in guarded if change.letter != "A"),
        out=tuple(change.path for change in guarded if change.letter == "A"),
        keyed=tuple(change.path for change in open_to_question if is_keyed(change.path) and change.path not in paths),
        support=tuple(
            change.path for change in guarded if change.letter != "A" and _is_only_support(change, protection)
        ),
    )


def _is_only_support(change: Touched, protection: Protection) -> bool:
    return change.path in protection.support and not configures(change, protection)


def only_new_tests(restored: Restored, protection: Protection) -> bool:
    """Whether a second run leaves out only new tests, so that gates that run no tests need not run again."""
    new = [Touched(path=path, letter="A") for path in restored.out]
    return not restored.back and not any(configures(change, protection) or is_support(change.path) for change in new)


def _guarded(change: Touched, protection: Protection) -> bool:
    if protection.patterns:
        return matches(protection.patterns, change.path)
    if matches((*TESTS, *CONFIGURATION, *protection.included), change.path) or _edits_installed(change):
        return True
    if change.letter == "A":
        return _displaces(change, protection)
    if change.path in protection.listed | protection.loaded | protection.support:
        return True
    started = change.path in named(protection.commands).run | protection.followed and is_check_script(change.path)
    return started and not matches(SHOWN_ONLY, change.path)
