"""The fault matrix: what users of such systems suffer from, row by row, and how each of it must end here.

A fault is a function that plays it on a stage and looks at what only this fault can show; where the run then stands is
declared beside it, and what holds after every fault is the stage's own.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.faults.stage import Stage

type Played = Callable[[Stage], None]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """`row` is that of the list of pains; `within` is how many seconds all of it may take, whatever misbehaves."""

    row: int
    name: str
    end: str
    within: float
    play: Played


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


def fault(row: int, name: str, *, end: str, within: float = 60) -> Callable[[Played], Played]:
    def declared(play: Played) -> Played:
        FAULTS.append(Fault(row=row, name=name, end=end, within=within, play=play))
        return play

    return declared


def played(fault: Fault, stage: Stage) -> float:
    """How many seconds it took to its declared end; raises AssertionError for any other."""
    began = time.monotonic()
    fault.play(stage)
    seconds = time.monotonic() - began
    stage.settled()
    assert stage.end() == fault.end
    assert seconds <= fault.within, f"it took {seconds:.0f} s, and {fault.within:.0f} s are declared"
    return seconds
