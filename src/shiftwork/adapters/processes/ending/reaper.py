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
    """Looks at all processes of this machine that it may read, except itself and its ancestors.

    These may bear a marker too, if the orchestrator runs inside an attempt.
    """

    async def end(self, prefix: str) -> int:
        return await end_all(_Marked(this_host(), prefix))

    async def alive(self, prefix: str) -> int:
        return await _counted(_Marked(this_host(), prefix))


async def _counted(marked: "_Marked") -> int:
    """Returns how many there are, once all can be judged; after ten seconds, the others are not counted."""
    for _ in range(_PATIENCE_LOOKS):
        if len(marked.look(_leave)) == len(marked.living):
            break
        await asyncio.sleep(_PAUSE_SECONDS)
    return len(marked.living)


def _leave(_: Sighting) -> None:
    """Does nothing, because only the look matters."""


def end_supervised(seconds: float = 0.3) -> None:
    """Ends the programs that this process supervises before it exits, as far as possible in so short a time."""
    end_quickly(Claimed(this_host(), is_claimed), seconds)


class _Marked:
    group = 0  # a process in the group of a marked process need not be marked

    def __init__(self, host: Host, prefix: str) -> None:
        self._host = host
        self._prefix = prefix
        self._known: dict[int, float] = {}
        self._tags: set[int] = set()
        self.living: list[Sighting] = []

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """Returns the `living`, and processes that cannot be judged before the next look; passes on only the former."""
        seen = self._host.sight()
        barred = lineage(seen, os.getpid())
        judged = {sighting.pid: self._is_marked(sighting) for sighting in seen.values() if sighting.pid not in barred}
        marked = [seen[pid] for pid, judgement in judged.items() if judgement]
        # A process that still bears its marker reveals the tag of those in its attempt that have cleared theirs.
        tagged = [root for root in seen.values() if self._tags and self._host.tag_of(root.pid) in self._tags]
        members = [seen[pid] for pid in family(seen, (root.pid for root in (*marked, *tagged)), barred)]
        self._known = {member.pid: member.started for member in members}
        self.living = [member for member in members if not member.zombie]
        for sighting in self.living:
            on_sight(sighting)
        unsure = (seen[pid] for pid, judgement in judged.items() if judgement is None and pid not in self._known)
        return [*self.living, *unsure]

    def _is_marked(self, sighting: Sighting) -> bool | None:
        if self._known.get(sighting.pid) == sighting.started:
            return True
        marker = self._host.marker_of(sighting.pid)
        if marker is None:
            return None
        if not marker or not marker.startswith(self._prefix):
            return False
        self._tags.add(tag_for(marker))
        return True
