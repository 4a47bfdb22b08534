"""Plans in Markdown: headings are stories, bullets under them are acceptance criteria.

Stories are one level below a heading `Stories` or `Tasks`; without such a heading, every `##` heading with bullets is a
story, except usual headings about the whole plan. A checkbox in the heading says whether the story is done; without it,
the checkboxes of its criteria do.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._checkboxes import mark_edits
from shiftwork.adapters.specs._document import Edit, Mistake
from shiftwork.adapters.specs._draft import Draft, Found, slug, untitled
from shiftwork.adapters.specs._markdown import Block, Section, parse, prose, sections, unread
from shiftwork.adapters.specs._needs import NEEDS, misspelt, needs_of, said
from shiftwork.adapters.specs.prd.quality_checks import check_name, gates_from
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.named_gates import command_of
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark, Unused
from shiftwork.prompts.answer.marked_lines import cleaned
from shiftwork.regexes import regex

NAME: Final = "markdown"

_NAMED: Final = regex(
    r"(?i)(?P<name>[A-Za-z][A-Za-z0-9]*-\d[\w.-]*?|(?:(?P<kind>story|task|step|phase)[ \t]+)?(?P<number>\d{1,6}))"
    r"[ \t]*(?:[:.)]|[ \t][-\u2013\u2014])[ \t]+(?P<title>\S.*)"
)
_CONTAINERS: Final = frozenset({"stories", "user stories", "tasks"})
_REQUIREMENTS: Final = frozenset(
    {"requirements", "technical requirements", "constraints", "functional requirements", "non-functional requirements"}
)
_NON_GOALS: Final = frozenset({"non-goals", "non goals", "out of scope"})
_CHECKS: Final = frozenset({"quality gates", "quality checks", "verification commands"})
_READ: Final = _REQUIREMENTS | _NON_GOALS | _CHECKS
_OF_THE_WHOLE: Final = frozenset(
    {"overview", "background", "context", "summary", "goals", "goal", "notes"}
    | {"introduction", "motivation", "references", "risks", "open questions"}
)
_AROUND: Final = regex(r"\A\s*\d{1,3}[.)]\s+|\s*\([^()]*\)\s*\Z")
_QUOTED: Final = regex(r"`(?P<command>[^`\n]+)`\s*(?:\Z|[-:(\u2013\u2014])")
_LABELS: Final = regex(
    r"\A\**description:?\**:?[ \t]*|\s*^\**acceptance criteria:?\**:?[ \t]*$", re.IGNORECASE | re.MULTILINE
)
"""What ralph writes before a description, and before the bullets that are criteria anyway."""

_LINES: Final = (NEEDS, "priority", "complexity", "touches")

_INSTRUCTIONS: Final = """\
The stories of this work are headings of the plan `{file}`. Your story is the one below: do only that one. Do not
change `{file}`: the harness marks a story as done there when the story has landed."""


def belongs(path: Path, text: str) -> bool:  # noqa: ARG001 - same signature for all formats
    return path.suffix.lower() in {".md", ".markdown"}


def read(path: Path, text: str, shown: str) -> Draft:
    blocks = parse(text)
    stories = _stories(blocks)
    mistakes: list[Mistake] = []
    ids = {_id(section.heading) for section in stories}
    found = tuple(_found(section, ids, mistakes) for section in stories)
    if not found:
        mistakes.append(Mistake(at=0, text="there is no story: a heading `## Title` with bullets `- …` under it"))
    title = next((block.text for block in blocks if block.level == 1), "")
    first = next((place for place, block in enumerate(blocks) if block.level > 1), len(blocks))
    opening = [block for block in blocks[:first] if not block.level]
    wanted, excluded, checks = (_items(blocks, names) for names in (_REQUIREMENTS, _NON_GOALS, _CHECKS))
    commands = tuple((block, command) for block in checks if (command := _command(block)))
    named = ((check_name(command), command, "") for _, command in commands)
    used = (*opening, *wanted, *excluded, *(block for block, _ in commands))
    return Draft(
        title=cleaned(title).strip() or path.stem,
        description=prose([block for block in opening if not said(block, "branch")]),
        stories=found,
        requirements=tuple(cleaned(block.text) for block in wanted),
        non_goals=tuple(cleaned(block.text) for block in excluded),
        branch=next((line.value for block in opening if (line := said(block, "branch"))), ""),
        instructions=_INSTRUCTIONS.format(file=shown),
        gates=gates_from(named, shown, mistakes, 0),
        mistakes=(*mistakes, *untitled(found)),
        unused=tuple(_unused(text, blocks, used, stories)),
    )


def _unused(text: str, blocks: Sequence[Block], read: Sequence[Block], stories: Sequence[Section]) -> Iterator[Unused]:
    own = [block for section in stories for block in (section.heading, *section.body)]
    yield from unread(text, blocks, (*read, *own), _OF_THE_WHOLE | _READ)
    yield from misspelt(text, own, _LINES)


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    for section in _stories(parse(text)):
        story = _id(section.heading)
        if mark := marks.get(story):
            yield story, _marked(section, done=mark.done)


def _marked(section: Section, *, done: bool) -> Iterator[Edit]:
    """Edits all boxes of the story; a finished story without boxes gets one in its heading."""
    own = (section.heading,) if section.heading.box >= 0 else ()
    yield from mark_edits((*own, *section.boxes), done=done)
    if done and not own and not section.boxes:
        yield Edit(start=section.heading.at, end=section.heading.at, text="[x] ")


def _stories(blocks: Sequence[Block]) -> list[Section]:
    for level in range(1, 6):
        for container in sections(blocks, level):
            if container.heading.text.strip().lower() in _CONTAINERS:
                return list(sections(container.body, level + 1))
    return [
        section
        for section in sections(blocks, 2)
        if not _of_the_whole(section.heading) and any(block.bullet for block in section.body)
    ]


def _id(heading: Block) -> StoryId:
    named = _NAMED.fullmatch(heading.text)
    if named is None:
        return StoryId(slug(heading.text))
    return StoryId(_numbered(named["number"]) if named["number"] else named["name"])


def _numbered(number: str) -> str:
    return f"story-{int(number)}"


def _found(section: Section, ids: set[StoryId], mistakes: list[Mistake]) -> Found:
    heading = section.heading
    named = _NAMED.fullmatch(heading.text)
    title = " ".join(cleaned(named["title"] if named else heading.text).split())
    lines = [block for block in section.body if said(block, *_LINES)]
    needs = needs_of(lines, lambda name: _resolved(name, ids))
    criteria = [block for block in section.body if block.bullet and block not in lines]
    story = Story(
        id=_id(heading),
        named=named is not None,
        title=title,
        description=_LABELS.sub(
            "", prose([block for block in section.body if not block.bullet and block not in lines])
        ),
        criteria=tuple(Criterion(id=f"AC-{n}", text=cleaned(block.text)) for n, block in enumerate(criteria, start=1)),
        depends_on=needs.ids,
        priority=_number(lines, "priority", 0, mistakes),
        complexity=_number(lines, "complexity", 3, mistakes),
        touches=tuple(path.strip("` ") for path in _value(lines, "touches").split(",") if path.strip("` ")),
    )
    boxes = section.boxes
    done = heading.marked if heading.box >= 0 else bool(boxes) and all(box.marked for box in boxes)
    return Found(story=story, at=heading.at, done=done, needs_at=needs.places)


def _resolved(name: str, ids: set[StoryId]) -> str:
    """Resolves an id in any case, a number, or the title of a story."""
    spelled = {known.lower(): known for known in ids}
    words = name.split()
    number = words[-1] if 1 <= len(words) <= 2 and words[-1].isdecimal() else ""
    tried = (name.lower(), _numbered(number) if number else "", slug(name))
    return next((spelled[spelling] for spelling in tried if spelling in spelled), name)


def _value(lines: Sequence[Block], key: str) -> str:
    return next((line.value for block in lines if (line := said(block, key))), "")


def _number(lines: Sequence[Block], key: str, default: int, mistakes: list[Mistake]) -> int:
    for block in lines:
        line = said(block, key)
        if line:
            digits = line.value.removeprefix("P").removeprefix("p")
            if digits.isdecimal() and len(digits) <= 6 and (key != "complexity" or 1 <= int(digits) <= 5):
                return int(digits)
            range_shown = "from 1 to 5" if key == "complexity" else "such as 1"
            mistakes.append(Mistake(at=line.at, text=f"{key} is a number {range_shown}, not {line.value!r}"))
    return default


def _items(blocks: Sequence[Block], names: frozenset[str]) -> tuple[Block, ...]:
    """The bullets about all of the work below headings of these names."""
    found = (section for section in sections(blocks, 2) if _plain_name(section.heading) in names)
    return tuple(block for section in found for block in section.body if block.bullet)


def _of_the_whole(heading: Block) -> bool:
    plain = _plain_name(heading)
    return heading.text.strip().lower() in _OF_THE_WHOLE or plain in _READ


def _plain_name(heading: Block) -> str:
    """Without a number before it and a remark after it, as in `5. Non-Goals (Out of Scope)`."""
    return _AROUND.sub("", heading.text).strip().lower()


def _command(block: Block) -> str:
    """The command of an item of a list of checks, which may be followed by an explanation."""
    text = cleaned(block.text).strip()
    quoted = _QUOTED.match(text)
    return command_of(quoted["command"] if quoted else text)
