"""Which gates a change needs, where the user's settings name the `paths` that a gate is about.

Only what the commits differ in decides, never what a story says of itself. No gate must be missed: letter case does not
count, a link counts where it leads to something that changed, and a gate's own scripts belong to its paths.
"""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from shiftwork.domain.gates.commands import named
from shiftwork.domain.gates.environment_key import is_manifest
from shiftwork.domain.gates.gate import Gate, NotNeeded
from shiftwork.domain.text.globs import matches
from shiftwork.records import dataclass

_SHOWN: Final = 3
_SETTINGS: Final = (
    *(".gitattributes", ".gitmodules", ".env", ".envrc", "Makefile", "justfile", "tsconfig*.json", "babel.config.*"),
    *("turbo.json", "nx.json"),
)
"""Files that, besides manifests and lock files, change how everything in their folder and below is checked."""

_BELOW: Final = "/"
"""A path that ends with this stands for itself and everything below it: a link, or another repository."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The gates that judge a change, and those that it does not need."""

    gates: tuple[Gate, ...]
    not_needed: tuple[NotNeeded, ...] = ()


def chosen(gates: Sequence[Gate], changed: Collection[str], unusual: Collection[str] = ()) -> Choice:
    """The gates without `paths`, and those whose paths are concerned. All gates, if none were left, or if one of the
    `unusual` changed paths, which may affect every gate, belongs to the paths of no gate.
    """
    needed = tuple(gate for gate in gates if not gate.paths or any(_concerns(gate, path) for path in changed))
    local = [gate for gate in gates if gate.paths]
    shared = {path for path in changed if is_manifest(path) or matches(_SETTINGS, path)}
    if not needed or any(_is_for_all(path, local) for path in {*unusual, *shared}):
        return Choice(gates=tuple(gates))
    return Choice(gates=needed, not_needed=tuple(_not_needed(gate) for gate in gates if gate not in needed))


def _is_for_all(path: str, local: Sequence[Gate]) -> bool:
    """At the root of the repository, or in a folder that no gate is about."""
    return "/" not in path or not any(_concerns(gate, path) for gate in local)


def _not_needed(gate: Gate) -> NotNeeded:
    more = " and more" if len(gate.paths) > _SHOWN else ""
    return NotNeeded(name=gate.name, reason=f"no changed file matches {', '.join(gate.paths[:_SHOWN])}{more}")


def _concerns(gate: Gate, path: str) -> bool:
    found = named((gate.command,))
    files = (word for word in found.run | found.otherwise if not {".", "/"}.isdisjoint(word))
    patterns = tuple(map(_folded, (*gate.paths, *files)))
    plain = _folded(path.rstrip(_BELOW))
    return matches(patterns, plain) or (
        path.endswith(_BELOW) and any(_may_be_below(plain, pattern) for pattern in patterns)
    )


def _may_be_below(path: str, pattern: str) -> bool:
    """Whether the pattern could match something below the path."""
    parts = pattern.removeprefix("./").split("/")
    if len(parts) == 1:
        return True
    for part, wanted in zip(path.split("/"), parts, strict=False):
        if "**" in wanted:
            return True
        if not fnmatchcase(part, wanted):
            return False
    return True


def _folded(path: str) -> str:
    """Some file systems ignore case, and treat composed and decomposed letters as the same."""
    return unicodedata.normalize("NFC", path).casefold()


# Links ---------------------------------------------------------------------------------------------------------------


def with_links(changed: Iterable[str], links: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The changed paths, and every link that leads to one of them, perhaps through other links. A link whose target
    cannot be known from the commit counts as changed.
    """
    found, rest = list(changed), dict.fromkeys(links)
    grown = True
    while grown:
        reaching = [pair for pair in rest if _leads_to(*pair, found)]
        found.extend(f"{link}{_BELOW}" for link, _ in reaching)
        for pair in reaching:
            del rest[pair]
        grown = bool(reaching)
    return tuple(dict.fromkeys(found))


def _leads_to(link: str, target: str, paths: Iterable[str]) -> bool:
    place = _place(link, target)
    return place is None or any(_meet(place, path) for path in paths)


def _place(link: str, target: str) -> str | None:
    """Where a link leads, as a path from the root; None where that depends on anything outside of the commit, or on
    other links.
    """
    parts, entered = link.split("/")[:-1], False
    for part in target.split("/"):
        if part == ".." and (entered or not parts):
            return None
        if part == "..":
            parts.pop()
        elif part not in {"", "."}:
            entered = True
            parts.append(part)
    return None if target.startswith("/") else "/".join(parts)


def _meet(place: str, path: str) -> bool:
    """Whether one of the two is the other, or a folder that contains it."""
    first, second = (f"{_folded(name.rstrip(_BELOW))}/" for name in (place, path))
    return not place or first.startswith(second) or second.startswith(first)
