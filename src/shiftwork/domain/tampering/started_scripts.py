"""Which scripts the commands of a project start."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final

from shiftwork.domain.gates.commands import INTERPRETERS, named, without_reading
from shiftwork.domain.text.file_types import ending, is_source
from shiftwork.domain.text.globs import matches
from shiftwork.regexes import regex

_RECIPES: Final = ("*.mk", "*.sh", "*.bash", ".justfile")
"""Files with an extension whose lines are commands."""


_SERVING: Final = regex(r"(?:start|run|dev|develop|serve|server|preview|watch|deploy|release|publish)(?:[:_-].*)?")
"""Names of scripts and targets that start the product itself."""


def mentions(texts: Mapping[str, str]) -> str:
    """The command lines of files that configure gates, by path, with paths from the root of the tree. Commands that
    only start the product (`npm start`, `make run`) are left out, and so is everything in `package.json` but scripts.
    """
    return "\n".join(line for path, text in sorted(texts.items()) for line in _lines(path, text))


def _lines(path: str, text: str) -> Iterator[str]:
    folder, _, name = path.rpartition("/")
    package = name == "package.json"
    # A line of settings starts with a key or a value, not with a program.
    first = [f"{path}:"] if ending(path) and not package and not matches(_RECIPES, path) else []
    for line in map(without_reading, _scripts(text) if package else _recipes(text)):
        words = first + re.sub(r"""["'`,\[\](){}]""", " ", line).split()
        yield " ".join(f"{folder}/{word.removeprefix('./')}" if folder and is_source(word) else word for word in words)


def _scripts(text: str) -> Iterator[str]:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return
    scripts = read.get("scripts") if isinstance(read, dict) else None
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(command, str) and not _SERVING.fullmatch(name):
            yield command


def _recipes(text: str) -> Iterator[str]:
    """The lines of a Makefile, a justfile or settings, without the recipes of targets that start the product."""
    serving = False
    for line in text.splitlines():
        if target := re.match(r"@?([\w.-]+)[^:=\n]*:(?!=)", line):
            serving = _SERVING.fullmatch(target[1]) is not None
        if not serving:
            yield line.lstrip(" \t@+-")


def started(text: str) -> frozenset[str]:
    """The scripts that these command lines start."""
    return named(tuple(command for line in text.splitlines() for command in _commands(line))).run


def _commands(line: str) -> Iterator[str]:
    """The line as a command, and its remainder from each interpreter on, because settings may contain a command."""
    words = line.split()
    for place, word in enumerate(words):
        if place == 0 or INTERPRETERS.fullmatch(word):
            yield " ".join(words[place:])
