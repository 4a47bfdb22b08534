"""What keeps two stories apart: files they are expected to touch, ports and names of what their commands start."""

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

PORTS: Final = 100
"""How many ports a story or a check has for itself."""

_STORIES_FROM: Final = 20_000
_CHECKS_FROM: Final = 15_000  # both below the ports that systems hand out by themselves, from 32768 on Linux

STORIES: Final = 450
CHECKS: Final = (_STORIES_FROM - _CHECKS_FROM) // PORTS
"""How many stories and checks can have ports at once on a machine."""

_DATABASE_CHARACTERS: Final = 63  # what Postgres takes


class Claims:
    """The paths that stories at work are expected to touch. A glob claims the folder where its wildcards begin."""

    def __init__(self, touched: Iterable[str] = ()) -> None:
        self._claimed: set[str] = set()
        self._above: set[str] = set()
        self.add(touched)

    def add(self, touched: Iterable[str]) -> None:
        for place in map(_place, touched):
            self._claimed.add(place)
            self._above.update(_above(place))

    def meet(self, touched: Iterable[str]) -> bool:
        """Whether any of these is a claimed place, lies in one, or has one in it."""
        places = [_place(path) for path in touched]
        return any(
            place in self._claimed or place in self._above or not self._claimed.isdisjoint(_above(place))
            for place in places
        )


def _place(path: str) -> str:
    """The fixed beginning of a path or glob, without a slash at either end; empty is the whole repository."""
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
    """For all that works on a story, by a number that it alone has while it is in progress."""
    return _environment(f"shiftwork_{run}_{story}", _STORIES_FROM + PORTS * number)


def check_environment(number: int) -> dict[str, str]:
    """For gates, by a number that their tree alone has: they have nothing in common with what an agent has started."""
    return _environment(f"shiftwork_check_{number}", _CHECKS_FROM + PORTS * number)


def _environment(name: str, port: int) -> dict[str, str]:
    project = re.sub("[^a-z0-9_-]+", "_", name.lower())  # the names that compose takes
    database = project.replace("-", "_")
    if len(database) > _DATABASE_CHARACTERS:  # cut off, two names could be one
        digest = sha256(database.encode()).hexdigest()[:8]
        database = f"{database[: _DATABASE_CHARACTERS - 9]}_{digest}"
    return {
        "COMPOSE_PROJECT_NAME": project,
        "SHIFTWORK_DATABASE": database,
        "SHIFTWORK_PORT_BASE": str(port),
        "SHIFTWORK_PORTS": str(PORTS),
    }
