"""Notices to people who are not watching, and the state of their delivery."""

from enum import StrEnum

from shiftwork.records import dataclass


class Occasion(StrEnum):
    """Events that cause a notice."""

    NEEDS_YOU = "needs-you"
    FINISHED = "finished"
    FAILED = "failed"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePlan:
    """Which occasions people are notified of, and through which channels, by name; by default none. `url` is the
    address of the channel that the workflow names.
    """

    occasions: tuple[Occasion, ...] = ()
    channels: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticing:
    """Delivery state of a stream's numbered notices. Those up to `settled` are finished; the last of them failed on the
    `missed` channels, each with the reason. Of the next notice, `tries` were made and `reached` are the channels that
    accepted it.
    """

    settled: int = 0
    tries: int = 0
    reached: tuple[str, ...] = ()
    missed: tuple[tuple[str, str], ...] = ()
