"""Starts sandboxed programs from a thread without the user's session keyring and abstract sockets.

Both belong to a thread and are inherited by what it starts, so no helper program is needed, and the rest of this
process keeps both. The thread lives as long as this process, because a sandbox ends with the thread that started it.
Abstract sockets have no file that a sandbox could leave out. A program in its own network namespace sees none of the
machine's; for a program in the machine's network, Landlock (from Linux 6.12 on) blocks them.
"""

import contextlib
import ctypes
import os
import platform
import stat
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final

from shiftwork.adapters.processes.supervisor.spawn import Spawn
from shiftwork.records import replace

_KEYCTL: Final = {"x86_64": 250, "aarch64": 219}
_JOIN_SESSION_KEYRING: Final = 1
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ASK_VERSION: Final = 1
_SCOPES_SINCE: Final = 6
_ABSTRACT_SOCKETS: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38


def own_keyring() -> bool:
    """Whether sandboxed programs get their own session keyring here."""
    return sys.platform == "linux" and platform.machine() in _KEYCTL


@cache
def scoped_sockets() -> bool:
    """Whether the kernel can block the machine's abstract sockets for a program in the machine's network."""
    return sys.platform == "linux" and _call(_CREATE_RULESET, None, 0, _ASK_VERSION) >= _SCOPES_SINCE


@contextlib.contextmanager
def filtering(spawn: Spawn) -> Iterator[Spawn]:
    """Yields the same spawn with its filter in an open file that bubblewrap reads."""
    if not spawn.seccomp:
        yield spawn
        return
    file = os.memfd_create("seccomp", os.MFD_CLOEXEC)
    try:
        os.write(file, spawn.seccomp)
        os.lseek(file, 0, os.SEEK_SET)
        program, *words = spawn.argv
        yield replace(spawn, argv=(program, "--seccomp", str(file), *words), inherits=(*spawn.inherits, file))
    finally:
        os.close(file)


class _Thread:
    """One per process: a fork has none of its parent's threads."""

    def __init__(self) -> None:
        self._of = 0
        self._thread: ThreadPoolExecutor

    def run(self, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
        if self._of != os.getpid():
            self._thread = ThreadPoolExecutor(1, "shiftwork-sandbox", initializer=_leave_sockets)
            self._of = os.getpid()
        return self._thread.submit(_apart, start).result()


_thread: Final = _Thread()


def confined(program: str, start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Runs `start`, which starts this program, in the confined thread. A program with setuid bits or file capabilities
    would lose them there, and is started directly.
    """
    return start() if sys.platform != "linux" or _has_rights(program) else _thread.run(start)


def _apart(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    # A new keyring for each, so that no two programs share one. A kernel without keyrings refuses, and has none to
    # leave.
    if own_keyring():
        _call(_KEYCTL[platform.machine()], _JOIN_SESSION_KEYRING, None)
    return start()


def _leave_sockets() -> None:
    if not scoped_sockets() or ctypes.CDLL(None).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return
    wanted = struct.pack("=QQQ", 0, 0, _ABSTRACT_SOCKETS)  # it restricts neither files nor the network
    rules = _call(_CREATE_RULESET, wanted, len(wanted), 0)
    if rules >= 0:
        _call(_RESTRICT_SELF, rules, 0)
        os.close(rules)


def _has_rights(program: str) -> bool:
    try:
        mode = os.stat(program).st_mode  # noqa: PTH116 - every start waits for this
        return bool(mode & (stat.S_ISUID | stat.S_ISGID)) or "security.capability" in os.listxattr(program)
    except OSError:
        return False


def _call(number: int, first: object, second: object, third: int = 0) -> int:
    """Makes a system call without a function in the C library; negative if it fails."""
    words = [ctypes.c_long(word) if isinstance(word, int) else ctypes.c_char_p(word) for word in (first, second)]  # type: ignore[arg-type]
    return int(ctypes.CDLL(None).syscall(ctypes.c_long(number), *words, ctypes.c_long(third)))
