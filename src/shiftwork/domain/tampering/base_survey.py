"""What only the base can show about a change: whether a new module replaces an installed one, which files the gates'
own configuration includes or starts, and which files a runner collects as tests.

This module builds the commands and reads their output; `app.landing.base_survey` runs them on the base only, because a
candidate could fake the answers.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from shiftwork.domain.gates.commands import named
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.protected_paths import TESTS
from shiftwork.domain.tampering.restore import module_roots
from shiftwork.domain.tampering.started_scripts import mentions, started
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches
from shiftwork.regexes import regex

NAMES: Final = 1000
"""The maximum number of new modules to ask about, and of files to read that may start others."""

# Modules ---------------------------------------------------------------------------------------------------------

_MODULES: Final = frozenset({"py", "pyc", "so", "pyd"})
_MANIFESTS: Final = ("pyproject.toml", "setup.py", "setup.cfg")
_PYTHON: Final = regex(r"(?:[^\s;&|()'\"]*/)?(?:python|pypy)[\d.]*")
_FOUND: Final = (
    "import importlib.util, sys; print(*(name for name in sys.argv[1:] if importlib.util.find_spec(name)), sep='\\n')"
)


def members(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders directly below the root that are separate Python projects: gates find modules there."""
    found = {path.partition("/")[0] for path in paths if path.count("/") == 1 and path.endswith(_MANIFESTS)}
    return tuple(sorted(found))


def new_modules(touched: Sequence[Touched], paths: Collection[str], protection: Protection) -> tuple[str, ...]:
    """The top-level modules that a change adds and its base does not have, where Python looks for modules."""
    roots = module_roots(protection)
    before = {name for path in paths for name in _modules(path, roots)}
    new = {name for change in touched if change.letter == "A" for name in _modules(change.path, roots)}
    return tuple(sorted(new - before))[:NAMES]


def _modules(path: str, roots: Iterable[str]) -> Iterator[str]:
    if ending(path) not in _MODULES:
        return
    for root in roots:
        if not root or path.startswith(f"{root}/"):
            name = path.removeprefix(f"{root}/" if root else "").partition("/")[0].partition(".")[0]
            if name.isidentifier() and name.isascii():
                yield name


def asking_for_modules(names: Sequence[str], commands: Iterable[str]) -> str:
    """A command that prints which of the modules an interpreter of the gates has installed. It ignores the working
    folder and the gate's variables, so that the tree itself does not count.
    """
    said = [word for command in commands for word in _PYTHON.findall(command)]
    programs = " ".join(map(shlex.quote, dict.fromkeys(("python3", "python", *said))))
    question = f'"$p" -I -c {shlex.quote(_FOUND)} {" ".join(names)}'
    return f"for p in {programs}; do {question}; done 2>/dev/null; true"


# What configuration includes or starts ---------------------------------------------------------------------------

_RECIPES: Final = (
    *("GNUmakefile", "Makefile", "makefile", "*.mk", "justfile", "Justfile", ".justfile", "Taskfile.y*ml"),
    *("taskfile.y*ml", "package.json", "composer.json", "tox.ini", "noxfile.py", "Rakefile", "mise.toml"),
)
_INCLUDE: Final = regex(r"^[ \t]*(?:-|s)?include[ \t]+([^#\n]+)", re.MULTILINE)
_IMPORT: Final = regex(r"""^(?:import|mod)\??[ \t]+(?:\w+[ \t]+)?['"]([^'"\n]+)['"]""", re.MULTILINE)
_VARIABLE: Final = regex(r"\$[({][^(){}]*[)}]/?|\$\w/?")


def recipes(paths: Iterable[str]) -> tuple[str, ...]:
    """The files of a tree whose lines are commands, as far as tools recognise them by name."""
    return tuple(sorted(path for path in paths if matches(_RECIPES, path)))[:NAMES]


def scripts_in(texts: Mapping[str, str], paths: Collection[str]) -> frozenset[str]:
    """The files of the tree that these files start. A command may run in the folder of its file, or at the root."""
    at_root = (mentions({path.rpartition("/")[2]: text}) for path, text in texts.items())
    return started("\n".join((mentions(texts), *at_root))).intersection(paths)


def included_by(texts: Mapping[str, str]) -> tuple[str, ...]:
    """The files, as globs, that these files include, whether they exist or not."""
    return tuple(dict.fromkeys(pattern for path, text in sorted(texts.items()) for pattern in _included(path, text)))


def _included(path: str, text: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    names = [word for line in _INCLUDE.findall(text) for word in line.split()] + _IMPORT.findall(text)
    for name in names:
        anywhere = _VARIABLE.sub("**/", name)
        plain = "/".join(part for part in anywhere.split("/") if part not in {"", "."})
        # A glob without a slash would match names in any folder.
        yield f"/{plain}" if not folder else f"/{folder}/{plain}"


# Tests -----------------------------------------------------------------------------------------------------------

_FILES: Final = """
import sys, unittest

def cases(suite):
    for one in suite:
        yield from cases(one) if isinstance(one, unittest.TestSuite) else (one,)

class Lister:
    def run(self, suite):
        print(*{sys.modules[type(one).__module__].__file__ for one in cases(suite)}, sep=chr(10))

unittest.main(module=None, argv=["unittest", *sys.argv[1:]], testRunner=Lister(), exit=False)
"""
_UNITTEST: Final = regex(r"((?:^|[\s/])python[\d.]*(?:\s+-[A-Za-z]+)*?\s+)-m\s+unittest(?![\w.])([^;&|<>()\n]*)$")
_LISTING: Final = (
    (regex(r"(?:^|[\s/])(?:pytest|py\.test)(?![\w./-])[^;&|<>()\n]*$"), " --collect-only -q"),
    (regex(r"(?:^|[\s/])jest(?![\w./-])[^;&|<>()\n]*$"), " --listTests"),
)
_DOUBTFUL: Final = regex(r"test|spec|check", re.IGNORECASE)
_LISTED: Final = regex(r"^([^\s:][^:\n]*)(?:::[^\n]*|: \d+)?$", re.MULTILINE)


def doubtful(touched: Sequence[Touched], protection: Protection) -> tuple[str, ...]:
    """Files of the base that may be tests by a part of their name; only a runner can decide."""
    said = named(protection.commands)
    return tuple(
        change.path
        for change in touched
        if change.letter != "A"
        and is_source(change.path)
        and _DOUBTFUL.search(change.path.rpartition("/")[2])
        and not matches(TESTS, change.path)
        and change.path not in said.run
    )


def listings(commands: Iterable[str]) -> tuple[str, ...]:
    """The commands that make the runners of these gates list their tests without running them."""
    found = [name for command in commands for name in _listing(command.rstrip())]
    return tuple(
        f"{{ {name} ; }} 2>/dev/null | cut -c1-2000 | sed 's/::.*//' | sort -u | head -n 20000" for name in found
    )


def _listing(command: str) -> Iterator[str]:
    if _UNITTEST.search(command):
        yield _UNITTEST.sub(lambda found: f"{found[1]}-c {shlex.quote(_FILES)}{found[2]}", command)
    yield from (command + more for form, more in _LISTING if form.search(command))


def listed_in(output: str, asked: Iterable[str]) -> frozenset[str]:
    """The files that a line names; a runner may print full paths, or run in another folder."""
    lines = {found.strip() for found in _LISTED.findall(output)}
    return frozenset(path for path in asked if any(_is_meant(path, line) for line in lines))


def _is_meant(path: str, line: str) -> bool:
    return line == path or line.endswith(f"/{path}") or path.endswith(f"/{line.removeprefix('./')}")
