"""Converts facts to plain JSON values and back, with a version for each kind so that old histories stay readable.

The shape of a body follows the dataclass: a field becomes its name, a tuple a list, an enum its value. A field that is
added later needs only a default. Any other change raises the kind's version in `PRESENT` and adds an upcaster from the
previous version, so that `decode` reads every body ever written.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from shiftwork.domain.core import fact as shared_facts
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.landing import facts as landing_facts
from shiftwork.domain.notices import facts as notices_facts
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.errors import CodecError
from shiftwork.records import dataclass

KINDS: Final[dict[str, type[Fact]]] = {
    name: kind
    for module in (shared_facts, story_facts, run_facts, landing_facts, notices_facts)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Fact) and kind is not Fact
}

type Upcaster = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What can be read. `versions` lists the kinds whose shape has changed (all others are at 1). `upcasters` maps
    (kind, version) to a function that returns the body of the next version.
    """

    kinds: Mapping[str, type[Fact]]
    versions: Mapping[str, int]
    upcasters: Mapping[tuple[str, int], Upcaster]


PRESENT: Final = Tables(kinds=KINDS, versions={}, upcasters={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """A fact as it is stored."""

    kind: str
    version: int
    body: dict[str, Any]


def encode(fact: Fact, tables: Tables = PRESENT) -> Encoded:
    kind = type(fact).__name__
    return Encoded(kind=kind, version=tables.versions.get(kind, 1), body=to_plain(fact))


def decode(kind: str, version: int, body: dict[str, Any], tables: Tables = PRESENT) -> Fact:
    """Returns the fact, upgraded to the present version. Raises CodecError for what this release cannot read."""
    present = tables.versions.get(kind, 1)
    if kind not in tables.kinds or not 1 <= version <= present:
        raise CodecError(
            f"the history holds a fact {kind!r} of version {version}, which this release does not know",
            hint="upgrade shiftwork to the release that wrote this database",
        )
    try:
        for old in range(version, present):
            body = tables.upcasters[kind, old](body)
        fact: Fact = from_plain(tables.kinds[kind], body)
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise CodecError(f"a stored fact {kind!r} cannot be read: {error}") from error
    return fact
