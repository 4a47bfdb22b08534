"""A program to run, its limits and the sidecar beside it, and how it ended."""

import signal
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from shiftwork.records import dataclass


class Cause(StrEnum):
    """Why the program ended."""

    EXITED = "exited"
    TIMED_OUT = "timed_out"
    SILENT = "silent"
    FLOODED = "flooded"
    EXCEEDED = "exceeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a program may use with all its descendants: bytes of memory, processes, and bytes that it may add to
    `folders` on disk. Files in the folders `inside` its sandbox are kept in memory.
    """

    memory: int
    processes: int
    disk: int
    folders: tuple[Path, ...] = ()
    inside: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """A program to run: its complete environment and its limits.

    `marker` is set in its environment, and all processes that bear it are ended when the program ends, so no two
    programs may share a marker at the same time. If it is `enclosed`, `argv` starts a sandbox around it, and `seccomp`
    is the sandbox's filter of system calls, if any. It `inherits` these open files beside the usual three, has
    `sidecar` while it runs, and is ended if it exceeds its `bounds`.
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
    sidecar: "Sidecar | None" = None


class Sidecar(Protocol):
    """A process of ours that a program needs while it runs."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What it reports once the program has ended."""
        ...

    def beside(self, spawn: Spawn) -> AbstractAsyncContextManager[Spawn]:
        """Runs the sidecar from before the program starts until after it ends; yields the spawn to start."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How it ended: `code` is negative for a signal; `stderr` is the end of its standard error, `remarks` are its
    sidecar's. `exceeded` says which of its limits it exceeded.
    """

    code: int
    cause: Cause
    seconds: float
    stderr: str
    remarks: tuple[str, ...] = ()
    exceeded: str = ""
