"""The gates of a run: those of the settings, and the checks that its own spec names, including commands within
sentences.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final

from shiftwork.domain.gates.attribution import gates_of
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.gates.test_gate import is_test_gate
from shiftwork.records import replace
from shiftwork.regexes import regex


def gates_for(settings: Sequence[Gate], own: Sequence[Gate]) -> tuple[Gate, ...]:
    """The settings' gates, then those of the spec. Each command runs once, under its first name, and for every change
    where the spec names it, whatever `paths` the settings have for it. If another gate already uses the name of a
    spec's check for another command, the check's name gets its file's name appended.
    """
    always = {gate.command for gate in own}
    gates = [replace(gate, paths=()) if gate.command in always else gate for gate in settings]
    for gate in own:
        if gate.command not in {item.command for item in gates}:
            gates.append(_apart(gate, {item.name for item in gates}))
    return tuple(gates)


def gates_of_run(settings: Sequence[Gate], own: Sequence[Gate], without: Sequence[str]) -> tuple[Gate, ...]:
    """The gates that judge work of one run: those of the settings and of its spec, but not those it runs `without`."""
    return gates_of(gates_for(settings, own), without)


def gates_of_all(settings: Sequence[Gate], specs: Iterable[Sequence[Gate]]) -> tuple[Gate, ...]:
    """The gates of several runs, for a check that covers stories of all of them; each gate keeps its name from its own
    run.
    """
    found = (gate for own in specs for gate in gates_for(settings, own))
    merged: dict[tuple[str, str], Gate] = {}
    for gate in (*settings, *found):
        known = merged.get((gate.name, gate.command), gate)
        merged[gate.name, gate.command] = gate if known.paths else known
    return tuple(merged.values())


def _apart(gate: Gate, taken: set[str]) -> Gate:
    """The gate under an unused name. The file's name in it must not make it a test gate, so `kind` is set."""
    if gate.name not in taken:
        return gate
    name = next(name for name in _names(gate) if name not in taken)
    return replace(gate, name=name, kind="test" if is_test_gate(gate) else "other")


def _names(gate: Gate) -> Iterator[str]:
    named = f"{gate.name} ({gate.origin.rpartition('/')[2]})"
    yield named
    yield from (f"{named} {number}" for number in count(2))


# Commands within sentences ---------------------------------------------------------------------------------------

_KNOWN: Final = """
    npm pnpm yarn bun bunx npx deno node tsc eslint prettier biome jest vitest mocha playwright cypress
    python python3 pytest tox nox mypy pyright ruff black flake8 pylint uv uvx poetry pdm hatch pipenv pre-commit
    cargo go golangci-lint make just task cmake ctest bazel mvn gradle sbt bundle rake rspec rubocop rails mix
    composer phpunit php dotnet swift flutter dart zig cabal stack docker sh bash cd test
"""
_PROGRAMS: Final = frozenset(_KNOWN.split())
_SCRIPT: Final = regex(r"\./(?:[\w-]+/)*[\w-]+(?:\.sh)?")
_PASSES: Final = r"(?:passes|succeeds|is green|is clean|exits with (?:code )?0|exits 0)\.?"
_QUOTED: Final = regex(rf"(?:(?:the command|running) )?`(?P<command>[^`\n]+)` {_PASSES}", re.IGNORECASE)
_BARE: Final = regex(
    rf"""(?P<command>
        npm[ ](?:run[ ][\w:.-]+|test) | (?:pnpm|yarn|bun)[ ](?:run[ ])?[\w:.-]+ | make[ ][\w-]+
      | cargo[ ](?:test|check|build|clippy|nextest[ ]run) | go[ ](?:test|vet|build)[ ]\./\.\.\.
      | pytest | tox | nox | tsc | mypy | pyright | ruff[ ]check
    )[ ]{_PASSES.replace(" ", "[ ]")}""",
    re.VERBOSE,
)
_WORDS: Final = "a all an and are every is it must no pass passes should sure that the with"
_PROSE: Final = frozenset(_WORDS.split())


def command_in(criterion: str) -> str:
    """The command that a criterion says must pass, as in "`npm test` passes" or "pnpm typecheck passes"; empty where it
    names none, as in "Typecheck passes".
    """
    text = " ".join(criterion.split())
    quoted = _QUOTED.fullmatch(text)
    if quoted:
        command = quoted["command"].strip()
        return command if _starts_a_program(command) else ""
    bare = _BARE.fullmatch(text)
    return bare["command"] if bare else ""


def command_of(check: str) -> str:
    """The command that an item of a list of checks is or names; empty for a plain sentence."""
    text = check.strip()
    if named := command_in(text):
        return named
    command = text.strip("`").strip()
    is_prose = not _PROSE.isdisjoint(command.lower().split())
    return command if _starts_a_program(command) and not is_prose else ""


def _starts_a_program(command: str) -> bool:
    """Whether the first word, after any variables set for it, is a known program or a script of the project. Other
    quoted text may be the name of a test.
    """
    words = command.split()
    first = next((word for word in words if "=" not in word), "")
    return first in _PROGRAMS or _SCRIPT.fullmatch(first) is not None
