"""A program to run, within which bounds and in whose company, and how it ended."""

import signal
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol


class Cause(StrEnum):
    """Why the program is over."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    SILENT = "silent"
    FLOODED = "flooded"
    EXCEEDED = "exceeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a program may use with all its descendants: bytes of memory, processes, and bytes of disk that it may add to
    `folders`. What it writes to the folders `inside` of its sandbox is kept in memory.
    """

    memory: int
    processes: int
    disk: int
    folders: tuple[Path, ...] = ()
    inside: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """A program to run: its complete environment, and the bounds it runs within.

    `marker` is set in its environment, and whatever bears it when the program is over is ended: so no two programs
    under supervision at the same time may share one. Where it is `enclosed`, what is started is a sandbox around it,
    and `seccomp` is the filter of calls to the kernel that the sandbox is given, if any. It `inherits` these open files
    beside the usual three, has `company` while it runs, and is ended where it breaks its `bounds`.
    """

    argv: tuple[str, ...]
    cwd: Path
    env: Mapping[str, str]
    marker: str
    wall_seconds: float
    silence_seconds: float
    stdin: bytes = b""
    stop_signals: tuple[tuple[signal.Signals, float], ...] = ((signal.SIGTERM, 2.0),)
    output_bytes: int = 64 * 1024 * 1024
    enclosed: bool = False
    seccomp: bytes = b""
    bounds: Bounds | None = None
    inherits: tuple[int, ...] = ()
    company: "Company | None" = None


class Company(Protocol):
    """Something of ours that a program needs beside it."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to tell of it, once the program is over."""
        ...

    def beside(self, spawn: Spawn) -> AbstractAsyncContextManager[Spawn]:
        """There from before the program starts, by what this gives, until after it is over."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How it ended: `code` is negative for a signal; `stderr` is the end of what it wrote there, `remarks` are its
    company's. `exceeded` says which of its bounds it has broken.
    """

    code: int
    cause: Cause
    seconds: float
    stderr: str
    remarks: tuple[str, ...] = ()
    exceeded: str = ""
