"""What this process has started itself: by that its own children are told from the orphans that it was given."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Final, Protocol
from weakref import WeakValueDictionary

from shiftwork.adapters.processes.host.host import tag_for


class Started(Protocol):
    """A process as `subprocess` or `asyncio` hands it out."""

    @property
    def pid(self) -> int: ...


class _Own:
    """Processes for as long as somebody holds them, for who lets go of one has waited for it; and the programs under
    supervision, each marker with its tag.
    """

    def __init__(self) -> None:
        self.processes: WeakValueDictionary[int, Started] = WeakValueDictionary()
        self.births = 0
        self.lock = threading.Lock()
        self.tags: dict[str, int] = {}
        self.name: tuple[int, str] = (0, "")


_own: Final = _Own()


def marked(marker: str) -> str:
    """The marker as programs of this process bear it: no other process gives the same, not even one that repeats an
    attempt of ours, so that our guard, when we are dead, ends nothing of theirs.
    """
    if _own.name[0] != os.getpid():
        _own.name = (os.getpid(), os.urandom(10).hex())
    return f"{marker}#{_own.name[1]}"


def claims() -> tuple[str, ...]:
    """The markers of all programs that are under supervision."""
    return tuple(_own.tags)


@contextlib.contextmanager
def claimed(marker: str) -> Iterator[None]:
    """One program is under supervision by this marker."""
    if marker in _own.tags:
        raise ValueError(f"a program marked {marker!r} is under supervision already, and would be ended by this one")
    _own.tags[marker] = tag_for(marker)
    try:
        yield
    finally:
        del _own.tags[marker]


def is_claimed(marker: str, tag: int | None) -> bool:
    """Whether one who bears these belongs to a program under supervision."""
    return marker in _own.tags or tag in _own.tags.values()


@contextlib.contextmanager
def birth() -> Iterator[Callable[[Started], None]]:
    """To be held while something is started in a session of its own, and given what was started."""
    with _own.lock:
        _own.births += 1
    try:
        yield _remember
    finally:
        with _own.lock:
            _own.births -= 1


def _remember(process: Started) -> None:
    _own.processes[process.pid] = process


def is_own(pid: int) -> bool | None:
    """Whether a child that was seen before is one that we have started; None while something is being born."""
    # In this order: whatever was born when the child was seen is known as soon as no birth is under way.
    return None if _own.births else pid in _own.processes
