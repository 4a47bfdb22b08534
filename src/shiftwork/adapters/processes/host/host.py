"""What supervision needs to know about the processes of this machine, on any kernel."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

MARKER_VARIABLE = "SHIFTWORK_ATTEMPT"


class Sighting(NamedTuple):
    """A process as it was seen. A pid may be reused; a pid with its start time may not."""

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
    """How one kernel shows which process belongs to which."""

    def sights(self) -> Iterator[Sighting]:
        """Yields every process, the newest first, each read when it is requested."""
        ...

    def sight(self) -> dict[int, Sighting]:
        """Returns the same by pid, all at once."""
        ...

    def descendants(self) -> Iterator[Sighting]:
        """Yields at least every descendant of this process that is our child, or below a child, when the last is read;
        each is read when it is requested, and its children after it. A kernel that has no list of children yields
        every process.
        """
        ...

    def look_at(self, pid: int) -> Sighting | None: ...

    def marker_of(self, pid: int) -> str | None:
        """Returns the marker in its initial environment; empty if there is none or we may not read it.

        None while it is between two programs: the kernel has removed the old program, and not yet stored the arguments
        and the environment of the new. On a slow disk that may take a while.
        """
        ...

    def tagging(self, number: int) -> AbstractContextManager[None]:
        """Within this context, started processes and their descendants bear the number, if the kernel supports it."""
        ...

    def tag_of(self, pid: int) -> int | None: ...

    def childless(self) -> bool:
        """Whether it is certain that we have no child, dead or alive, and therefore no descendant."""
        ...

    def adopt_orphans(self) -> None:
        """Makes descendants whose parent dies our own children from now on; harmless to repeat."""
        ...

    def adopts_orphans(self) -> bool:
        """Whether the kernel supports `adopt_orphans`."""
        ...

    def pid_space(self) -> str:
        """Identifies where a pid is unique: this machine, since its boot, in this pid namespace. The same text for all
        processes that see the same pids, a different text for all others; empty if the system does not say.
        """
        ...


def tag_for(marker: str) -> int:
    """Returns a number for the marker, of 57 bits with the highest set: unlike any limit that is set on purpose."""
    return int.from_bytes(hashlib.blake2b(marker.encode(), digest_size=7).digest()) | 1 << 56


def is_tag(number: int) -> bool:
    """Whether a limit is the tag of some program."""
    return number >> 56 == 1


def by_parent(seen: Mapping[int, Sighting]) -> Mapping[int, Sequence[int]]:
    children = defaultdict(list)
    for sighting in seen.values():
        children[sighting.parent].append(sighting.pid)
    return children


def family(seen: Mapping[int, Sighting], roots: Iterable[int], barred: frozenset[int]) -> list[int]:
    """Returns the roots and their descendants, parents before children; never the barred, nor through them."""
    return below(by_parent(seen), (pid for pid in roots if pid in seen), barred)


def below(children: Mapping[int, Sequence[int]], roots: Iterable[int], barred: frozenset[int]) -> list[int]:
    """The same, where the children of each process are known."""
    found: dict[int, None] = {}
    waiting = list(roots)
    for pid in waiting:
        if pid not in found and pid not in barred:
            found[pid] = None
            waiting.extend(children.get(pid, ()))
    return list(found)


def lineage(seen: Mapping[int, Sighting], pid: int) -> frozenset[int]:
    """Returns the process and all its ancestors."""
    line: set[int] = set()
    while pid in seen and pid not in line:
        line.add(pid)
        pid = seen[pid].parent
    return frozenset(line | {pid})
