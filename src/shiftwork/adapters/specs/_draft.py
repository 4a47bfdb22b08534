"""A spec as a format has found it, and what is checked of it whatever the format: ids, dependencies, circles."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from shiftwork.adapters.specs._document import Mistake
from shiftwork.domain.core.ids import STORY_ID, StoryId
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.spec.graph import find_cycle
from shiftwork.domain.spec.spec import Story
from shiftwork.ports.specs import Unused
from shiftwork.prompts.answer.problem import did_you_mean, shown

_SLUG_LIMIT: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A story and where it stands; `needs_at` are the places of its dependencies, as many as there are."""

    story: Story
    at: int
    done: bool = False
    needs_at: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What was found in a file, mistakes included."""

    title: str
    stories: tuple[Found, ...]
    description: str = ""
    requirements: tuple[str, ...] = ()
    branch: str = ""
    instructions: str = ""
    gates: tuple[Gate, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    unused: tuple[Unused, ...] = ()


def mistakes_of(draft: Draft) -> Sequence[Mistake]:
    """Everything that is wrong; circles are looked for where nothing else is, because they would mislead."""
    found = (*draft.mistakes, *_ids(draft.stories), *_unknown(draft.stories))
    return found or tuple(_circle(draft.stories))


def slug(text: str) -> str:
    """An id made from a title: its letters and digits, and a trace of the rest where these do not tell titles apart."""
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
    """Ids become names of branches and folders, and on some file systems case does not tell these apart."""
    first: dict[str, Found] = {}
    for found in stories:
        name = found.story.id
        if not name:
            continue  # that it is missing has been said
        if not STORY_ID.fullmatch(name):
            told = f"the id {shown(name)} must be letters, digits, '-', '_' and single dots, at most 64"
            yield Mistake(at=found.at, text=told)
        elif first.setdefault(name.lower(), found) is not found:
            other = first[name.lower()].story
            yield Mistake(at=found.at, text=f"the id {name!r} is already that of the story {shown(other.title)}")


def _unknown(stories: Sequence[Found]) -> Iterator[Mistake]:
    known = {found.story.id for found in stories}
    for found in stories:
        for other, at in zip(found.story.depends_on, found.needs_at, strict=True):
            if other not in known:
                told = f"{found.story.id} depends on {shown(other)}, which is not in this file"
                yield Mistake(at=at, text=told + did_you_mean(other, known))


def _circle(stories: Sequence[Found]) -> Iterator[Mistake]:
    circle = find_cycle({found.story.id: found.story.depends_on for found in stories})
    if circle:
        entered = next(found for found in stories if found.story.id == circle[0])
        places = dict(zip(entered.story.depends_on, entered.needs_at, strict=True))
        following: StoryId = circle[1] if len(circle) > 1 else circle[0]
        way = " → ".join((*circle, circle[0]))
        yield Mistake(at=places[following], text=f"stories depend on each other in a circle: {way}")
