"""The canary: whether a gate notices that the product's sources are broken on purpose, and which sources these are."""

from collections.abc import Mapping
from enum import StrEnum

from shiftwork.records import dataclass, field


class Sight(StrEnum):
    """Whether a gate notices broken sources in the tree in which it runs."""

    SEES = "sees"
    BLIND = "blind"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSight:
    """What is known about a gate, and `why`, in a sentence. `seen`, `missed` and `undecided` are source roots: the gate
    named a broken file of the first, stayed green with the second broken, and showed neither for the last. `files` are
    some that a blind gate did not notice. A gate that `passes_anyway` named broken files and was green all the same.
    """

    gate: str
    sight: Sight
    why: str = ""
    seen: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    passes_anyway: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSight:
    """The earlier result for a gate, and the tests that existed then, with the code that only they and runners load, as
    far as names, settings and the measurement show it, each with its content hash.
    """

    sight: GateSight
    tests: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLoaded:
    """The files of the tree that were opened while a gate ran on a base, and its other sources."""

    files: tuple[str, ...]
    unopened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The product's sources that can be broken, by source root. `other` are in languages that cannot be broken
    reliably.
    """

    roots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    other: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file that can be broken; its index is its number."""
        return tuple(path for paths in self.roots.values() for path in paths)
