"""What a run may cost, as it is foreseen before it begins."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """What the work may cost, from what `known` stories have cost before: the middle half of them, each way."""

    low_usd: float
    high_usd: float
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """Of all the stories that a run begins with, and of one of the usual size."""

    whole: Band
    usual: Band
