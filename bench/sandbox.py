"""What the sandbox costs: the start of a program in each kind of sandbox, compared with the same program without a
sandbox.

The kinds are those that gates and agents get: `cut` (no network), `own` (a network of its own, the default of gates),
`door` (the same with a listed host, so that there is a proxy beside it) and `host` (the machine's network). A shell and
a Python that do nothing are started in all of them in turn, because timings on a shared machine drift. Processor time
is that of the program, of bubblewrap and of the harness: it is more reliable than wall time on a busy machine.

`--against COMMIT` does the same with the sources of that commit in the same rounds, and shows the difference of each
start to the same kind at that commit, and to `host`, which was the default of gates before there was a ladder. The exit
code is 1 if the median of the latter is more than 25 ms.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.limits import LIMIT_MISSED
from shiftwork.config.site import environment
from tests.own_folders import use_own_folders

ROOT = Path(__file__).parents[1]
ROUNDS = 60
WARM_UP = 2
MOST_MS = 25.0
COMMANDS = {"sh -c true": "true", "python -c pass": f"{sys.executable} -c pass"}
BEFORE_THE_LADDER = "host"
LINKS = [word for name in ("bin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}")]
LEAST = ["bwrap", "--unshare-user-try", "--unshare-pid", "--ro-bind", "/usr", "/usr", *LINKS, "/bin/true"]


@dataclass(frozen=True, kw_only=True)
class Taken:
    """The milliseconds of each start, in the order of the rounds."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


class Starter:
    """`bench/starts.py` with the sources of a commit; stores its measurements by kind and command."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        opened = self._answer()
        self.opened: float = opened["opened"]
        self.kinds: list[str] = opened["names"]
        self.taken = {(kind, label): Taken() for kind in self.kinds for label in COMMANDS}

    def start(self, kind: str, label: str, *, counts: bool) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{kind} {COMMANDS[label]}\n")
        self._process.stdin.flush()
        wall, processor = self._answer()
        if counts:
            self.taken[kind, label].wall.append(1000 * wall)
            self.taken[kind, label].processor.append(1000 * processor)

    def _answer(self) -> Any:  # either of the two forms that starts.py prints
        assert self._process.stdout
        return json.loads(self._process.stdout.readline() or sys.exit("bench/starts.py has ended"))


@contextlib.contextmanager
def starter(root: Path) -> Iterator[Starter]:
    command = [sys.executable, str(ROOT / "bench" / "starts.py")]
    env = environment() | {"PYTHONPATH": str(root / "src")}
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Starter(process)
        process.communicate()


@contextlib.contextmanager
def sources(commit: str) -> Iterator[Path]:
    git = ("git", "-C", str(ROOT), "worktree")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "sources")
        subprocess.run([*git, "add", "--quiet", "--detach", place, commit], check=True)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", place], check=True)


def least() -> float:
    began = time.perf_counter()
    subprocess.run(LEAST, check=True)
    return 1000 * (time.perf_counter() - began)


def table(now: Starter) -> None:
    print(f"{'':<16} {'':<6} {'wall':>10} {'ratio':>6} {'processor':>12} {'ratio':>6}")
    for label in COMMANDS:
        bare = now.taken["bare", label]
        for kind in now.kinds:
            taken = now.taken[kind, label]
            wall, processor = statistics.median(taken.wall), statistics.median(taken.processor)
            ratios = wall / statistics.median(bare.wall), processor / statistics.median(bare.processor)
            print(f"{label:<16} {kind:<6} {wall:>7.1f} ms {ratios[0]:>6.2f} {processor:>9.1f} ms {ratios[1]:>6.2f}")


def difference(now: Taken, then: Taken) -> tuple[float, float]:
    """Medians of the differences within a round, of wall and of processor time."""
    pairs = ((now.wall, then.wall), (now.processor, then.processor))
    wall, processor = (statistics.median(a - b for a, b in zip(*pair, strict=True)) for pair in pairs)
    return wall, processor


def compared(now: Starter, then: Starter, commit: str) -> float:
    """Prints how much more each kind costs than at the commit, and returns the maximum, in wall time."""
    most = 0.0
    print(f"\n{'more than at ' + commit:<23} {'same kind, wall, processor':>29}   {BEFORE_THE_LADDER}, wall, processor")
    for label in COMMANDS:
        for kind in now.kinds[1:]:
            taken = now.taken[kind, label]
            same = difference(taken, then.taken[kind, label]) if kind in then.kinds else None
            default = difference(taken, then.taken[BEFORE_THE_LADDER, label])
            most = max(most, default[0])
            print(f"{label:<16} {kind:<6} {shown(same):>29}   {shown(default)}")
    return most


def shown(more: tuple[float, float] | None) -> str:
    return f"{more[0]:+9.1f} ms {more[1]:+9.1f} ms" if more else "-"


def main() -> int:
    parser = argparse.ArgumentParser(prog="just bench-sandbox", description=__doc__)
    parser.add_argument("--against", metavar="COMMIT", help="measure the sources of this commit in the same rounds")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    before = os.getloadavg()[0]
    bwrap: list[float] = []
    with contextlib.ExitStack() as stack:
        now = stack.enter_context(starter(ROOT))
        then = stack.enter_context(starter(stack.enter_context(sources(asked.against)))) if asked.against else None
        for number in range(WARM_UP + asked.rounds):
            bwrap.append(least())
            for label in COMMANDS:
                for item in (now, then) if then else (now,):
                    for kind in item.kinds:
                        item.start(kind, label, counts=number >= WARM_UP)
    table(now)
    print(f"\nminimum for bubblewrap {statistics.median(bwrap):.1f} ms; all sandboxes opened in {now.opened:.1f} s")
    print(f"{asked.rounds} rounds; load of the machine {before:.1f} before and {os.getloadavg()[0]:.1f} after")
    if then and (most := compared(now, then, asked.against)) > MOST_MS:
        print(f"a start costs {most:.1f} ms more; the limit is {MOST_MS:g} ms")
        return LIMIT_MISSED
    return 0


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
