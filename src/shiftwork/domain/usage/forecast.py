"""The cost of a run as estimated before it starts."""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """What the work may cost, from the cost of `known` earlier stories: the range of the middle half."""

    low_usd: float
    high_usd: float
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Estimates for all stories that a run starts with, and for a story of the usual size."""

    whole: Band
    usual: Band
