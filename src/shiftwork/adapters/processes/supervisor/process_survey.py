"""One look at the processes below this one, shared by all supervised programs.

With a look for each program, 200 sleeping programs took half a core to be looked at.
"""

import asyncio
import os
import threading
import time
from collections import defaultdict
from typing import Final

from shiftwork.adapters.processes.host.host import Host, Sighting, by_parent
from shiftwork.adapters.processes.host.own_children import is_claimed, is_claimed_tag, is_own


class Survey:
    """What belongs to which program, as far as tag and marker show it; the programs know their other processes."""

    def __init__(self, host: Host) -> None:
        self.at: Final = time.monotonic()
        self.seen: Final = {sighting.pid: sighting for sighting in host.descendants() if sighting.pid != os.getpid()}
        self.children: Final = by_parent(self.seen)
        self.tagged: Final[defaultdict[int | None, list[int]]] = defaultdict(list)
        self.marked: Final[defaultdict[str, list[int]]] = defaultdict(list)
        self.strays: Final[list[int]] = []
        for sighting in self.seen.values():
            self._judge(host, sighting)

    def started(self, pid: int) -> float | None:
        return self.seen[pid].started if pid in self.seen else None

    def _judge(self, host: Host, sighting: Sighting) -> None:
        """As `Descendants` does for one program, but a process that cannot be judged yet is left to the next look."""
        apart = sighting.session != os.getsid(0)
        tag = host.tag_of(sighting.pid) if apart else None
        if is_claimed_tag(tag):
            self.tagged[tag].append(sighting.pid)
            return
        marker = host.marker_of(sighting.pid)
        if marker and is_claimed(marker, None):
            self.marked[marker].append(sighting.pid)
        elif marker is not None and apart and sighting.parent == os.getpid() and host.adopts_orphans():
            self.strays.extend([sighting.pid] if is_own(sighting.pid) is False else [])


class _Latest:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.survey: Survey | None = None

    def renewed(self, host: Host, after: float) -> Survey:
        with self.lock:  # of many that ask at once, the first looks
            if self.survey is None or self.survey.at <= after:
                self.survey = Survey(host)
            return self.survey


_latest: Final = _Latest()


async def survey(host: Host, *, after: float) -> Survey:
    """Returns the last survey of this process, or a new one if that is older than the given time."""
    known = _latest.survey
    if known is not None and known.at > after:
        return known
    return await asyncio.to_thread(_latest.renewed, host, after)  # hundreds of processes take many milliseconds
