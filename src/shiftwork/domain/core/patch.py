"""A patch that a person has reviewed."""

from dataclasses import dataclass

from shiftwork.domain.core.ids import Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """All of a story's changes as one commit on `base`."""

    base: Commit
    commit: Commit
