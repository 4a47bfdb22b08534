"""Markdown task lists: every checkbox at the top of a list is a story, and what is below it are its criteria.

A task with nothing below it is its own criterion.
Only files in which no heading has a list of its own are task lists; other plans have their stories as headings.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._checkboxes import mark_edits
from shiftwork.adapters.specs._document import Edit
from shiftwork.adapters.specs._draft import Draft, Found, slug
from shiftwork.adapters.specs._markdown import Block, parse, prose, sections, unread
from shiftwork.adapters.specs._needs import NEEDS, misspelt, needs_of, said
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.regexes import regex

NAME: Final = "task-list"

_NUMBERED: Final = regex(
    r"(?P<name>[A-Za-z][A-Za-z0-9]*-\d[\w.-]*?)[ \t]*(?::|[ \t][-\u2013\u2014])[ \t]+(?P<title>\S.*)"
)
_SPACE: Final = regex(r"[ \t]*")

_INSTRUCTIONS: Final = """\
The stories of this work are the tasks of the list `{file}`. Your story is the one below: do only that one. Do not
change `{file}`: the harness marks a task as done there when its story has landed."""


def belongs(path: Path, text: str) -> bool:
    if path.suffix.lower() not in {".md", ".markdown"}:
        return False
    blocks = parse(text)
    headed = any(block.bullet for section in sections(blocks, 2) for block in section.body)
    return not headed and any(block.box >= 0 for block in blocks if block.bullet)


def read(path: Path, text: str, shown: str) -> Draft:
    blocks = parse(text)
    tasks = tasks_of(blocks, text)
    title = next((block.text for block in blocks if block.level == 1), "")
    opening = opening_of(blocks)
    read_blocks = (*opening, *(block for task in tasks for block in task))
    return Draft(
        title=cleaned(title).strip() or path.stem,
        description=prose(opening),
        stories=tuple(_found(task, {_named(other[0])[0] for other in tasks}) for task in tasks),
        instructions=_INSTRUCTIONS.format(file=shown),
        unused=(*unread(text, blocks, read_blocks), *misspelt(text, read_blocks, (NEEDS,))),
    )


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    for task in tasks_of(parse(text), text):
        story = _named(task[0])[0]
        if mark := marks.get(story):
            yield story, mark_edits((block for block in task if block.box >= 0), done=mark.done)


def has_id(task: Block) -> bool:
    """Whether the task names its own id, as in `US-1: Title`."""
    return _NUMBERED.fullmatch(task.text) is not None


def opening_of(blocks: Sequence[Block]) -> list[Block]:
    """What stands above the list, without headings."""
    first = next(place for place, block in enumerate(blocks) if block.bullet)
    return [block for block in blocks[:first] if not block.level]


def tasks_of(blocks: Sequence[Block], text: str) -> list[list[Block]]:
    """Each task with the blocks that are indented below it."""
    boxes = [block for block in blocks if block.bullet and block.box >= 0]
    least = min(_indent(block, text) for block in boxes)
    tasks: list[list[Block]] = []
    inside = False
    for block in blocks:
        if block.bullet and block.box >= 0 and _indent(block, text) == least:
            tasks.append([block])
            inside = True
        elif inside and not block.level and (not block.text.strip() or _indent(block, text) > least):
            tasks[-1].append(block)
        else:
            inside = False
    return tasks


def _indent(block: Block, text: str) -> int:
    start = max(text.rfind(end, 0, block.at) for end in "\r\n") + 1
    found = _SPACE.match(text, start)
    return len(found[0].expandtabs(4)) if found else 0


def _named(task: Block) -> tuple[StoryId, str]:
    found = _NUMBERED.fullmatch(task.text)
    title = " ".join(cleaned(found["title"] if found else task.text).split())
    return StoryId(found["name"] if found else slug(task.text)), title


def _found(task: Sequence[Block], ids: set[StoryId]) -> Found:
    name, title = _named(task[0])
    spelled = {known.lower(): known for known in ids}
    needs = needs_of(task[1:], lambda other: spelled.get(other.lower(), spelled.get(slug(other), StoryId(other))))
    rest = [block for block in task[1:] if not said(block, NEEDS)]
    texts = [cleaned(block.text) for block in rest if block.bullet] or [title]
    story = Story(
        id=name,
        named=name != slug(task[0].text),
        title=title,
        description=prose([block for block in rest if not block.bullet]),
        criteria=tuple(Criterion(id=f"AC-{number}", text=text) for number, text in enumerate(texts, start=1)),
        depends_on=needs.ids,
    )
    return Found(story=story, at=task[0].at, done=task[0].marked, needs_at=needs.places)
