"""The project's own commands for its checks: targets of a Makefile, recipes of a justfile.

`check` usually runs all the others again. It is a gate only if it does something that none of them does, which is
determined by following its prerequisites and its lines.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import FoundGate
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.records import dataclass, field, replace
from shiftwork.regexes import regex

_JUST_FILES: Final = ("justfile", "Justfile", ".justfile")
_MAKE_FILES: Final = ("GNUmakefile", "Makefile", "makefile")
_WORDS: Final = {
    "lint": ("lint",),
    "typecheck": ("typecheck", "type-check"),
    "test": ("test", "tests"),
    "check": ("check",),
}
_MAKE_RULE: Final = regex(r"^([A-Za-z][^:=#\t]*+)[ \t]*+::?(?![:=])([^=;#\n]*)(?:;([^\n]*))?(?:#[^\n]*)?$")
_JUST_RULE: Final = regex(r"^@?([A-Za-z][\w-]*)((?:[ \t][^\n:]*)?):(?!=)([^#\n]*)(?:#[^\n]*)?$")
_CALL: Final = regex(r"(?:\$[({]MAKE[)}]|\bmake|\bjust)((?:[ \t]+[\w=./-]+)+)")


_LINES: Final = 20_000
_NAMES: Final = 200
"""The maximum read from a file and from a rule: real files have fewer, but a hostile file could have more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    needs: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def find(folder: Folder) -> tuple[FoundGate, ...]:
    """The gates of both files; if both have the same name, the justfile's."""
    found: dict[str, FoundGate] = {}
    for program, files, pattern in (("just", _JUST_FILES, _JUST_RULE), ("make", _MAKE_FILES, _MAKE_RULE)):
        # On case-insensitive file systems a file has all of these names.
        if file := folder.first(*files):
            for gate in _gates(program, file, _rules(folder.text(file), pattern)):
                found.setdefault(gate.name, gate)
    return tuple(found.values())


def tests_are_run(gates: tuple[FoundGate, ...]) -> bool:
    """Whether one of these gates runs the project's tests."""
    return any(gate.name == "test" or (gate.name == "check" and not gate.kind) for gate in gates)


def _gates(program: str, file: str, rules: Mapping[str, _Rule]) -> Iterator[FoundGate]:
    done: set[str] = set()
    for gate, names in _WORDS.items():
        name = next((item for item in names if item in rules), "")
        if not name:
            continue
        found = FoundGate(name=gate, command=f"{program} {name}", source=file)
        does = _work(name, rules)
        if gate == "check":
            if does and does <= done:
                continue
            found = replace(found, kind="" if _starts_tests(does, rules) else "other")
        done |= does
        yield found


def _work(name: str, rules: Mapping[str, _Rule]) -> set[str]:
    """The commands that a target runs, including those of its prerequisites."""
    done, seen, waiting = set[str](), set[str](), [name]
    while waiting:
        text = waiting.pop()
        if text in seen:
            continue
        seen.add(text)
        if text not in rules:
            done.add(text)
            continue
        waiting += rules[text].needs
        for line in rules[text].lines:
            called = [word for words in _CALL.findall(line) for word in words.split() if word in rules]
            waiting += called
            if not called:
                done.add(line)
    return done


def _starts_tests(does: set[str], rules: Mapping[str, _Rule]) -> bool:
    tests = {line for name in _WORDS["test"] if name in rules for line in _work(name, rules)}
    return bool(does & tests) or any(is_test_gate(Gate(name="", command=line)) for line in does)


def _rules(text: str, pattern: re.Pattern[str]) -> dict[str, _Rule]:
    rules: dict[str, _Rule] = {}
    current: tuple[str, ...] = ()
    for line in text.replace("\\\n", " ").splitlines()[:_LINES]:
        if line[:1] in {" ", "\t"}:
            command = " ".join(line.strip().lstrip("@-+").split())
            if command and not command.startswith("#"):
                for name in current:
                    rules[name].lines.append(command)
        elif rule := pattern.match(line):
            current = _read(rule, rules, just=pattern is _JUST_RULE)
        elif line.strip() and not line.startswith("#"):
            current = ()
    return rules


def _read(rule: re.Match[str], rules: dict[str, _Rule], *, just: bool) -> tuple[str, ...]:
    """Adds the rule; returns the names that its lines belong to."""
    names = (rule[1],) if just else tuple(dict.fromkeys(rule[1].split()))[:_NAMES]
    needs = re.findall(r"[\w./-]+", rule[3] if just else rule[2])[:_NAMES]
    lines = [] if just or not rule[3] else [" ".join(rule[3].split())]
    for name in names:
        known = rules.setdefault(name, _Rule())
        known.needs.extend(needs)
        known.lines.extend(lines)
    return names
