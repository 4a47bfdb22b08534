"""Detects the gates of a whole project: those of every ecosystem, at its root and in folders below it.

A project's own commands for its checks (`just test`, `make lint`) take precedence, and if one of them runs tests,
nothing else is guessed: the usual tools of the language may not even be installed, and a gate that fails for that
reason lets nothing land. The setup command is guessed anyway, because those commands need it too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.config.detection import dotnet, elixir, go, jvm, php, pre_commit, ruby, rust, task_files
from shiftwork.config.detection.folder import Folder
from shiftwork.config.detection.found import Detected, FoundGate, inside
from shiftwork.config.detection.node import node_gates
from shiftwork.config.detection.python import python_gates
from shiftwork.records import dataclass, replace

GATE_ORDER: Final = (pre_commit.NAME, "lint", "typecheck", "test", "build", "check")
"""Quick gates first, so that a failure is found early."""

_ECOSYSTEMS: Final[Mapping[str, tuple[Callable[[Folder], Detected], str]]] = {
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
"""Each with the file names that make a folder below the root a project of this ecosystem."""

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
"""For each ecosystem: a repository with more projects has its own command to run them all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """What a ecosystem detects in a folder."""

    ecosystem: str
    place: str
    found: Detected


def detect(root: Path, env: Mapping[str, str] | None = None) -> Detected:
    """Detect the gates of the project at `root`, and its setup command. `env` is the user's: it shows which programs
    exist and which virtual environment is active.
    """
    folder = Folder(path=root, env=env or {})
    own = task_files.find(folder)
    below = _folders_below(folder)
    parts = [part for ecosystem in _ECOSYSTEMS for part in _parts(folder, ecosystem, below)]
    gates = _named(own, [] if task_files.tests_are_run(own) else parts)
    hooks = pre_commit.find(folder)
    if hooks and not any(pre_commit.NAME in folder.text(gate.source) for gate in own):
        gates = [hooks, *(gate for gate in gates if not pre_commit.covers(folder, gate))]
    setups = [part.found.setup for part in parts if part.found.setup and _is_needed(part, gates, own)]
    ordered = sorted(gates, key=lambda gate: GATE_ORDER.index(_kind(gate)))
    return Detected(gates=tuple(ordered), setup=" && ".join(setups))


def _is_needed(part: _Part, gates: list[FoundGate], own: tuple[FoundGate, ...]) -> bool:
    """It is unknown what the project's own commands need, so they may need everything."""
    hooks = any(gate.name == pre_commit.NAME and "python3" in gate.command for gate in gates)
    return bool(part.found.gates or own) or (hooks and part.ecosystem == "python" and not part.place)


def _folders_below(root: Folder) -> list[list[tuple[Folder, list[str]]]]:
    """The folders on two levels that may contain projects, each with the names of its entries."""
    level, levels = [root], []
    for _ in range(_LEVELS):
        level = [folder.below(name) for folder in level for name in folder.folders() if name not in _NO_MEMBERS][
            :_MOST_FOLDERS
        ]
        levels.append([(folder, folder.names()) for folder in level])
    return levels


def _parts(root: Folder, ecosystem: str, below: list[list[tuple[Folder, list[str]]]]) -> Iterator[_Part]:
    """The root; if it has no tests, the projects in its folders, or else one level further down. For Node, the scripts
    of a package.json at the root are assumed to cover everything.
    """
    find, manifest = _ECOSYSTEMS[ecosystem]
    found = find(root)
    if found.gates or found.setup:
        yield _Part(ecosystem=ecosystem, place="", found=found)
    if found.tested or (found.gates and ecosystem == "node"):
        return
    for level in below:
        projects = [folder for folder, names in level if any(re.fullmatch(manifest, name) for name in names)]
        members = [(folder.place, find(folder)) for folder in projects]
        shown = [
            _Part(ecosystem=ecosystem, place=place, found=inside(place, detected))
            for place, detected in members
            if detected.gates
        ]
        if shown:
            yield from shown[:_MOST_MEMBERS]
            return


def _named(own: tuple[FoundGate, ...], parts: list[_Part]) -> list[FoundGate]:
    """Gives every gate a unique name, by adding its folder or its ecosystem if needed."""
    by_name = {gate.name: gate for gate in own}
    for part in parts:
        for gate in part.found.gates:
            if any(gate.name == found_gate.name for found_gate in own):
                continue
            suffix = part.place.replace("/", "-") or (part.ecosystem if gate.name in by_name else "")
            name = f"{gate.name}-{suffix}" if suffix else gate.name
            while name in by_name:
                name = f"{name}-{part.ecosystem}"
            by_name[name] = replace(gate, name=name)
    return list(by_name.values())


def _kind(gate: FoundGate) -> str:
    return next(kind for kind in GATE_ORDER if gate.name == kind or gate.name.startswith(f"{kind}-"))
