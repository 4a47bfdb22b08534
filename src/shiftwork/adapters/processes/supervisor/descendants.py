"""The processes of one supervised program: found however they were detached, and ended until none is left."""

import contextlib
import os
from collections.abc import Callable, Iterable

from shiftwork.adapters.processes.host.host import Host, Sighting, below, family, tag_for
from shiftwork.adapters.processes.host.own_children import is_claimed, is_own
from shiftwork.adapters.processes.supervisor.process_survey import Survey


class Descendants:
    """Finds processes by descent, tag and marker. A process that was seen once stays known when its parent dies.

    An orphan that has removed both tag and marker is a stray: we adopted it, we did not start it, and it is younger
    than the program. If several programs run, its program is unknown, and it is ended with the first that ends: a
    well-behaved program does not change a limit that has no effect.
    """

    def __init__(self, host: Host, main: int, marker: str) -> None:
        self.group = main  # it leads its own session, so the group is its own too
        self._host = host
        self._marker = marker
        self._tag = tag_for(marker)
        sighting = host.look_at(main)
        self._since = sighting.started if sighting else 0.0  # some systems do not show dead processes
        self._known = {main: self._since}

    def look(self, on_sight: Callable[[Sighting], None]) -> list[Sighting]:
        """Returns all that are left, and passes each on once it is recognized: it may be gone a millisecond later.

        Dead processes are included, and reaped on the way. Where orphans are adopted, a look that finds none is
        therefore a proof: the oldest that lives is our child, and remains visible, dead or alive, until we reap it.
        """
        if self._host.childless():
            return []
        seen: dict[int, Sighting] = {}
        recognized: dict[int, None] = {}
        unsure: list[Sighting] = []
        for sighting in self._host.descendants():
            seen[sighting.pid] = sighting
            ours = self._is_ours(sighting)
            if ours:
                recognized[sighting.pid] = None
                on_sight(sighting)
            elif ours is None:
                unsure.append(sighting)
        members = [seen[pid] for pid in family(seen, recognized, frozenset({os.getpid()}))]
        for sighting in members:
            if sighting.pid not in recognized:
                on_sight(sighting)
        # Processes that cannot be judged yet are returned but not passed on: the next look will know.
        return [*self._remembered(members), *unsure]

    def remember(self, survey: Survey) -> list[Sighting]:
        """Returns all that a survey shows, without judging again what it has judged for all programs."""
        known = [pid for pid, started in self._known.items() if survey.started(pid) == started]
        # A list of children may miss some while others are reaped: what was known and still lives stays known.
        missed = [self._host.look_at(pid) for pid in self._known if pid not in survey.seen]
        named = (*survey.tagged.get(self._tag, ()), *survey.marked.get(self._marker, ()))
        strays = (pid for pid in survey.strays if survey.seen[pid].started >= self._since)
        found = below(survey.children, (*known, *named, *strays), frozenset({os.getpid()}))
        alive = (sighting for sighting in missed if sighting and self._known[sighting.pid] == sighting.started)
        return self._remembered([*(survey.seen[pid] for pid in found), *alive])

    def _remembered(self, members: Iterable[Sighting]) -> list[Sighting]:
        self._known = {member.pid: member.started for member in members}
        return [member for member in members if not member.zombie or self._was_unburied(member)]

    def _was_unburied(self, sighting: Sighting) -> bool:
        if sighting.pid == self.group:  # the code that started it also waits for it
            return False
        # A child of a known process becomes ours when its parent dies; other parents reap their own children.
        if sighting.parent != os.getpid():
            return sighting.parent in self._known
        with contextlib.suppress(ChildProcessError):
            os.waitpid(sighting.pid, os.WNOHANG)
        return True

    def _is_ours(self, sighting: Sighting) -> bool | None:
        if self._known.get(sighting.pid) == sighting.started:
            return True
        if sighting.started < self._since or sighting.pid == os.getpid():
            return False
        # A process in our own session was not started by the program, which leads another: no process can return.
        apart = sighting.session != os.getsid(0)
        tag = self._host.tag_of(sighting.pid) if apart else None
        if apart and tag == self._tag:
            return True
        marker = self._host.marker_of(sighting.pid)
        if marker is None:
            return None if apart and not is_claimed("", tag) else False
        if marker == self._marker:
            return True
        came_to_us = apart and sighting.parent == os.getpid() and self._host.adopts_orphans()
        return _is_stray(sighting) if came_to_us and not is_claimed(marker, tag) else False


def _is_stray(sighting: Sighting) -> bool | None:
    own = is_own(sighting.pid)
    return None if own is None else not own
