"""What an agent offers as evidence for a criterion."""

from typing import Final

from shiftwork.records import dataclass

NOT_UNDERSTOOD: Final = ""
"""The kind of a line that names a criterion and says nothing that can be checked; its `reference` is the line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What an agent offers as proof of one criterion; a claim until it has been checked."""

    criterion: str
    kind: str
    reference: str
