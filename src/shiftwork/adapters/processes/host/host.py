"""What supervision needs to know about the processes of this machine, whatever its kernel."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

MARKER_VARIABLE = "SHIFTWORK_ATTEMPT"


class Sighting(NamedTuple):
    """A process as it was seen. A pid is used again one day; a pid and its start are not."""

    pid: int
    parent: int
    group: int
    session: int
    started: float
    zombie: bool

    @property
    def identity(self) -> tuple[int, float]:
        return self.pid, self.started


class Host(Protocol):
    """One kernel's ways of telling who is whose."""

    def sights(self) -> Iterator[Sighting]:
        """Every process there is, each looked at when it is asked for, the newest first."""
        ...

    def sight(self) -> dict[int, Sighting]:
        """The same by pid, all at once."""
        ...

    def look_at(self, pid: int) -> Sighting | None: ...

    def marker_of(self, pid: int) -> str | None:
        """The marker in the environment it was started with; empty where there is none or it is not ours to read.

        None while it is between two programs: the kernel has taken the one away, and not yet put down with which words
        and which environment the other begins. Where the disk is slow that may take its time.
        """
        ...

    def tagging(self, number: int) -> AbstractContextManager[None]:
        """What is started within bears the number, and so do all its descendants, where the kernel has such a thing."""
        ...

    def tag_of(self, pid: int) -> int | None: ...

    def childless(self) -> bool:
        """Whether it is certain that we have no child, dead or alive: then nobody who descends from us is left."""
        ...

    def adopt_orphans(self) -> None:
        """From now on, have descendants whose parent dies become our own children; harmless to repeat."""
        ...

    def adopts_orphans(self) -> bool:
        """Whether the kernel has such a thing."""
        ...

    def pid_space(self) -> str:
        """Within what a pid is one process's: this machine, since it was started, in this pid namespace. The same text
        for all processes that see the same pids, another for any that do not; empty where the system does not say.
        """
        ...


def tag_for(marker: str) -> int:
    """A number that stands for the marker, of 57 bits with the highest set: no limit anybody sets on purpose."""
    return int.from_bytes(hashlib.blake2b(marker.encode(), digest_size=7).digest()) | 1 << 56


def family(seen: Mapping[int, Sighting], roots: Iterable[int], barred: frozenset[int]) -> list[int]:
    """The roots and all that descend from them, parents before children; never the barred, nor through them."""
    children = defaultdict(list)
    for one in seen.values():
        children[one.parent].append(one.pid)
    found: dict[int, None] = {}
    waiting = [pid for pid in roots if pid in seen]
    for pid in waiting:
        if pid not in found and pid not in barred:
            found[pid] = None
            waiting.extend(children[pid])
    return list(found)


def lineage(seen: Mapping[int, Sighting], pid: int) -> frozenset[int]:
    """The process and all its ancestors."""
    line: set[int] = set()
    while pid in seen and pid not in line:
        line.add(pid)
        pid = seen[pid].parent
    return frozenset(line | {pid})
