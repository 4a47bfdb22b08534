"""Which runs of a server start now, and what the end of a worker means."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from shiftwork.app.hosting.handover import HandedOverRun
from shiftwork.domain.core.ids import RunId
from shiftwork.errors import EXIT_INTERRUPTED, EXIT_USAGE
from shiftwork.ports.processes import Ending
from shiftwork.records import dataclass, replace

STEADY_SECONDS: Final = 60.0
"""A worker that lived this long has worked: its end is no repeated failure."""

LONGEST_WAIT: Final = 60.0
ATTEMPTS: Final = 6
"""How often in a row a worker may fail before the server leaves the run to a person."""

_LINES: Final = 3


class Phase(StrEnum):
    """What the server does about a run: it waits for a free place, has a worker, waits for a person or for the end of a
    pause, waits for a process elsewhere, does not try again before somebody has done something about it, or has no more
    to do with it: the run is over, or left to a person who continues it.
    """

    QUEUED = "queued"
    WORKING = "working"
    RESTING = "resting"
    ELSEWHERE = "elsewhere"
    FAILED = "failed"
    OVER = "over"
    LEFT = "left"


GONE: Final = frozenset({Phase.OVER, Phase.LEFT})
"""The phases of runs that the server forgets."""


class Condition(StrEnum):
    """Where a run without a worker of this server stands: it has ended, waits for a person, is paused, is worked on by
    a process that is watched from now on, or by one that cannot be watched from here, has a history that this release
    cannot read, or can continue.
    """

    OVER = "over"
    RESTS = "rests"
    PAUSED = "paused"
    ADOPTED = "adopted"
    UNREADABLE = "unreadable"
    ELSEWHERE = "elsewhere"
    READY = "ready"


PHASES: Final = {
    Condition.OVER: Phase.OVER,
    Condition.RESTS: Phase.RESTING,
    Condition.PAUSED: Phase.RESTING,
    Condition.ADOPTED: Phase.WORKING,
    Condition.UNREADABLE: Phase.FAILED,
    Condition.ELSEWHERE: Phase.ELSEWHERE,
    Condition.READY: Phase.QUEUED,
}
"""What a server does about a run without a worker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosted:
    """A run of the server: how often in a row its workers failed, when it may start again, and why it does not. One
    that is `paused` rests although nothing needs a person.
    """

    handed: HandedOverRun
    phase: Phase = Phase.QUEUED
    failures: int = 0
    not_before: float = 0.0
    reason: str = ""
    paused: bool = False

    @property
    def run(self) -> RunId:
        return self.handed.run


def due(hosted: Iterable[Hosted], max_runs: int, now: float) -> tuple[Hosted, ...]:
    """The runs that start now: as many as there are free places, in the order in which they were handed over."""
    known = sorted(hosted, key=lambda each: each.handed.position)
    free = max_runs - sum(each.phase is Phase.WORKING for each in known)
    ready = [each for each in known if each.phase is Phase.QUEUED and each.not_before <= now]
    return tuple(ready[: max(free, 0)])


def ended(hosted: Hosted, ending: Ending, condition: Condition, now: float) -> Hosted:
    """The run after its worker has ended. A worker that a person stopped stays stopped; one
    that was refused by the settings is not started again before something changes; any other failure is tried again,
    each time after a longer wait.
    """
    if condition is not Condition.READY:
        return _in_condition(hosted.handed, condition)
    if ending.code == EXIT_INTERRUPTED:
        return replace(hosted, phase=Phase.FAILED, reason="its worker was stopped by a signal")
    said = "\n".join(ending.said.splitlines()[-_LINES:]) or f"its worker ended with exit code {ending.code}"
    if ending.code == EXIT_USAGE:
        return replace(hosted, phase=Phase.FAILED, reason=said)
    failures = 1 if ending.seconds >= STEADY_SECONDS else hosted.failures + 1
    if failures >= ATTEMPTS:
        return replace(hosted, phase=Phase.FAILED, failures=failures, reason=said)
    wait = min(2.0 ** (failures - 1), LONGEST_WAIT)
    return replace(hosted, phase=Phase.QUEUED, failures=failures, not_before=now + wait, reason=said)


def found(hosted: Hosted, condition: Condition) -> Hosted:
    """The run after a look at where it stands."""
    now = _in_condition(hosted.handed, condition)
    return hosted if (now.phase, now.paused) == (hosted.phase, hosted.paused) else now


def _in_condition(handed: HandedOverRun, condition: Condition) -> Hosted:
    return Hosted(handed=handed, phase=PHASES[condition], paused=condition is Condition.PAUSED)
