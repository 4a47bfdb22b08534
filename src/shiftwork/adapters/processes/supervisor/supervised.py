"""The processes of supervised programs, for the orchestrator itself and for its guard."""

import os
from collections.abc import Callable

from shiftwork.adapters.processes.host.host import Host, Sighting, family, lineage


class Claimed:
    """All processes whose marker or tag `is_claimed` accepts, and all their descendants."""

    group = 0  # every member is found individually

    def __init__(self, host: Host, is_claimed: Callable[[str, int | None], bool]) -> None:
        self._host = host
        self._is_claimed = is_claimed

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        seen = self._host.sight()
        barred = lineage(seen, os.getpid())
        roots = (pid for pid in seen if self._is_claimed(self._host.marker_of(pid) or "", self._host.tag_of(pid)))
        living = [seen[pid] for pid in family(seen, roots, barred) if not seen[pid].zombie]
        for sighting in living:
            on_sight(sighting)
        return living
