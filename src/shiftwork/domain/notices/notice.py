"""Notices: what people who do not watch are told, and how far the telling has come."""

from dataclasses import dataclass
from enum import StrEnum


class Occasion(StrEnum):
    """What is worth a notice."""

    NEEDS_YOU = "needs-you"
    FINISHED = "finished"
    FAILED = "failed"
    BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePlan:
    """Of what people want to be told, and by which channels, by name; as it is, of nothing by none."""

    occasions: tuple[Occasion, ...] = ()
    channels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticing:
    """A stream's notices have numbers, and those up to `settled` are done with: the last of them by the channels that
    have `missed` it, each with why, not at all. Of the next one, `tries` were made and `reached` are the channels that
    have taken it.
    """

    settled: int = 0
    tries: int = 0
    reached: tuple[str, ...] = ()
    missed: tuple[tuple[str, str], ...] = ()
