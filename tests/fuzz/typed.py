"""Random legal command lines: every command and every parameter, from the command line's own tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, Final

import click

from shiftwork.entrypoints.cli.group import group

MOST_AT_ONCE: Final = 4

_STORIES: Final = ("US-001", "US-002", "US-003", "US-1", "BASE-1", "_run", "nothing")
_TEXTS: Final = ("Say it louder", "x", "{{task}} {0}", "naïve — ünïcode", "two\nlines", "-", "1")
_WORKFLOWS: Final = ("ralph", "own.yml", "asking.yml", "profiled.yml", "nothing", "nothing.yml", ".")
_FILES: Final = ("out.txt", "out/of/nowhere.txt", ".", "prd.json")

_VALUES: Final[Mapping[str, Sequence[str]]] = {
    "story": _STORIES,
    "stories": _STORIES,
    "after": _STORIES,
    "depends_on": _STORIES,
    "request": ("Add a greeting", "prd.json", "one.json", "nothing.json", "", "x", "."),
    "branch": ("main", "side", "nothing", "-x", "HEAD"),
    "model": ("cheap", "gpt-5", ""),
    "workflow": _WORKFLOWS,
    "without_gates": ("green", "red", "nothing"),
    "what": ("shiftwork.toml", "prd.json", "own.yml", "nothing.yml", "US-001", "HEAD"),
    "name": ("mine", "ralph", "no_good"),
    "step": ("coding", "step-01", "01", "nothing"),
    "file": _FILES,
    "out": _FILES,
    "output": _FILES,
}
"""By the name of a parameter; for every other text `_TEXTS` will do."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """What is typed, and after which words of it the parameters begin."""

    command: str
    words: tuple[str, ...]

    @property
    def as_json(self) -> bool:
        return "--json" in self.words


@cache
def commands() -> Mapping[str, click.Command]:
    """Every command by the words that call it."""
    return dict(_below(group, ()))


def _below(above: click.Group, words: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(above)
    for name in above.list_commands(context):
        command = above.get_command(context, name)
        assert command is not None, name
        if isinstance(command, click.Group):
            yield from _below(command, (*words, name))
        else:
            yield " ".join((*words, name)), command


def line(random: Random, command: str, runs: Sequence[str], most: int = MOST_AT_ONCE) -> Line:
    """A legal line of that command: some of its options, each with a value of its type."""
    parameters = commands()[command].params
    options = [parameter for parameter in parameters if isinstance(parameter, click.Option)]
    chosen = random.sample(options, random.randint(0, min(len(options), most)))
    words = [word for option in chosen for word in _option(random, option, runs)]
    arguments = [parameter for parameter in parameters if isinstance(parameter, click.Argument)]
    typed = [word for argument in arguments for word in _argument(random, argument, runs)]
    return Line(command=command, words=(*command.split(), *words, *(("--", *typed) if typed else ())))


def _option(random: Random, option: click.Option, runs: Sequence[str]) -> Iterator[str]:
    if option.is_flag:
        yield option.opts[0]
        return
    for _ in range(random.randint(1, 2) if option.multiple else 1):
        yield option.opts[0]
        yield _value(random, option, runs)


def _argument(random: Random, argument: click.Argument, runs: Sequence[str]) -> Iterator[str]:
    if not argument.required and random.random() < 0.4:
        return
    for _ in range(random.randint(1, 3) if argument.nargs < 0 else 1):
        yield _value(random, argument, runs)


def _value(random: Random, parameter: click.Parameter, runs: Sequence[str]) -> str:
    name = str(parameter.name)
    if name == "run":
        return random.choice((*runs, *(run[:6] for run in runs), "nothing", ""))
    make = _BY_TYPE.get(type(parameter.type).__name__)
    assert make is not None or name in _VALUES, f"nothing is known of the values of {name}: {parameter.type}"
    return random.choice(_VALUES.get(name, _TEXTS)) if make is None or name in _VALUES else make(random, parameter.type)


_BY_TYPE: Final[Mapping[str, Callable[[Random, Any], str]]] = {
    "StringParamType": lambda random, _: random.choice(_TEXTS),
    "Choice": lambda random, kind: str(random.choice(tuple(kind.choices))),
    "IntRange": lambda random, kind: str(random.choice((max(kind.min or 0, 1), 3, kind.max or 10**30))),
    "Money": lambda random, kind: random.choice(("0.01", "5", "1e6", str(kind.max or 1e300))),
}
