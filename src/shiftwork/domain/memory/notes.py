"""What is remembered from session to session: notes, bounded, the newest in full."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Whom a note is for: the later steps of its story, every story of the run, or, as a pattern of the code base,
    later runs too.
    """

    STORY = "story"
    PROJECT = "project"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A note as an agent left it."""

    text: str
    scope: Scope = Scope.STORY


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A remembered remark. `by` is the step that wrote it in a story's memory and the story in a run's, and empty where
    an earlier run had learnt it; `title` is that of a story whose end is remembered.
    """

    at: float
    by: str
    text: str
    scope: Scope = Scope.STORY
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Notes in the order they came. `notes` are whole; before them came `older`, of which a line each is left, and
    before those as many as `left_out` counts.
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
    """What a run has learnt: `project` notes for all of its stories, `patterns` of the code base, and `progress`, one
    note for each story that landed and was not undone. `changes` counts how often that changed, `kept` is the count
    that its files show.
    """

    project: Shelf = Shelf()
    patterns: Shelf = Shelf()
    progress: Shelf = Shelf()
    changes: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What a story that has landed tells its run: its title, what was done and what it learnt, in a few lines."""

    title: str
    text: str
