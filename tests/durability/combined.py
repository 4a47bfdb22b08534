"""Which combinations of a place, a database and an engine's memory, kept or deleted, one test run tries.

On SQLite there is no engine whose memory could be deleted. On Postgres both are tried with `--all-combinations` (`just
durability`). Otherwise one of them: the seed of the test run, which the gate takes from the commit, chooses which.
"""

import zlib
from collections.abc import Mapping
from typing import Final

ENGINES: Final = ("kept", "deleted")
STORES: Final = ("sqlite", "postgres")

_AXES: Final = frozenset({"engine", "store_url"})


def is_chosen(seed: object, test: str, params: Mapping[str, object], *, every: bool = False) -> bool:
    """Whether to try this combination of the test; where there is nothing to choose from, it is."""
    if not params.keys() >= _AXES:
        return True
    if params["store_url"] == "sqlite":
        return params["engine"] == "kept"
    others = sorted((name, value) for name, value in params.items() if name not in _AXES)
    turned = zlib.crc32(f"{seed} {test} {others}".encode()) & 1
    return every or ENGINES[turned] == params["engine"]
