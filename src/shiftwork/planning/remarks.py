"""Warnings about a plan before a run spends anything. A warning never prevents a run."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from typing import Final

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.run.overlap import Claims
from shiftwork.domain.spec.checkability import checkable
from shiftwork.domain.spec.graph import dependents, reachable
from shiftwork.domain.spec.spec import Story
from shiftwork.records import dataclass
from shiftwork.regexes import regex

MANY_CRITERIA: Final = 8
LONG_DESCRIPTION: Final = 4_000
HARDEST: Final = 5
BOTTLENECK: Final = 4
"""A story is a bottleneck if at least this many stories depend on it directly."""

_VAGUE: Final = regex(
    r"\b(?:appropriate(?:ly)?|as (?:needed|expected)|correctly|easy|easily|efficient(?:ly)?|elegant(?:ly)?|etc|fast|"
    r"friendly|good|gracefully|improved?|intuitive|nice(?:ly)?|optimi[sz]ed?|proper(?:ly)?|quickly|reasonable|robust|"
    r"sensible|simple|smooth(?:ly)?|user-friendly|well|works?)\b",
    re.IGNORECASE,
)
# A file with an extension, or a folder with enough levels not to be "and/or".
_PATH: Final = regex(
    r"(?<![\w/.-])(?:(?:(?:[\w-]+/)+[\w-]+|[\w-]{2,})\.[a-z]{1,4}(?![\w(./])|(?:[\w-]+/){2,}[\w-]+(?![\w.]))"
)


class WarningKind(StrEnum):
    """The kind of a warning."""

    VAGUE = "vague"
    UNCHECKABLE = "uncheckable"
    OVERSIZED = "oversized"
    BOTTLENECK = "bottleneck"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A warning about one story, in a sentence; `criterion` is the id of the criterion that it concerns, if any."""

    story: StoryId
    kind: WarningKind
    text: str
    criterion: str = ""


def remarks(stories: Sequence[Story], *, ordered: bool = False) -> tuple[Remark, ...]:
    """Returns all warnings, in the order of the plan. Stories of an `ordered` plan never run in parallel."""
    edges = {story.id: story.depends_on for story in stories}
    waiting = dependents(edges)
    overlaps = {} if ordered else _overlaps(stories, edges)
    found: list[Remark] = []
    for story in stories:
        found += _criteria(story)
        found += _size(story)
        found += _hub(story.id, waiting[story.id])
        found += overlaps.get(story.id, ())
    return tuple(found)


def expected(story: Story) -> tuple[str, ...]:
    """The paths that the story is expected to change: its `touches`, else the paths that its text names."""
    if story.touches:
        return story.touches
    texts = (story.description, *(criterion.text for criterion in story.criteria))
    return tuple(dict.fromkeys(path for text in texts for path in _PATH.findall(text)))


def _criteria(story: Story) -> Iterator[Remark]:
    for criterion in story.criteria:
        vague = _VAGUE.search(criterion.text)
        if vague and not checkable(criterion):
            message = f'{criterion.id} says "{vague.group()}": describe an observable result'
            yield Remark(story=story.id, kind=WarningKind.VAGUE, text=message, criterion=criterion.id)
        elif not checkable(criterion):
            message = f"{criterion.id} names nothing that a test or a command could check"
            yield Remark(story=story.id, kind=WarningKind.UNCHECKABLE, text=message, criterion=criterion.id)
    if not any(map(checkable, story.criteria)):
        message = "no criterion can be checked: only the gates will check this story"
        yield Remark(story=story.id, kind=WarningKind.UNCHECKABLE, text=message)


def _size(story: Story) -> Iterator[Remark]:
    reasons = (
        (len(story.criteria) > MANY_CRITERIA, f"{len(story.criteria)} criteria"),
        (len(story.description) > LONG_DESCRIPTION, f"{len(story.description):,} characters of description"),
        (story.complexity >= HARDEST, f"complexity {story.complexity}"),
    )
    if lines := [reason for holds, reason in reasons if holds]:
        text = f"{' and '.join(lines)}: smaller stories fail less often and run in parallel"
        yield Remark(story=story.id, kind=WarningKind.OVERSIZED, text=text)


def _hub(story: StoryId, waiting: Sequence[StoryId]) -> Iterator[Remark]:
    if len(waiting) >= BOTTLENECK:
        text = f"{len(waiting)} stories depend on it: if it fails, they fail too; can it be split?"
        yield Remark(story=story, kind=WarningKind.BOTTLENECK, text=text)


def _overlaps(
    stories: Sequence[Story], edges: Mapping[StoryId, tuple[StoryId, ...]]
) -> dict[StoryId, tuple[Remark, ...]]:
    """Warnings about stories that may run in parallel and change the same files, on the later story of each pair."""
    needs = {story.id: reachable(edges, (story.id,)) for story in stories}
    paths = {story.id: expected(story) for story in stories}
    found: dict[StoryId, tuple[Remark, ...]] = {}
    for first, second in combinations(stories, 2):
        ordered = first.id in needs[second.id] or second.id in needs[first.id]
        both = () if ordered else _shared(paths[first.id], paths[second.id])
        if both:
            text = f"will change {', '.join(both)} like {first.id}, and may run in parallel with it: expect a conflict"
            found[second.id] = (*found.get(second.id, ()), Remark(story=second.id, kind=WarningKind.OVERLAP, text=text))
    return found


def _shared(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    claims = Claims(first)
    return tuple(path for path in second if claims.meet((path,)))


def by_story(found: Sequence[Remark]) -> dict[str, tuple[Remark, ...]]:
    values: dict[str, tuple[Remark, ...]] = {}
    for remark in found:
        values[remark.story] = (*values.get(remark.story, ()), remark)
    return values
