"""Keeps stories apart: by the files that they are expected to touch, and by ports and names for their commands."""

import re
from collections.abc import Iterable
from typing import Final

PORTS: Final = 100
"""How many ports are reserved for a story or a check."""

_STORIES_FROM: Final = 20_000
_CHECKS_FROM: Final = 15_000  # both below the ephemeral ports, which start at 32768 on Linux

STORIES: Final = 450
CHECKS: Final = (_STORIES_FROM - _CHECKS_FROM) // PORTS
"""How many stories and checks can have ports on a machine at the same time."""

_DATABASE_CHARACTERS: Final = 63  # the limit of Postgres


class Claims:
    """The paths that stories in progress are expected to touch. A glob claims the folder where its wildcards begin."""

    def __init__(self, touched: Iterable[str] = ()) -> None:
        self._claimed: set[str] = set()
        self._above: set[str] = set()
        self.add(touched)

    def add(self, touched: Iterable[str]) -> None:
        for place in map(_place, touched):
            self._claimed.add(place)
            self._above.update(_above(place))

    def meet(self, touched: Iterable[str]) -> bool:
        """Whether any of these paths is claimed, is inside a claimed path, or contains a claimed path."""
        places = [_place(path) for path in touched]
        return any(
            place in self._claimed or place in self._above or not self._claimed.isdisjoint(_above(place))
            for place in places
        )


def _place(path: str) -> str:
    """The fixed beginning of a path or glob, without a slash at either end; empty means the whole repository."""
    parts: list[str] = []
    for part in path.split("/"):
        if any(wildcard in part for wildcard in "*?["):
            break
        if part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)


def _above(place: str) -> Iterable[str]:
    while place:
        place = place.rpartition("/")[0]
        yield place


def story_environment(run: str, story: str, number: int) -> dict[str, str]:
    """The environment for all processes of a story, from a number that is unique among stories in progress."""
    return _environment(f"shiftwork_{run}_{story}", _STORIES_FROM + PORTS * number)


def check_environment(number: int) -> dict[str, str]:
    """The environment for gates, from a number unique to their tree: they share nothing with an agent's processes."""
    return _environment(f"shiftwork_check_{number}", _CHECKS_FROM + PORTS * number)


def _environment(name: str, port: int) -> dict[str, str]:
    project = re.sub("[^a-z0-9_-]+", "_", name.lower())  # the names that compose accepts
    database = project.replace("-", "_")
    if len(database) > _DATABASE_CHARACTERS:  # two names could be equal after the cut
        from hashlib import sha256  # noqa: PLC0415 - slow to import, and names are seldom so long

        digest = sha256(database.encode()).hexdigest()[:8]
        database = f"{database[: _DATABASE_CHARACTERS - 9]}_{digest}"
    return {
        "COMPOSE_PROJECT_NAME": project,
        "SHIFTWORK_DATABASE": database,
        "SHIFTWORK_PORT_BASE": str(port),
        "SHIFTWORK_PORTS": str(PORTS),
    }
