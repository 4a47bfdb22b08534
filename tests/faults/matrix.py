"""The fault matrix: known problems of such systems, row by row, and how each must end here.

A fault is a function that causes it on a stage and checks what is specific to it. The expected status of the run is
declared beside the function, and the stage checks what must hold after every fault.
"""

import contextlib
import fcntl
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.faults.stage import Stage
from tests.patience import Stopwatch

type Outcomes = Callable[[Stage], None]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`row` is that of the list of pains; `within` is how many seconds all of it may take, whatever misbehaves, on a
    machine that keeps nobody waiting. One that is played `alone` takes what a machine has once: ports by their numbers.
    """

    row: int
    name: str
    end: str
    within: float
    play: Outcomes
    alone: bool


PAINS: Final = {
    1: "nothing done, called done",
    2: "a promise that is no end",
    3: "no report",
    4: "silence",
    5: "idle, and paid for",
    6: "no limit, no stop",
    7: "rate limits",
    8: "conflicts",
    9: "dependencies",
    10: "clean-up that destroys",
    11: "leftovers",
    12: "permissions",
    13: "death and orphans",
    14: "locks and shared files",
    15: "growth without bound",
    16: "weakened tests",
    17: "nothing to check by",
    18: "ports and names",
    19: "commands of a repository",
    20: "questions nobody sees",
}
"""What users of such systems suffer from; every row of it has its faults."""

FAULTS: Final[list[Fault]] = []


def fault(row: int, name: str, *, end: str, within: float = 60, alone: bool = False) -> Callable[[Outcomes], Outcomes]:
    def declared(play: Outcomes) -> Outcomes:
        FAULTS.append(Fault(row=row, name=name, end=end, within=within, play=play, alone=alone))
        return play

    return declared


def played(fault: Fault, stage: Stage) -> float:
    """How many seconds it took to its declared end; raises AssertionError for any other."""
    with _turn(fault):
        watch, began = Stopwatch(), time.monotonic()
        fault.play(stage)
        seconds = time.monotonic() - began
    in_time = watch.within(fault.within, seconds)
    stage.settled()
    assert stage.end() == fault.end
    assert in_time, f"it took {seconds:.0f} s, and {fault.within:.0f} s are declared"
    return seconds


@contextlib.contextmanager
def _turn(fault: Fault) -> Iterator[None]:
    """For a fault that must run alone, holds a lock that all processes share."""
    with (Path(tempfile.gettempdir()) / "shiftwork-faults.lock").open("a") as lock:
        if fault.alone:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
