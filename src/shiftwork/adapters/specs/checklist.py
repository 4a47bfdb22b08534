"""One story in Markdown: a title, what is wanted, and a checklist of criteria, as the text of an issue often is.

A list of tasks looks the same but for the text above it: a file counts as one story only if it has a title and a
description, no box has anything below it or an id of its own, and none or all of them are marked. A person may say
otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs import task_list
from shiftwork.adapters.specs._checkboxes import mark_edits
from shiftwork.adapters.specs._document import Edit
from shiftwork.adapters.specs._draft import Draft, Found, slug
from shiftwork.adapters.specs._markdown import Block, parse, prose, unread
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark
from shiftwork.prompts.answer.marked_lines import cleaned

NAME: Final = "checklist"

_INSTRUCTIONS: Final = """\
Your story is the text of `{file}`; the boxes there are its criteria. Do not change `{file}`: the harness marks them
when the story has landed."""


def belongs(path: Path, text: str) -> bool:
    if not task_list.belongs(path, text):
        return False
    blocks = parse(text)
    boxes, opening = _boxes(blocks), task_list.opening_of(blocks)
    tasks = task_list.tasks_of(blocks, text)
    titled = _title(blocks) and prose(opening).strip()
    plain = all(len(task) == 1 and not task_list.has_id(task[0]) for task in tasks)
    return bool(titled) and plain and len({box.marked for box in boxes}) == 1


def read(path: Path, text: str, shown: str) -> Draft:
    blocks = parse(text)
    boxes, opening = _boxes(blocks), task_list.opening_of(blocks)
    title = cleaned(_title(blocks)).strip() or path.stem
    story = Story(
        id=StoryId(slug(title)),
        title=title,
        named=False,
        description=prose(opening),
        criteria=tuple(
            Criterion(id=f"AC-{number}", text=cleaned(box.text)) for number, box in enumerate(boxes, start=1)
        ),
    )
    found = Found(story=story, at=boxes[0].at, done=all(box.marked for box in boxes))
    return Draft(
        title=title,
        stories=(found,),
        instructions=_INSTRUCTIONS.format(file=shown),
        unused=tuple(unread(text, blocks, (*opening, *boxes))),
    )


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    """The file has one story, whatever its title is called by now."""
    for story, mark in marks.items():
        yield story, mark_edits(_boxes(parse(text)), done=mark.done)


def _boxes(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if block.bullet and block.box >= 0]


def _title(blocks: Sequence[Block]) -> str:
    return next((block.text for block in blocks if block.level == 1), "")
