"""spec-kit's `tasks.md`: lines `- [ ] T001 [P] [US1] text`, grouped by user story.

The order is that of spec-kit's phases: setup and foundations, then the user stories, independent of each other, then
polishing. A phase without user stories is a story of its own.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._checkboxes import mark_edits
from shiftwork.adapters.specs._document import Edit, Mistake, place
from shiftwork.adapters.specs._draft import Draft, Found, slug
from shiftwork.adapters.specs._markdown import Block, Section, parse, prose, sections
from shiftwork.adapters.specs._offer import text_beside, unnamed
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark, Unused
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.records import dataclass, field
from shiftwork.regexes import regex

NAME: Final = "spec-kit"

_TASK: Final = regex(r"(?P<number>T\d{1,6})[:.]?[ \t]+(?P<tags>(?:\[[A-Za-z0-9]+\][ \t]*)*)(?P<text>.*)", re.DOTALL)
_LINE: Final = regex(r"(?m)^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+T\d+[:.]?[ \t]")
_TAG: Final = regex(r"\[US(\d+)\]", re.IGNORECASE)
_STORY: Final = regex(r"(?i)user story (?P<number>\d+)[ \t]*[-\u2013\u2014:]?[ \t]*(?P<title>.*)")
_PRIORITY: Final = regex(r"(?i)\(priority:[ \t]*P?(?P<number>\d+)\)")
_PHASE: Final = regex(r"(?i)phase \w+[ \t]*[-\u2013\u2014:][ \t]*(?P<title>.*)")
_BRANCH: Final = regex(r"\*\*Feature Branch\*\*:?[ \t]*+:?[ \t]*+`([^`\[\]\s]+)`")
_ADDITION: Final = regex(r"[ \t]*(?:\([^()]*\)|[^\w\s.,;:!?'\"`/&()-]).*")

_INSTRUCTIONS: Final = """\
This work follows spec-kit; its files are in `{folder}`. Your story is one group of the tasks in its `tasks.md`: do
only these tasks. Of the files there that exist, read `spec.md` (the requirements, with acceptance scenarios for each
user story), `plan.md` (how), and as needed `research.md`, `data-model.md`, `contracts/` and `quickstart.md`. Do
not change `tasks.md`: the harness marks a story's tasks as done when the story has landed."""
_BESIDE: Final = ("spec.md", "plan.md", "research.md", "data-model.md", "quickstart.md", "contracts/")


@dataclass(slots=True, kw_only=True)
class _Group:
    """The tasks of one story; `shared` if they belong to no user story."""

    id: StoryId
    title: str
    at: int
    shared: bool
    priority: int = 0
    tasks: list[Block] = field(default_factory=list)


def belongs(path: Path, text: str) -> bool:  # noqa: ARG001 - same signature for all formats
    return _LINE.search(text) is not None


def read(path: Path, text: str, shown: str) -> Draft:
    spec = text_beside(path.parent / "spec.md")
    groups = _groups(text)
    asked = dict(_asked(spec))
    branch = _BRANCH.search(spec)
    return Draft(
        title=_title(text, path.parent),
        stories=tuple(_found(groups, asked)),
        branch=branch[1] if branch else "",
        instructions=_INSTRUCTIONS.format(folder=shown.rpartition("/")[0] or "."),
        mistakes=tuple(_repeated(groups)),
        unused=(*_unnumbered(text, groups), *unnamed(path.parent, _INSTRUCTIONS)),
        beside=_BESIDE,
    )


def _unnumbered(text: str, groups: Iterable[_Group]) -> Iterator[Unused]:
    """Checkboxes without a task number. Other text in the file is spec-kit's own template."""
    tasks = {task.at for group in groups for task in group.tasks}
    for block in parse(text):
        if block.box >= 0 and block.at not in tasks:
            yield Unused(path=f"line {place(text, block.at)[0]}: {block.text}")


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    for group in _groups(text):
        if mark := marks.get(group.id):
            yield group.id, mark_edits(group.tasks, done=mark.done)


def _groups(text: str) -> list[_Group]:
    """Groups in the order of their first tasks in the file."""
    groups: dict[StoryId, _Group] = {}
    heading = Block(at=0, text="", level=2)
    for block in parse(text):
        heading = block if block.level == 2 else heading
        task = _TASK.fullmatch(block.text) if block.bullet and block.box >= 0 else None
        if task:
            group = _group(heading, task, block)
            groups.setdefault(group.id, group).tasks.append(block)
    return list(groups.values())


def _group(heading: Block, task: re.Match[str], block: Block) -> _Group:
    """A task belongs to the user story of its tag, else to that of its heading, else to the heading itself."""
    headed = _STORY.search(heading.text)
    tag = _TAG.search(task["tags"])
    number = tag[1] if tag else headed["number"] if headed else ""
    if not number:
        phase = _PHASE.fullmatch(heading.text)
        title = _plain(phase["title"] if phase else heading.text) or "Tasks"
        return _Group(id=StoryId(slug(title) or "tasks"), title=title, at=block.at, shared=True)
    own = headed if headed and int(headed["number"]) == int(number) else None
    urgent = _PRIORITY.search(heading.text) if own else None
    return _Group(
        id=StoryId(f"US{int(number)}"),
        title=_plain(own["title"]) if own else "",
        at=block.at,
        shared=False,
        priority=int(urgent["number"]) if urgent else 0,
    )


def _plain(title: str) -> str:
    """A title without spec-kit's additions: a priority, a remark in brackets, a symbol."""
    return " ".join(cleaned(_ADDITION.sub("", title)).split())


def _found(groups: Iterable[_Group], asked: Mapping[str, Section]) -> Iterator[Found]:
    foundation: tuple[StoryId, ...] = ()
    since: tuple[StoryId, ...] = ()
    for group in groups:
        needs = (since or foundation) if group.shared else foundation
        wanted = asked.get(group.id)
        story = Story(
            id=group.id,
            named=not group.shared,
            title=group.title or (_story_title(wanted) if wanted else "") or f"User story {group.id[2:]}",
            description=prose(wanted.body) if wanted else "",
            criteria=tuple(_criterion(block) for block in group.tasks),
            depends_on=needs,
            priority=group.priority,
        )
        done = all(task.marked for task in group.tasks)
        yield Found(story=story, at=group.at, done=done, needs_at=(group.at,) * len(needs))
        foundation, since = ((group.id,), ()) if group.shared else (foundation, (*since, group.id))


def _criterion(block: Block) -> Criterion:
    task = _TASK.fullmatch(block.text)
    if task is None:
        raise ValueError("only tasks are grouped")
    return Criterion(id=task["number"], text=cleaned(task["text"]))


def _asked(spec: str) -> Iterator[tuple[str, Section]]:
    """The section of `spec.md` for each user story."""
    for section in sections(parse(spec), 3):
        if found := _STORY.match(section.heading.text):
            yield f"US{int(found['number'])}", section


def _story_title(section: Section) -> str:
    found = _STORY.match(section.heading.text)
    return _plain(found["title"]) if found else ""


def _title(text: str, folder: Path) -> str:
    headings = (block.text for block in parse(text) if block.level == 1)
    return cleaned(re.sub(r"(?i)^tasks:?[ \t]*", "", next(headings, "")) or folder.name)


def _repeated(groups: Iterable[_Group]) -> Iterator[Mistake]:
    seen: set[str] = set()
    for task in (task for group in groups for task in group.tasks):
        number = task.text.split(maxsplit=1)[0].rstrip(":.")
        if number in seen:
            yield Mistake(at=task.at, text=f"the task {number} appears twice")
        seen.add(number)
