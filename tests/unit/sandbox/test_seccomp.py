"""The filter of the sandbox, run by an interpreter of the kernel's filter language: what it does with each call."""

import ctypes
import errno
import struct

import pytest

from shiftwork.adapters.sandbox.seccomp import NUMBERS, REACHING, program

ALLOWED, KILLED, FAILED = 0x7FFF0000, 0x80000000, 0x00050000
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
EVERY = pytest.mark.parametrize("machine", list(MACHINES))
LIBRARY = "libseccomp.so.2"

NESTED = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "landlock_create_ruleset": (444, 444),
    "mount": (165, 40),
    "pivot_root": (155, 41),
    "ptrace": (101, 117),
    "seccomp": (317, 277),
    "umount2": (166, 39),
    "unshare": (272, 97),
}
"""What sandboxes inside of this one, and debuggers, call."""


def verdict(machine: str, number: int, *words: int, audit: int | None = None, judging: bool = False) -> int:
    """The filter's verdict on a call, computed as the kernel does."""
    given = [*words, *[0] * (6 - len(words))]
    call = struct.pack("=IIQ6Q", number, MACHINES[machine] if audit is None else audit, 0, *given)
    lines = list(struct.iter_unpack("=HBBI", program(machine, judging=judging)))
    at, held = 0, 0
    while True:
        code, then, otherwise, value = lines[at]
        at += 1
        match code:
            case 0x20:
                (held,) = struct.unpack_from("=I", call, value)
            case 0x15:
                at += then if held == value else otherwise
            case 0x35:
                at += then if held >= value else otherwise
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"no such operation: {code:#x}")


def number_of(machine: str, name: str, table: dict[str, tuple[int, int]]) -> int:
    return table[name][list(MACHINES).index(machine)]


@EVERY
def test_every_call_of_the_table_fails(machine: str) -> None:
    column = list(MACHINES).index(machine)
    values = {
        name: verdict(machine, numbers[column] or 0)
        for name, numbers in NUMBERS.items()
        if numbers[column] is not None and name not in {"ioctl", "personality", "socket"}
    }
    assert len(values) >= 43
    assert set(values.values()) == {FAILED | errno.EPERM, FAILED | errno.ENOSYS}
    assert values["keyctl"] == FAILED | errno.EPERM
    assert values["io_uring_setup"] == FAILED | errno.ENOSYS


@EVERY
@pytest.mark.parametrize("name", list(NESTED))
def test_what_sandboxes_within_need_is_allowed(machine: str, name: str) -> None:
    assert verdict(machine, number_of(machine, name, NESTED)) == ALLOWED


@EVERY
def test_arguments_decide_where_a_call_has_harmless_uses(machine: str) -> None:
    column = list(MACHINES).index(machine)
    ioctl, personality, socket = (NUMBERS[name][column] or 0 for name in ("ioctl", "personality", "socket"))
    assert verdict(machine, ioctl, 0, 0x5401) == ALLOWED
    assert verdict(machine, ioctl, 0, 0x5412) == FAILED | errno.EPERM
    assert verdict(machine, ioctl, 0, 0xFFFFFFFF_00005412) == FAILED | errno.EPERM  # the kernel reads the low half
    assert verdict(machine, ioctl, 0, 0x541C) == FAILED | errno.EPERM
    assert [verdict(machine, personality, word) for word in (0, 0x40000, 0xFFFFFFFF)] == [ALLOWED] * 3
    assert verdict(machine, personality, 0x400000) == FAILED | errno.EPERM
    assert [verdict(machine, socket, family) for family in (1, 2, 10, 16)] == [ALLOWED] * 4
    assert [verdict(machine, socket, family) for family in (17, 31, 38, 40)] == [FAILED | errno.EAFNOSUPPORT] * 4


@EVERY
def test_what_a_gate_runs_reaches_no_other_process_but_may_be_traced_by_who_starts_it(machine: str) -> None:
    refused, column = FAILED | errno.EPERM, list(MACHINES).index(machine)
    ptrace = REACHING["ptrace"][column]
    traceme, attach, seize = 0, 16, 0x4206
    assert [verdict(machine, ptrace, word, judging=True) for word in (attach, seize)] == [refused] * 2
    assert verdict(machine, ptrace, traceme, judging=True) == ALLOWED
    others = [numbers[column] for name, numbers in REACHING.items() if name != "ptrace"]
    assert [verdict(machine, number, judging=True) for number in others] == [refused] * 3
    assert {verdict(machine, number, attach) for number in (ptrace, *others)} == {ALLOWED}, "agents keep them"


def test_other_entries_of_the_kernel_are_shut() -> None:
    assert verdict("x86_64", 20, audit=0x40000003) == KILLED
    assert verdict("aarch64", 20, audit=0x40000028) == KILLED
    assert verdict("x86_64", 0x40000000 | 39) == FAILED | errno.ENOSYS
    assert verdict("aarch64", 0x40000000 | 39) == ALLOWED  # there is no such entry


def test_a_machine_without_a_table_has_no_filter() -> None:
    assert program("riscv64") == b""


@EVERY
def test_the_numbers_are_those_of_libseccomp(machine: str) -> None:
    resolve = ctypes.CDLL(LIBRARY).seccomp_syscall_resolve_name_arch
    resolve.argtypes = (ctypes.c_uint32, ctypes.c_char_p)
    column = list(MACHINES).index(machine)
    theirs = {name: resolve(MACHINES[machine], name.encode()) for name in (*NUMBERS, *REACHING, *NESTED)}
    ours = {name: numbers[column] for name, numbers in {**NUMBERS, **REACHING, **NESTED}.items()}
    assert {name: number if number >= 0 else None for name, number in theirs.items()} == ours
