"""The seccomp filter of the tier `bubblewrap`: which system calls a program in the sandbox may not make.

Denied: what container runtimes deny without a capability (keyrings, kernel modules, BPF, performance events, user
faults, io_uring, clocks, swap, accounting, file handles), the kernel's 32-bit and x32 entries, terminal injection, and
kinds of sockets that a network namespace does not confine, such as those to the hypervisor.

Allowed: what sandboxes of agents need inside ours: namespaces, `mount` and `pivot_root`, Landlock and seccomp itself.
Agents may also trace their own processes. What a gate runs may not (`judging`): it is judged by the processes around
it, so it may neither attach to a process nor write to its memory or take its files. A program may still ask
its parent to trace it (`PTRACE_TRACEME`): so debuggers work on what they start.

Rejected: libseccomp. Its own Python binding is not published as a package, and `pyseccomp`, which loads the library, is
a small project with few releases; the library may be missing where bubblewrap is installed. The rules are a table of
numbers that the kernel never changes, and tests compare them with libseccomp's. A machine without a table here has no
filter, and `doctor` says so.
"""

import errno
import platform
import struct
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from shiftwork.records import dataclass

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""Operations of the kernel's filter language, each on a word of 32 bits."""

_NUMBER, _MACHINE, _FIRST, _SECOND = 0, 4, 16, 24
"""Offsets of a call's number, its machine and its first two arguments; of these the low halves, little-endian."""

_ALLOW: Final = 0x7FFF0000
_KILL: Final = 0x80000000
_FAIL: Final = 0x00050000
_X32: Final = 0x40000000

NUMBERS: Final[Mapping[str, tuple[int | None, int | None]]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "create_module": (174, None),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "get_kernel_syms": (177, None),
    "get_mempolicy": (239, 236),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioctl": (16, 29),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "query_module": (178, None),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "settimeofday": (164, 170),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "sysfs": (139, None),
    "syslog": (103, 116),
    "_sysctl": (156, None),
    "uselib": (134, None),
    "userfaultfd": (323, 282),
    "ustat": (136, None),
    "vhangup": (153, 58),
}
"""Calls by name, with their numbers on x86-64 and 64-bit Arm; None if the call does not exist."""

REACHING: Final[Mapping[str, tuple[int, int]]] = {
    "pidfd_getfd": (438, 438),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
}
"""Calls by which a program reads or changes another process. `ptrace` is denied by its first argument."""

_ATTACHING: Final = (0x10, 0x4206)
"""PTRACE_ATTACH and PTRACE_SEIZE."""

_BY_ARGUMENT: Final = frozenset({"ioctl", "personality", "socket"})
_FALL_BACK: Final = frozenset(
    {"fsconfig", "fsmount", "fsopen", "fspick", "mount_setattr", "move_mount", "open_tree"}
    | {"io_uring_enter", "io_uring_register", "io_uring_setup", "quotactl_fd", "set_mempolicy_home_node"}
)
"""New calls: programs check whether the kernel has them, and otherwise do without."""

_TERMINAL: Final = (0x5412, 0x541C)
"""TIOCSTI, which types into a terminal, and TIOCLINUX, which pastes into a console."""

_PERSONALITIES: Final = (0x0, 0x8, 0x20000, 0x20008, 0x40000, 0xFFFFFFFF)
"""The default, 32-bit and old kernels, no random addresses (for debuggers, thread checkers), and the query."""

_FAMILIES: Final = (0, 1, 2, 10, 16)
"""Unspecified, Unix, IPv4, IPv6, netlink: what a network namespace confines."""


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    column: int
    has_x32: bool = False


_MACHINES: Final = {
    "x86_64": _Machine(0xC000003E, 0, has_x32=True),
    "aarch64": _Machine(0xC00000B7, 1),
}


@cache
def program(machine: str | None = None, *, judging: bool = False) -> bytes:
    """Returns the filter for bubblewrap's `--seccomp`, by default for this machine; empty if none is known."""
    found = _MACHINES.get(machine or platform.machine())
    return b"".join(_rules(found, judging=judging)) if found else b""


def _rules(machine: _Machine, *, judging: bool) -> Iterator[bytes]:
    yield _line(_LOAD, _MACHINE)
    yield _line(_EQUAL, machine.audit, 1, 0)
    yield _line(_RETURN, _KILL)
    yield _line(_LOAD, _NUMBER)
    if machine.has_x32:
        yield _line(_AT_LEAST, _X32, 0, 1)
        yield _line(_RETURN, _FAIL | errno.ENOSYS)
    for name, columns in NUMBERS.items():
        number = columns[machine.column]
        if number is not None and name not in _BY_ARGUMENT:
            yield _line(_EQUAL, number, 0, 1)
            yield _line(_RETURN, _FAIL | (errno.ENOSYS if name in _FALL_BACK else errno.EPERM))
    if judging:
        for name in REACHING.keys() - {"ptrace"}:
            yield _line(_EQUAL, REACHING[name][machine.column], 0, 1)
            yield _line(_RETURN, _FAIL | errno.EPERM)
        tracing = REACHING["ptrace"][machine.column]
        yield from _by_argument(tracing, _FIRST, _any_of(_ATTACHING, _FAIL | errno.EPERM, _ALLOW))
    for name, place, rules in (
        ("ioctl", _SECOND, _any_of(_TERMINAL, _FAIL | errno.EPERM, _ALLOW)),
        ("personality", _FIRST, _any_of(_PERSONALITIES, _ALLOW, _FAIL | errno.EPERM)),
        ("socket", _FIRST, _any_of(_FAMILIES, _ALLOW, _FAIL | errno.EAFNOSUPPORT)),
    ):
        yield from _by_argument(NUMBERS[name][machine.column], place, rules)
    yield _line(_RETURN, _ALLOW)


def _by_argument(number: int | None, place: int, rules: tuple[bytes, ...]) -> Iterator[bytes]:
    """The rules read the low half of an argument. The kernel reads no more of it, except for `ptrace`, which has no
    request with a high half.
    """
    if number is not None:
        yield _line(_EQUAL, number, 0, len(rules) + 1)
        yield _line(_LOAD, place)
        yield from rules


def _any_of(values: tuple[int, ...], then: int, otherwise: int) -> tuple[bytes, ...]:
    matching = (line for value in values for line in (_line(_EQUAL, value, 0, 1), _line(_RETURN, then)))
    return (*matching, _line(_RETURN, otherwise))


def _line(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    """Returns one instruction; jumps count from the next instruction."""
    return struct.pack("=HBBI", code, then, otherwise, value)
