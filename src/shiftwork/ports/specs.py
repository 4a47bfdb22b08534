"""Files that say what is to be done: read into stories, and told which of them have landed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Spec


@dataclass(frozen=True, slots=True, kw_only=True)
class Unused:
    """Something in the user's file, by its path there, that was not used: because it is `known` to be of no use for the
    work, or because it was not understood; `meant` is what was probably meant by it.
    """

    path: str
    known: bool = False
    meant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A spec as it was read. `source` is what the same file is told by later: its format and, after a colon, its path.
    `done` are the stories that the file says have landed already, and `unused` is what of the file was not used.
    """

    source: str
    spec: Spec
    done: frozenset[StoryId] = frozenset()
    unused: tuple[Unused, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What has become of a story. The `note` is kept beside it where the format has a place for one."""

    done: bool
    note: str = ""


class Specs(Protocol):
    """The user's spec files; every format knows its own way of saying that a story is done."""

    async def read(self, path: str) -> Sheet:
        """The spec in a file or a folder; only looks.

        Raises SpecError that tells every mistake as `file:line:column: what is wrong`, and what may have been meant.
        """
        ...

    async def mark(self, source: str, marks: Mapping[StoryId, Mark]) -> frozenset[StoryId]:
        """Have the file say what has become of these stories, and leave every other byte of it as it is now.

        What the user has changed since it was read stays. A story that the file does not have is passed over; those
        that it has are given. A second call changes nothing. A reader sees the file as it was or as it is then, never
        half of it. Raises SpecError where the file cannot be read as what it was, or cannot be written; then it is as
        it was.
        """
        ...
