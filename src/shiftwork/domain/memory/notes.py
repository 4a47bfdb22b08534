"""Notes that are kept between sessions, bounded, the newest in full."""

from enum import StrEnum

from shiftwork.records import dataclass


class Scope(StrEnum):
    """Where a note applies: later steps of its story, every story of the run, or, as a pattern of the code base, later
    runs too.
    """

    STORY = "story"
    PROJECT = "project"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A note as an agent wrote it."""

    text: str
    scope: Scope = Scope.STORY


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A stored remark. `by` is the step that wrote it in a story's memory, the story in a run's, and empty where an
    earlier run learnt it. `title` is the title of a landed story.
    """

    at: float
    by: str
    text: str
    scope: Scope = Scope.STORY
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Notes in the order they were added. `notes` are complete; before them are `older` notes, shortened to a line
    each, and before those the `left_out` notes, of which only the number is kept.
    """

    notes: tuple[Note, ...] = ()
    older: tuple[Note, ...] = ()
    left_out: int = 0

    @property
    def all(self) -> tuple[Note, ...]:
        """What is left of every note, the oldest first."""
        return (*self.older, *self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What a run has learnt: `project` notes for all of its stories, `patterns` of the code base, and `progress`, a
    note for each story that landed and was not undone. `changes` counts the changes to these; `kept` is the count at
    which the files were last written.
    """

    project: Shelf = Shelf()
    patterns: Shelf = Shelf()
    progress: Shelf = Shelf()
    changes: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What a landed story reports to its run: its title, what was done and what it learnt, in a few lines."""

    title: str
    text: str
