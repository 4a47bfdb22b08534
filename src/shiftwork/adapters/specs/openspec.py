"""OpenSpec change folders: each section of `tasks.md` is a story; prompts include all scenarios of the change."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._checkboxes import mark_edits
from shiftwork.adapters.specs._document import Edit, Mistake
from shiftwork.adapters.specs._draft import Draft, Found, slug, untitled
from shiftwork.adapters.specs._markdown import Block, Section, parse, prose, sections, unread
from shiftwork.adapters.specs._needs import NEEDS, Needs, misspelt, needs_of, said
from shiftwork.adapters.specs._offer import offered, text_beside, unnamed
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark, Unused
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.records import replace
from shiftwork.regexes import regex

NAME: Final = "openspec"

_SECTION: Final = regex(r"(?P<number>\d{1,6})[.)]?[ \t]+(?P<title>.*)")
_TASK: Final = regex(r"(?P<number>\d{1,6}(?:\.\d{1,6})+)[.)]?[ \t]+(?P<text>.*)", re.DOTALL)
_NUMBERED: Final = regex(r"(?m)^##[ \t]+\d+[.)]?[ \t]")
_SCENARIO: Final = regex(r"(?i)scenario:[ \t]*(?P<name>.*)")

_INSTRUCTIONS: Final = """\
This work is the OpenSpec change `{change}`, kept in `{folder}`. Your story is one section of its `tasks.md`: do the
tasks of that section and no others. Read `proposal.md`, `design.md` and the files under `specs/` there, as far as they
exist. Do not change `tasks.md`: the harness marks a section's tasks as done when the story has landed."""
_LEAD: Final = regex(r"(?i)^(?:(?:change )?proposal\b:?|change:)[ \t]*")
_PARTS: Final = frozenset({"why", "what changes", "impact"})
"""The usual headings of a proposal, which title none."""
_BESIDE: Final = ("proposal.md", "design.md", "specs/")
_OFFER: Final = """\
These are all scenarios of the change. Look at those that concern your story: they must hold when it is done."""


def belongs(path: Path, text: str) -> bool:
    return path.name == "tasks.md" and _NUMBERED.search(text) is not None


def read(path: Path, text: str, shown: str) -> Draft:
    folder, stories = path.parent, _stories(text)
    found = tuple(_found(stories))
    instructions = _INSTRUCTIONS.format(change=folder.name, folder=shown.removesuffix("/tasks.md"))
    nothing = Mistake(at=0, text="there is no section `## 1. Title` with tasks `- [ ] 1.1 …` under it")
    return Draft(
        title=_title(folder),
        stories=found,
        instructions=offered(instructions, _OFFER, list(_scenarios(folder))),
        mistakes=tuple(untitled(found)) if found else (nothing,),
        unused=(*_unused(text, stories), *unnamed(folder, _INSTRUCTIONS)),
        beside=_BESIDE,
    )


def _unused(text: str, stories: Sequence[Section]) -> Iterator[Unused]:
    """A bullet without a checkbox is neither a task nor part of the description."""
    own = [block for section in stories for block in (section.heading, *section.body)]
    yield from unread(text, parse(text), [block for block in own if not block.bullet or block.box >= 0])
    yield from misspelt(text, own, (NEEDS,))


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    for section in _stories(text):
        story = _id(section.heading.text)
        if mark := marks.get(story):
            yield story, mark_edits(section.boxes, done=mark.done)


def _stories(text: str) -> list[Section]:
    return [section for section in sections(parse(text), 2) if section.boxes]


def _id(heading: str) -> StoryId:
    numbered = _SECTION.fullmatch(heading)
    return StoryId(f"section-{int(numbered['number'])}" if numbered else slug(heading))


def _found(stories: Sequence[Section]) -> Iterator[Found]:
    """Each section depends on the section before it, as OpenSpec's tasks do, unless a line `Depends on:` says
    otherwise.
    """
    before: tuple[StoryId, ...] = ()
    for section in stories:
        heading = section.heading
        story = _story(section)
        needs = needs_of(section.body, _named)
        if not needs.stated:
            needs = Needs(ids=before, places=(heading.at,) * len(before))
        done = all(box.marked for box in section.boxes)
        yield Found(story=replace(story, depends_on=needs.ids), at=heading.at, done=done, needs_at=needs.places)
        before = (story.id,)


def _named(name: str) -> str:
    return f"section-{int(name)}" if name.isdecimal() else name


def _story(section: Section) -> Story:
    heading = section.heading.text
    numbered = _SECTION.fullmatch(heading)
    return Story(
        id=_id(heading),
        named=numbered is not None,
        title=" ".join(cleaned(numbered["title"] if numbered else heading).split()),
        description=prose([block for block in section.body if not block.bullet and not said(block, NEEDS)]),
        criteria=tuple(_criterion(box, number) for number, box in enumerate(section.boxes, start=1)),
    )


def _criterion(box: Block, number: int) -> Criterion:
    task = _TASK.fullmatch(box.text)
    return Criterion(id=task["number"] if task else f"AC-{number}", text=cleaned(task["text"] if task else box.text))


def _title(folder: Path) -> str:
    """The proposal's heading without such a word as "proposal"; the folder's name where nothing else is left."""
    headings = (block.text for block in parse(text_beside(folder / "proposal.md")) if block.level == 1)
    named = (cleaned(_LEAD.sub("", heading)) for heading in headings)
    return next((title for title in named if title and title.lower() not in _PARTS), folder.name)


def _scenarios(folder: Path) -> Iterator[tuple[str, str]]:
    for file in sorted((folder / "specs").rglob("*.md")):
        for section in sections(parse(text_beside(file)), 4):
            if found := _SCENARIO.fullmatch(section.heading.text):
                name = f"{file.relative_to(folder).as_posix()}, scenario: {cleaned(found['name'])}"
                yield name, prose(section.body)
