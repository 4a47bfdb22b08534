"""Finds the folder in which a check of a spec runs if the spec names none: that of the manifest its program reads.

Codetether looks for a `Cargo.toml` at the root of the repository, then in its folders and in theirs, in the order of
their names. The same is done for other programs that do nothing without a manifest.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from shiftwork.config.detection.folder import Folder
from shiftwork.domain.gates.commands import named, program
from shiftwork.domain.gates.folders import in_folder
from shiftwork.domain.gates.gate import Gate
from shiftwork.records import replace

_NODE: Final = ("package.json",)
_PYTHON: Final = ("pyproject.toml",)
_GRADLE: Final = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_MANIFESTS: Final[Mapping[str, tuple[str, ...]]] = {
    "cargo": ("Cargo.toml",),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "bunx"), _NODE),
    "tsc": ("tsconfig.json",),
    **dict.fromkeys(("uv", "poetry", "pdm", "hatch"), _PYTHON),
    "pytest": (*_PYTHON, "pytest.ini", "setup.cfg", "setup.py", "tox.ini"),
    "tox": (*_PYTHON, "setup.cfg", "tox.ini"),
    "go": ("go.mod", "go.work"),
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "mvn": ("pom.xml",),
    "gradle": _GRADLE,
    **dict.fromkeys(("bundle", "rake"), ("Gemfile",)),
    "mix": ("mix.exs",),
    "composer": ("composer.json",),
}
"""What a program reads in the folder in which it starts."""

_ELSEWHERE: Final = frozenset({"cd", "-C", "--prefix", "--cwd", "--dir", "--directory", "--manifest-path", "--project"})
"""Words after which a command names a folder."""


def with_folder(gate: Gate, root: Folder) -> Gate:
    """The gate in the folder of its program's manifest, which is then part of its command; unchanged if the spec or the
    command names a folder or a file, or if the manifest is at the root or nowhere.
    """
    manifests = _MANIFESTS.get(_first_program(gate.command), ())
    if gate.cwd or not manifests or _names_a_place(gate.command) or root.has(*manifests):
        return gate
    place = next((folder.place for folder in _folders_below(root) if folder.has(*manifests)), "")
    return replace(gate, command=in_folder(place, gate.command), cwd=place)


def _first_program(command: str) -> str:
    """Runners such as `uv` read a manifest themselves."""
    first = next((word for word in command.split() if "=" not in word), "")
    return first if first in _MANIFESTS else program(command)


def _names_a_place(command: str) -> bool:
    """Whether the command would mean something else in another folder: it changes the folder, or names a path."""
    words = [word.partition("=")[0] for word in command.split()]
    paths = [word for word in words[1:] if "/" in word and word != "./..."]
    return bool(paths) or not _ELSEWHERE.isdisjoint(words) or any(named((command,)).folders)


def _folders_below(root: Folder) -> Iterator[Folder]:
    """Two levels, each folder before those in it."""
    for name in root.folders():
        child = root.below(name)
        yield child
        yield from (child.below(inner) for inner in child.folders())
