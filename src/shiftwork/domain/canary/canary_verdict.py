"""The canary: whether a gate notices that the product's sources are broken on purpose, and which these are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Sight(StrEnum):
    """Whether a gate notices that the sources of the tree in which it runs are broken."""

    SEES = "sees"
    BLIND = "blind"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSight:
    """What is known of one gate, and `why`, in a sentence. `seen`, `missed` and `undecided` are source roots: it named
    a broken file of the first, stayed green with the second broken, and showed neither of the last. `files` are some
    that a blind gate did not notice. One that `passes_anyway` named broken files and was green all the same.
    """

    gate: str
    sight: Sight
    why: str = ""
    test: bool = False
    seen: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    passes_anyway: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSight:
    """What was found of a gate, and the tests that were there then, each with the name of its content."""

    sight: GateSight
    tests: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The product's sources that can be broken, by source root. `other` are in languages that cannot be broken well."""

    roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    other: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that can be broken; its place here is its number."""
        return tuple(path for paths in self.roots.values() for path in paths)
