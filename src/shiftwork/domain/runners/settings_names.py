"""The code of a project that the settings and the commands of its runners name: plugins, set-up files, reporters."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Final

from shiftwork.domain.gates.commands import split
from shiftwork.domain.runners.known_runners import RUNNERS
from shiftwork.domain.runners.runner_report import KnownRunner
from shiftwork.domain.text.file_types import is_source
from shiftwork.domain.text.globs import matches
from shiftwork.regexes import regex

_MOST_TEXT: Final = 200_000
"""What is read of a file: no tool's settings are so long."""
_VALUE: Final = 4000
_VALUES: Final = 100

_PACKAGE: Final = "package.json"
_WORD: Final = regex(r"""[^\s"'`,;<>\[\](){}=]+""")
_OPENING: Final = {"[": "]", "{": "}", "(": ")"}
_ROOT: Final = regex(r"(?:<rootDir>|\$\{?\w+\}?)/")
_ENDINGS: Final = ("", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts", ".jsx", ".tsx", ".py", ".php", ".rb")
_INSIDE: Final = ("/index.js", "/index.ts", "/index.mjs", "/index.cjs", "/__init__.py")
_MODULE_PATH: Final = regex(r"^pythonpath[ \t]*=[ \t]*", re.MULTILINE)
_MODULE: Final = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def settings_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The files of a tree that may name code that a runner loads."""
    patterns = tuple(dict.fromkeys(pattern for runner in RUNNERS for pattern in runner.settings))
    return tuple(sorted(path for path in paths if matches(patterns, path)))


def named_by_runners(
    texts: Mapping[str, str], commands: Iterable[str], paths: Collection[str], roots: Collection[str]
) -> frozenset[str]:
    """The source files of the tree that the settings of runners, by path, and these commands name. `roots` are the
    folders in which Python looks for modules.
    """
    roots = {*roots, *(root for place, text in texts.items() for root in _module_path(place, text[:_MOST_TEXT]))}
    found = {
        path
        for place, text in texts.items()
        for runner in RUNNERS
        if matches(runner.settings, place)
        for word in frozenset(_words_of(runner, place, text[:_MOST_TEXT]))
        for path in _resolved(word, place.rpartition("/")[0], paths, roots)
    }
    found |= {
        path
        for command in commands
        for part in split(command)
        for runner in RUNNERS
        if runner.name in part
        for word in _options_in(runner, part)
        for path in _resolved(word, "", paths, roots)
    }
    return frozenset(found)


def _words_of(runner: KnownRunner, path: str, text: str) -> Iterator[str]:
    if path.rpartition("/")[2] == _PACKAGE:
        text = _section(text, runner.section)
    yield from _options_in(runner, text)
    for key in islice(_key_form(runner.keys).finditer(text), _VALUES):
        yield from _WORD.findall(_value_at(text, key.end()))


def _module_path(path: str, text: str) -> Iterator[str]:
    """The folders that pytest's settings add to those in which Python looks for modules."""
    folder = path.rpartition("/")[0]
    for line in _MODULE_PATH.finditer(text):
        yield from (_joined(folder, word) for word in _WORD.findall(_value_at(text, line.end())))


def _section(text: str, name: str) -> str:
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    section = read.get(name) if isinstance(read, dict) else None
    return json.dumps(section) if section and name else ""


@cache
def _key_form(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"""(?<![\w.-])(?:{"|".join(map(re.escape, keys))})(?:["']?[ \t]*[:=][ \t]*|[ \t]+(?=["'])|(?=\())"""
    )


def _value_at(text: str, start: int) -> str:
    """The value that begins there: to its closing bracket, or its line; if that is empty, the indented lines below."""
    rest = text[start : start + _VALUE]
    if rest[:1] in _OPENING:
        return rest[: _closing(rest)]
    lines = rest.split("\n")
    below = next((place for place, line in enumerate(lines[1:], start=1) if line[:1] not in {" ", "\t"}), len(lines))
    return "\n".join(lines[:below] if not lines[0].strip() else lines[:1])


def _closing(text: str) -> int:
    opening, closing, depth = text[0], _OPENING[text[0]], 0
    for place, letter in enumerate(text):
        depth += (letter == opening) - (letter == closing)
        if not depth:
            return place
    return len(text)


def _options_in(runner: KnownRunner, text: str) -> Iterator[str]:
    if runner.options:
        yield from _option_form(runner.options).findall(text)


@cache
def _option_form(options: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"""(?<![\w-])(?:{"|".join(map(re.escape, options))})(?:[ \t]+|=|["'],[ \t]*)?["']?([\w./@][\w./@:-]*)"""
    )


def _resolved(word: str, folder: str, paths: Collection[str], roots: Collection[str]) -> Iterator[str]:
    plain = _ROOT.sub("", word).partition(":")[0]
    for base in dict.fromkeys((folder, "")):
        path = _joined(base, plain)
        yield from (name for end in (*_ENDINGS, *_INSIDE) if is_source(name := path + end) and name in paths)
    if _MODULE.fullmatch(plain):
        yield from _modules(plain.replace(".", "/"), dict.fromkeys(("", folder, *roots)), paths)


def _modules(module: str, roots: Iterable[str], paths: Collection[str]) -> Iterator[str]:
    for root in roots:
        place = f"{root}/{module}" if root else module
        yield from (path for path in (f"{place}.py", f"{place}/__init__.py") if path in paths)


def _joined(folder: str, word: str) -> str:
    parts: list[str] = []
    for part in (*folder.split("/"), *word.split("/")):
        if part == ".." and parts:
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
