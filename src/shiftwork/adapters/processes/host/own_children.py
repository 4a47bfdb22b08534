"""What this process has started itself, which distinguishes its own children from adopted orphans."""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Final, Protocol
from weakref import WeakValueDictionary

from shiftwork.adapters.processes.host.host import tag_for


class Started(Protocol):
    """A process as `subprocess` or `asyncio` returns it."""

    @property
    def pid(self) -> int: ...


class _Own:
    """Processes while a caller references them, because a caller that drops a process has waited for it; and the
    supervised programs, each marker with its tag.
    """

    def __init__(self) -> None:
        self.processes: WeakValueDictionary[int, Started] = WeakValueDictionary()
        self.births = 0
        self.lock = threading.Lock()
        self.tags: dict[str, int] = {}
        self.numbers: frozenset[int] = frozenset()
        self.name: tuple[int, str] = (0, "")


_own: Final = _Own()


def marked(marker: str) -> str:
    """Returns the marker as programs of this process bear it. No other process uses the same marker, not even if it
    repeats an attempt of ours, so our guard ends no programs of other processes after our death.
    """
    if _own.name[0] != os.getpid():
        _own.name = (os.getpid(), os.urandom(10).hex())
    return f"{marker}#{_own.name[1]}"


def claims() -> tuple[str, ...]:
    """Returns the markers of all supervised programs."""
    return tuple(_own.tags)


@contextlib.contextmanager
def claimed(marker: str) -> Iterator[None]:
    """Within this context, a program is supervised under this marker."""
    if marker in _own.tags:
        raise ValueError(f"a program marked {marker!r} is already supervised, and would be ended with this one")
    _own.tags[marker] = tag_for(marker)
    _own.numbers = frozenset(_own.tags.values())
    try:
        yield
    finally:
        del _own.tags[marker]
        _own.numbers = frozenset(_own.tags.values())


def is_claimed(marker: str, tag: int | None) -> bool:
    """Whether a process with this marker or tag belongs to a supervised program."""
    return marker in _own.tags or is_claimed_tag(tag)


def is_claimed_tag(tag: int | None) -> bool:
    return tag in _own.numbers


@contextlib.contextmanager
def birth() -> Iterator[Callable[[Started], None]]:
    """Held while a process is started in its own session; the caller passes that process to the yielded function."""
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
    """Whether we have started a child that was seen before; None while a process is being started."""
    # In this order: a process that was started before the child was seen is known once no start is in progress.
    return None if _own.births else pid in _own.processes
