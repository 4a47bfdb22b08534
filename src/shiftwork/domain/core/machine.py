"""Types for the tables of status changes. The tables are in the `transitions` modules of the domain.

A table reads: from this status, on this trigger, to that status. A pair that is not in the table is illegal: the change
returns `None`, and `evolve` leaves the state as it is. Only these tables change a status.
"""

from collections.abc import Mapping
from enum import StrEnum


class Trigger(StrEnum):
    """What changes a status."""

    START = "start"
    ADOPT = "adopt"
    COMPLETE = "complete"
    FAIL = "fail"
    CANCEL = "cancel"
    INTERRUPT = "interrupt"
    RETRY = "retry"
    SKIP = "skip"
    RESTART = "restart"
    REWIND = "rewind"
    REVIVE = "revive"
    ASK = "ask"
    DEFER = "defer"
    BUILD = "build"
    VERIFY = "verify"
    LAND = "land"
    REFUSE = "refuse"
    WITHDRAW = "withdraw"
    MISS = "miss"
    CLOSE = "close"
    BLOCK = "block"
    UNBLOCK = "unblock"
    REOPEN = "reopen"
    UNDO = "undo"
    FIND = "find"


type Table[S: StrEnum] = Mapping[tuple[S, Trigger], S]
