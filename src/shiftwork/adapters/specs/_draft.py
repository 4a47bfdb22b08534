"""A spec as a format has parsed it, and the checks that all formats share: ids, dependencies, cycles."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from shiftwork.adapters.specs._document import Mistake
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import STORY_ID, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.graph import find_cycle
from shiftwork.domain.spec.spec import Story
from shiftwork.ports.specs import Unused
from shiftwork.prompts.answer.problem import did_you_mean, shown
from shiftwork.records import dataclass

_SLUG_LIMIT: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A story and its offset; `needs_at` has one offset for each dependency."""

    story: Story
    at: int
    done: bool = False
    needs_at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """Everything found in a file, mistakes included. `beside` are the other files that agents are to read, as they are
    called in its folder; folders end with a slash. `patterns` are notes for all stories, and `carried` are the files
    beside it from which notes were taken.
    """

    title: str
    stories: tuple[Found, ...]
    description: str = ""
    requirements: tuple[str, ...] = ()
    non_goals: tuple[str, ...] = ()
    branch: str = ""
    instructions: str = ""
    gates: tuple[Gate, ...] = ()
    limits: Limits = Limits()
    mistakes: tuple[Mistake, ...] = ()
    unused: tuple[Unused, ...] = ()
    beside: tuple[str, ...] = ()
    project: str = ""
    patterns: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()


def mistakes_of(draft: Draft) -> Sequence[Mistake]:
    """All mistakes. Cycles are only reported where there is no other mistake, because they would mislead."""
    found = (*draft.mistakes, *_ids(draft.stories), *_unknown(draft.stories))
    return found or tuple(_cycle(draft.stories))


def slug(text: str) -> str:
    """Makes an id from a title: its letters and digits, plus a short hash where these are too long or empty."""
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if words and len(words) <= _SLUG_LIMIT:
        return words
    trace = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:8]
    return f"{words[:_SLUG_LIMIT].rstrip('-') or 'story'}-{trace}"


def untitled(stories: Sequence[Found]) -> Iterator[Mistake]:
    for found in stories:
        if not found.story.title:
            yield Mistake(at=found.at, text="this story has no title")


def _ids(stories: Sequence[Found]) -> Iterator[Mistake]:
    """Ids become names of branches and folders, and some file systems ignore case."""
    first: dict[str, Found] = {}
    for found in stories:
        name = found.story.id
        if not name:
            continue  # already reported as missing
        if not STORY_ID.fullmatch(name):
            message = f"the id {shown(name)} must be letters, digits, '-', '_' and single dots, at most 64"
            yield Mistake(at=found.at, text=message)
        elif first.setdefault(name.lower(), found) is not found:
            other = first[name.lower()].story
            yield Mistake(at=found.at, text=f"the id {name!r} is already used by the story {shown(other.title)}")


def _unknown(stories: Sequence[Found]) -> Iterator[Mistake]:
    known = {found.story.id for found in stories}
    for found in stories:
        for other, at in zip(found.story.depends_on, found.needs_at, strict=True):
            if other not in known:
                message = f"{found.story.id} depends on {shown(other)}, which is not in this file"
                yield Mistake(at=at, text=message + did_you_mean(other, known))


def _cycle(stories: Sequence[Found]) -> Iterator[Mistake]:
    cycle = find_cycle({found.story.id: found.story.depends_on for found in stories})
    if cycle:
        entered = next(found for found in stories if found.story.id == cycle[0])
        places = dict(zip(entered.story.depends_on, entered.needs_at, strict=True))
        following: StoryId = cycle[1] if len(cycle) > 1 else cycle[0]
        way = " → ".join((*cycle, cycle[0]))
        yield Mistake(at=places[following], text=f"stories depend on each other in a cycle: {way}")
