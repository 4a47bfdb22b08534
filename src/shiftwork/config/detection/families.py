"""Puts together what all families of projects show: at the root of the repository, and in folders below it.

Where a project has words of its own for its checks (`just test`, `make lint`) they win, and with a word for testing
among them nothing else is guessed: what its language suggests beside them may not even be installed, and a gate that is
red for that reason lands nothing. How the environment is made is guessed all the same: those words need it too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from shiftwork.config.detection import dotnet, elixir, go, jvm, php, pre_commit, ruby, rust, task_files
from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate, inside
from shiftwork.config.detection.node import node_gates
from shiftwork.config.detection.python import python_gates

GATE_ORDER: Final = (pre_commit.NAME, "lint", "typecheck", "test", "build", "check")
"""Quick ones first: a red gate is then found early."""

_FAMILIES: Final[Mapping[str, tuple[Callable[[Folder], Detected], str]]] = {
    "node": (node_gates.find, r"package\.json"),
    "python": (python_gates.find, r"pyproject\.toml|setup\.py|Pipfile|.*requirements.*\.txt|requirements"),
    "rust": (rust.find, r"Cargo\.toml"),
    "go": (go.find, r"go\.(?:mod|work)"),
    "jvm": (jvm.find, r"pom\.xml|(?:build|settings)\.gradle(?:\.kts)?"),
    "ruby": (ruby.find, r"Gemfile"),
    "elixir": (elixir.find, r"mix\.exs"),
    "php": (php.find, r"composer\.json"),
    "dotnet": (dotnet.find, r".*\.(?:sln|slnx|csproj|fsproj)"),
}
"""Each with the names of files that make a folder below the root a project of it."""

_NO_MEMBERS: Final = frozenset(
    {
        "bench",
        "benchmarks",
        "doc",
        "docs",
        "e2e",
        "example",
        "examples",
        "fixtures",
        "spec",
        "templates",
        "test",
        "tests",
    }
)
_LEVELS: Final = 2
_MOST_FOLDERS: Final = 300
_MOST_MEMBERS: Final = 6
"""Of one family: a repository with more has a word of its own for running them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What one family shows in one folder."""

    family: str
    place: str
    found: Detected


def detect(root: Path, env: Mapping[str, str] | None = None) -> Detected:
    """The checks of the project at `root`, and how its environment is made. `env` is the user's: which programs there
    are and which virtual environment is active is known from it.
    """
    folder = Folder(path=root, env=env or {})
    own = task_files.find(folder)
    below = _folders_below(folder)
    parts = [part for family in _FAMILIES for part in _parts(folder, family, below)]
    gates = _named(own, [] if task_files.tests_are_run(own) else parts)
    hooks = pre_commit.find(folder)
    if hooks and not any(pre_commit.NAME in folder.text(gate.source) for gate in own):
        gates = [hooks, *(gate for gate in gates if not pre_commit.covers(folder, gate))]
    setups = [part.found.setup for part in parts if part.found.setup and _is_needed(part, gates, own)]
    ordered = sorted(gates, key=lambda gate: GATE_ORDER.index(_kind(gate)))
    return Detected(gates=tuple(ordered), setup=" && ".join(setups))


def _is_needed(part: _Part, gates: list[FoundGate], own: tuple[FoundGate, ...]) -> bool:
    """What the project's own words need is unknown: they may need everything."""
    hooks = any(gate.name == pre_commit.NAME and "python3" in gate.command for gate in gates)
    return bool(part.found.gates or own) or (hooks and part.family == "python" and not part.place)


def _folders_below(root: Folder) -> list[list[tuple[Folder, list[str]]]]:
    """The folders of two levels that may hold projects, each with the names of what it holds."""
    level, levels = [root], []
    for _ in range(_LEVELS):
        level = [one.below(name) for one in level for name in one.folders() if name not in _NO_MEMBERS][:_MOST_FOLDERS]
        levels.append([(one, one.names()) for one in level])
    return levels


def _parts(root: Folder, family: str, below: list[list[tuple[Folder, list[str]]]]) -> Iterator[_Part]:
    """The root; where it shows no tests, projects in folders of it, or else one level further down. The scripts of a
    package.json at the root are taken to be all that matter.
    """
    find, manifest = _FAMILIES[family]
    found = find(root)
    if found.gates or found.setup:
        yield _Part(family=family, place="", found=found)
    if found.tested or (found.gates and family == "node"):
        return
    for level in below:
        projects = [folder for folder, names in level if any(re.fullmatch(manifest, name) for name in names)]
        members = [(folder.place, find(folder)) for folder in projects]
        shown = [_Part(family=family, place=place, found=inside(place, one)) for place, one in members if one.gates]
        if shown:
            yield from shown[:_MOST_MEMBERS]
            return


def _named(own: tuple[FoundGate, ...], parts: list[_Part]) -> list[FoundGate]:
    """Every gate under a name of its own: that of its folder, or of its family, is added where it is needed."""
    by_name = {gate.name: gate for gate in own}
    for part in parts:
        for gate in part.found.gates:
            if any(gate.name == one.name for one in own):
                continue
            suffix = part.place.replace("/", "-") or (part.family if gate.name in by_name else "")
            name = f"{gate.name}-{suffix}" if suffix else gate.name
            while name in by_name:
                name = f"{name}-{part.family}"
            by_name[name] = replace(gate, name=name)
    return list(by_name.values())


def _kind(gate: FoundGate) -> str:
    return next(kind for kind in GATE_ORDER if gate.name == kind or gate.name.startswith(f"{kind}-"))
