"""The processes of one supervised program: found however they were detached, and ended until none is left."""

import contextlib
import os
from collections.abc import Callable

from shiftwork.adapters.processes.host.host import Host, Sighting, family, tag_for
from shiftwork.adapters.processes.host.own_children import is_claimed, is_own


class Kin:
    """Known by descent, by tag and by marker. Looking remembers: who was seen once stays known when its parent dies.

    An orphan that has rid itself of both tag and marker is a stray: it came to us, we did not start it, and it is
    younger than the program. Where several are under way it cannot be told whose it is, and it is ended with the first
    that is over: nobody who keeps to the rules changes a limit that has no effect.
    """

    def __init__(self, host: Host, main: int, marker: str) -> None:
        self.group = main  # it leads a session of its own, so the group is all its own too
        self._host = host
        self._marker = marker
        self._tag = tag_for(marker)
        one = host.look_at(main)
        self._since = one.started if one else 0.0  # some systems do not show who has died already
        self._known = {main: self._since}

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """All that are left; each is told as soon as it is recognized: it may be gone a millisecond later.

        The dead are among them, and are buried on the way. Where orphans are adopted this makes a look that finds none
        a proof: the eldest of any that live is our child, and stands there, dead or alive, until we bury it.
        """
        if self._host.childless():
            return []
        seen: dict[int, Sighting] = {}
        recognized: dict[int, None] = {}
        unsure: list[Sighting] = []
        for one in self._host.sights():
            seen[one.pid] = one
            ours = self._is_ours(one)
            if ours:
                recognized[one.pid] = None
                on_sight(one)
            elif ours is None:
                unsure.append(one)
        members = [seen[pid] for pid in family(seen, recognized, frozenset({os.getpid()}))]
        for one in members:
            if one.pid not in recognized:
                on_sight(one)
        self._known = {one.pid: one.started for one in members}
        # Whoever cannot be judged yet is neither told nor forgotten: the next look will know.
        return [*(one for one in members if not one.zombie or self._was_unburied(one)), *unsure]

    def _was_unburied(self, one: Sighting) -> bool:
        if one.pid == self.group:  # whoever started it also waits for it
            return False
        # The child of one of them becomes ours when that one dies; strangers bury their own.
        if one.parent != os.getpid():
            return one.parent in self._known
        with contextlib.suppress(ChildProcessError):
            os.waitpid(one.pid, os.WNOHANG)
        return True

    def _is_ours(self, one: Sighting) -> bool | None:
        if self._known.get(one.pid) == one.started:
            return True
        if one.started < self._since or one.pid == os.getpid():
            return False
        # Whatever is in our own session was not started by the program: it leads another, and nobody can come back.
        apart = one.session != os.getsid(0)
        tag = self._host.tag_of(one.pid) if apart else None
        if apart and tag == self._tag:
            return True
        marker = self._host.marker_of(one.pid)
        if marker is None:
            return None if apart and not is_claimed("", tag) else False
        if marker == self._marker:
            return True
        came_to_us = apart and one.parent == os.getpid() and self._host.adopts_orphans()
        return _is_stray(one) if came_to_us and not is_claimed(marker, tag) else False


def _is_stray(one: Sighting) -> bool | None:
    own = is_own(one.pid)
    return None if own is None else not own
