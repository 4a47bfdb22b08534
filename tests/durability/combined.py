"""Which combinations of a place, a database and an engine's memory, kept or deleted, one test run tries.

All of them with `--all-combinations` (`just durability`). Otherwise half: each place is tried on both databases, with
the engine's memory kept on one and deleted on the other; where a test knows one database, either kept or deleted. The
seed of the test run, which the gate takes from the commit, chooses which.
"""

import zlib
from collections.abc import Mapping
from typing import Final

ENGINES: Final = ("kept", "deleted")
STORES: Final = ("sqlite", "postgres")

_AXES: Final = frozenset({"engine", "store_url"})
_PLACE: Final = "place"


def is_chosen(seed: object, test: str, params: Mapping[str, object]) -> bool:
    """Whether to try this combination of the test; where there is nothing to choose from, it is."""
    if not params.keys() >= _AXES and not params.keys() >= {"engine", _PLACE}:
        return True
    others = sorted((name, value) for name, value in params.items() if name not in _AXES)
    turned = zlib.crc32(f"{seed} {test} {others}".encode()) & 1
    store = STORES.index(str(params.get("store_url", STORES[0])))
    return (ENGINES.index(str(params["engine"])) + store + turned) % 2 == 0
