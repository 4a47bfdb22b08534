"""Attacks on the kernel from within the sandbox: the user's sockets and keyrings, calls that a filter must stop."""

import ctypes
import platform
import socket
from pathlib import Path

import pytest

from tests.attacks.kernel_rig import ARM, CALL, ran, row, seen_in
from tests.attacks.table import Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP, SECRET

pytestmark = [pytest.mark.timeout(120), NEEDS_BUBBLEWRAP]

IS_ARM = platform.machine() == ARM
ADD_KEY, KEYCTL, SESSION = (217, 219, -3) if IS_ARM else (248, 250, -3)
OPEN = Outcome.SUCCEEDED
PREVENTED = Outcome.PREVENTED


@attack(row("an abstract socket of the user's session is called", Severity.MEDIUM, Harm.EXECUTION, OPEN, seen=20))
def test_abstract_socket(tier: str, tmp_path: Path) -> Outcome:
    name = f"\0shiftwork-{tmp_path.name}-{tier}"
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(name)
        service.listen()
        ended = ran(
            tier,
            tmp_path,
            f"""\
import socket
try:
    socket.socket(socket.AF_UNIX).connect({name!r})
    print("called")
except OSError as error:
    print(error)
own = socket.socket(socket.AF_UNIX)
own.bind("\\0own-{tmp_path.name}-{tier}")
own.listen()
socket.socket(socket.AF_UNIX).connect(own.getsockname())
print("has its own")
""",
        )
    assert "has its own" in ended.output
    return seen_in(ended, "called")


@attack(row("a key of the user's session keyring is read", Severity.MEDIUM, Harm.SECRETS, OPEN, seen=21))
def test_session_keyring(tier: str, tmp_path: Path) -> Outcome:
    libc = ctypes.CDLL(None, use_errno=True)
    content, name = SECRET.encode(), b"shiftwork:test"
    key = libc.syscall(ctypes.c_long(ADD_KEY), b"user", name, content, len(content), ctypes.c_long(SESSION))
    assert key > 0
    try:
        read = f"""\
found = ctypes.create_string_buffer(100)
call({KEYCTL}, 11, {key}, found, 100, 0)
print(found.value.decode())
print(open("/proc/keys").read())
"""
        ended = ran(tier, tmp_path, CALL + read)
    finally:
        libc.syscall(ctypes.c_long(KEYCTL), 9, ctypes.c_long(key), ctypes.c_long(SESSION), 0, 0)
    return seen_in(ended, SECRET)


@attack(row("a program leaves a key for the next one in a keyring", Severity.LOW, Harm.PROOF, OPEN))
def test_kept_in_a_keyring(tier: str, tmp_path: Path) -> Outcome:
    leave = f'print(call({ADD_KEY}, b"user", b"{tmp_path.name}", b"kept", 4, -4)[0])\n'
    ran(tier, tmp_path, CALL + leave)
    found = ran(tier, tmp_path, CALL + f'print(call({KEYCTL}, 10, -4, b"user", b"{tmp_path.name}", 0)[0] > 0)\n')
    return seen_in(found, "True")


@attack(row("the hypervisor is called though the network is cut", Severity.HIGH, Harm.EXECUTION, OPEN))
def test_socket_to_the_hypervisor(tier: str, tmp_path: Path) -> Outcome:
    families = (40, 31, 38)  # to the hypervisor, to devices by radio, to the kernel's cryptography
    script = f"""\
import socket
for family in {families}:
    try:
        socket.socket(family, {{40: 1, 31: 3, 38: 5}}[family], 0)
        print("made", family)
    except OSError as error:
        print(error)
"""
    return seen_in(ran(tier, tmp_path, script), "made")


@attack(row("a filter for 64 bits is passed by the kernel's 32-bit entry", Severity.HIGH, Harm.EXECUTION, OPEN))
def test_32_bit_entry(tier: str, tmp_path: Path) -> Outcome:
    # getpid (20) by the gate of 32-bit programs; 64-bit Arm has none that a 64-bit program could take.
    script = """\
import ctypes, mmap
code = b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3"
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(code)
place = ctypes.addressof(ctypes.c_char.from_buffer(memory))
print("entered" if ctypes.CFUNCTYPE(ctypes.c_int)(place)() > 0 else "refused")
"""
    return seen_in(ran(tier, tmp_path, script), "entered")


@attack(row("a filter is passed by the numbers of the x32 entry", Severity.HIGH, Harm.EXECUTION, PREVENTED))
def test_x32_entry(tier: str, tmp_path: Path) -> Outcome:
    ended = ran(tier, tmp_path, CALL + f'print("entered" if call(0x40000000 | {KEYCTL}, 0, -3, 1)[0] > 0 else "no")\n')
    assert ended.output == "began\nno"
    return seen_in(ended, "entered")


@attack(row("io_uring makes calls that no filter sees", Severity.HIGH, Harm.EXECUTION, OPEN))
def test_io_uring(tier: str, tmp_path: Path) -> Outcome:
    script = CALL + 'room = ctypes.create_string_buffer(120)\nprint("made" if call(425, 4, room)[0] >= 0 else "no")\n'
    return seen_in(ran(tier, tmp_path, script), "made")


@attack(row("page faults are held to win a race in the kernel", Severity.MEDIUM, Harm.EXECUTION, OPEN))
def test_user_faults(tier: str, tmp_path: Path) -> Outcome:
    number = 282 if IS_ARM else 323
    script = CALL + f'print("made" if call({number}, 0)[0] >= 0 or call({number}, 1)[0] >= 0 else "no")\n'
    return seen_in(ran(tier, tmp_path, script), "made")


@attack(row("a program makes all of its memory executable by its personality", Severity.LOW, Harm.EXECUTION, OPEN))
def test_personality(tier: str, tmp_path: Path) -> Outcome:
    number = 92 if IS_ARM else 135
    script = CALL + f'call({number}, 0x400000)\nprint("set" if call({number}, 0xffffffff)[0] & 0x400000 else "no")\n'
    return seen_in(ran(tier, tmp_path, script), "set")
