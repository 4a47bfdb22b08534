"""Spec files: read into stories, and updated when stories have landed."""

from collections.abc import Mapping
from typing import Literal, Protocol

from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """An entry of the user's file, by its path there, that was not used: either it is `known` to be irrelevant for the
    work, or it was not understood; `meant` is the probable intention.
    """

    path: str
    known: bool = False
    meant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A parsed spec. `source` identifies the file later: its format and, after a colon, its path.

    `done` are the stories that the file already marks as done, and `unused` are the entries that were not used.
    `limits` are those that the file names; the user's own override them. `patterns` are notes for all stories that
    another tool's agents have left. `beside` are the other files that its format consists of, in its folder.
    """

    source: str
    spec: Spec
    done: frozenset[StoryId] = frozenset()
    unused: tuple[Unused, ...] = ()
    limits: Limits = Limits()
    patterns: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The outcome of a story. The `note` is written beside it if the format has a place for notes."""

    done: bool
    note: str = ""


type Form = Literal["", "one", "many"]
"""Whether the boxes of a list are the criteria of one story, or a story each; empty where its text decides."""


class Specs(Protocol):
    """The user's spec files; every format has its own way of marking a story as done."""

    async def read(self, path: str) -> Sheet:
        """Read the spec in a file or a folder; changes nothing.

        Raises SpecError that lists every mistake as `file:line:column: what is wrong`, with suggestions.
        """
        ...

    async def mark(self, source: str, marks: Mapping[StoryId, Mark]) -> frozenset[StoryId]:
        """Write the outcome of these stories to the file, and leave every other byte unchanged.

        The user's changes since it was read stay. Stories that are not in the file are skipped; returns those that are.
        A second call changes nothing. A reader sees the file as it was before or after, never half of it. Raises
        SpecError if the file can no longer be parsed, or cannot be written; then it is unchanged.
        """
        ...
