"""Ends what earlier attempts left running, found by the marker in its environment: used after a crash."""

import asyncio
import os
from collections.abc import Callable
from typing import Final

from shiftwork.adapters.processes.ending.end import end_all
from shiftwork.adapters.processes.ending.kill import end_quickly
from shiftwork.adapters.processes.host.host import Host, Sighting, family, lineage, tag_for
from shiftwork.adapters.processes.host.own_children import is_claimed
from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.adapters.processes.supervisor.supervised import Claimed

_PATIENCE_LOOKS: Final = 500
_PAUSE_SECONDS: Final = 0.02


class HostReaper:
    """Looks at all processes of this machine that it may read. Itself and its ancestors it leaves alone.

    They may bear a marker too, where the orchestrator runs inside somebody's attempt.
    """

    async def end(self, prefix: str) -> int:
        return await end_all(_Marked(this_host(), prefix))

    async def alive(self, prefix: str) -> int:
        return await _counted(_Marked(this_host(), prefix))


async def _counted(marked: "_Marked") -> int:
    """How many there are, when all can be judged; one that cannot for ten seconds is not counted."""
    for _ in range(_PATIENCE_LOOKS):
        if len(marked.look(_leave)) == len(marked.living):
            break
        await asyncio.sleep(_PAUSE_SECONDS)
    return len(marked.living)


def _leave(_: Sighting) -> None:
    """Looking is all."""


def end_supervised(seconds: float = 0.3) -> None:
    """End, before this process does, the programs that it supervises, as far as that can be done in so short a time."""
    end_quickly(Claimed(this_host(), is_claimed), seconds)


class _Marked:
    group = 0  # whoever shares a group with a marked process need not be marked

    def __init__(self, host: Host, prefix: str) -> None:
        self._host = host
        self._prefix = prefix
        self._known: dict[int, float] = {}
        self._tags: set[int] = set()
        self.living: list[Sighting] = []

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """The `living`, and whoever cannot be judged yet: neither told nor known, but the next look may know."""
        seen = self._host.sight()
        barred = lineage(seen, os.getpid())
        judged = {one.pid: self._is_marked(one) for one in seen.values() if one.pid not in barred}
        marked = [seen[pid] for pid, judgement in judged.items() if judgement]
        # One that still bears its marker gives away the tag of those of its attempt that have cleared theirs.
        tagged = [one for one in seen.values() if self._tags and self._host.tag_of(one.pid) in self._tags]
        members = [seen[pid] for pid in family(seen, (one.pid for one in (*marked, *tagged)), barred)]
        self._known = {one.pid: one.started for one in members}
        self.living = [one for one in members if not one.zombie]
        for one in self.living:
            on_sight(one)
        unsure = (seen[pid] for pid, judgement in judged.items() if judgement is None and pid not in self._known)
        return [*self.living, *unsure]

    def _is_marked(self, one: Sighting) -> bool | None:
        if self._known.get(one.pid) == one.started:
            return True
        marker = self._host.marker_of(one.pid)
        if marker is None:
            return None
        if not marker or not marker.startswith(self._prefix):
            return False
        self._tags.add(tag_for(marker))
        return True
