"""`todo.txt`: a line is a story, such as `Send the code id:send needs:save`; a finished story begins with `x`."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._document import Edit, Mistake
from shiftwork.adapters.specs._draft import Draft, Found
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark

NAME: Final = "todo.txt"

_STORY: Final = re.compile(
    r"(?m)^\ufeff?(?P<done>x )?(?P<title>[^#\s][^\r\n]*?) id:(?P<id>\S+)(?: needs:(?P<needs>\S+))?[ \t]*\r?$"
)


def belongs(path: Path, text: str) -> bool:
    return path.name == "todo.txt"


def read(path: Path, text: str, shown: str) -> Draft:
    stories = tuple(map(_found, _STORY.finditer(text)))
    none = Mistake(at=0, text="there is no story: a line `What to do id:NAME`")
    return Draft(
        title=path.stem,
        stories=stories,
        instructions=f"Your story is a line of `{shown}`. Do not change that file.",
        mistakes=() if stories else (none,),
    )


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    for line in _STORY.finditer(text):
        if mark := marks.get(StoryId(line["id"])):
            yield StoryId(line["id"]), _marked(line, done=mark.done)


def _marked(line: re.Match[str], *, done: bool) -> Iterator[Edit]:
    if done != bool(line["done"]):
        start = line.start("title") - len(line["done"] or "")
        yield Edit(start=start, end=line.start("title"), text="x " if done else "")


def _found(line: re.Match[str]) -> Found:
    story = Story(
        id=StoryId(line["id"]),
        title=line["title"],
        description=line["title"],
        criteria=(Criterion(id="AC-1", text=line["title"]),),
        depends_on=(StoryId(line["needs"]),) if line["needs"] else (),
    )
    return Found(
        story=story,
        at=line.start("title"),
        done=bool(line["done"]),
        needs_at=(line.start("needs"),) if line["needs"] else (),
    )
