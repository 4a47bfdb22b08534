"""What an agent offers as evidence for a criterion."""

from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an agent offers as proof of one criterion; a claim until it has been checked."""

    criterion: str
    kind: str
    reference: str
