"""Exports of beads (`.beads/issues.jsonl`): one JSON object for each issue; every issue but an epic is a story.

An issue depends on the issues that block it. The order of an epic and its children is not a dependency: a child is part
of the epic, and the epic's text is in the story's description. A finished story gets the status `closed`.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._document import Edit, UnreadableError
from shiftwork.adapters.specs._draft import Draft, Found
from shiftwork.adapters.specs.prd.json_document import OBJECT, Node, parse_lines
from shiftwork.adapters.specs.prd.prd_fields import Fields, Record, unused
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import Criterion, Story
from shiftwork.ports.specs import Mark, Unused
from shiftwork.regexes import regex

NAME: Final = "beads"

_CLOSED: Final = "closed"
_GONE: Final = frozenset({"tombstone", "deferred", "pinned"})
_WORK: Final = frozenset({"", "task", "bug", "feature", "chore"})
_EPIC: Final = "epic"
_BLOCKS: Final = frozenset({"", "blocks"})
_PART_OF: Final = frozenset({"parent-child", "parent"})
_USUAL_PRIORITY: Final = 2
_LAST_PRIORITY: Final = 4
_ITEM: Final = regex(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_NOT_FOR_THE_WORK: Final = frozenset(
    {
        "_type",
        "content_hash",
        "assignee",
        "owner",
        "created_at",
        "created_by",
        "updated_at",
        "closed_at",
        "close_reason",
    }
    | {
        "started_at",
        "estimated_minutes",
        "external_ref",
        "source_repo",
        "source_system",
        "labels",
        "comments",
        "pinned",
    }
    | {"compaction_level", "original_size", "is_template", "due_at", "defer_until", "dependency_count", "metadata"}
    | {"dependent_count", "comment_count", "dependents", "sender", "ephemeral"}
)

_INSTRUCTIONS: Final = """\
The stories of this work are issues of the tracker beads, exported to `{file}`. Your story is the one below: do only
that one. Do not change `{file}` and do not close issues: the harness closes an issue when the story has landed."""


def belongs(path: Path, text: str) -> bool:  # noqa: ARG001 - same signature for all formats
    return path.suffix == ".jsonl"


def read(path: Path, text: str, shown: str) -> Draft:
    record = Record()
    issues = [_Issue(Fields(node, "the issue", record)) for node in _nodes(text)]
    epics = {issue.id: issue for issue in issues if issue.kind == _EPIC}
    stories = [issue for issue in issues if issue.is_story]
    known = {issue.id for issue in stories}
    found = tuple(issue.found(epics, known) for issue in stories)
    parents = {parent for issue in stories for parent in issue.parents if parent in epics}
    only = epics[parents.pop()] if len(parents) == 1 else None
    return Draft(
        title=only.title if only else f"issues of {_project(path)}",
        description=only.description if only else "",
        stories=found,
        instructions=_INSTRUCTIONS.format(file=shown),
        mistakes=tuple(record.mistakes),
        unused=tuple(_unused(issues, record)),
    )


def _project(path: Path) -> str:
    folder = path.resolve().parent
    return (folder.parent if folder.name == ".beads" else folder).name or "beads"


def _nodes(text: str) -> Iterator[Node]:
    for node in parse_lines(text):
        if node.kind != OBJECT:
            raise UnreadableError(node.start, f"each line is an issue as an object, not {node.kind}")
        yield node


class _Issue:
    """An issue, with every field read once: what is left is reported as unused."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.id = StoryId(fields.text("id", required=True))
        self.title = " ".join(fields.text("title", required=True).split())
        self.description = fields.text("description")
        self.status = fields.text("status")
        self.kind = fields.text("issue_type", "type")
        self._links = tuple(self._dependencies())
        self._texts = tuple(fields.text(name) for name in ("design", "notes"))
        self._criteria = fields.text("acceptance_criteria")
        self._priority = fields.number("priority", _USUAL_PRIORITY, 0, _LAST_PRIORITY)

    @property
    def is_story(self) -> bool:
        return self.kind in _WORK and self.status not in _GONE

    @property
    def parents(self) -> tuple[StoryId, ...]:
        return tuple(other for other, kind, _ in self._links if kind in _PART_OF)

    def _dependencies(self) -> Iterator[tuple[StoryId, str, int]]:
        for node in self.fields.objects("dependencies"):
            link = self.fields.inside(node, "the dependency")
            link.member("issue_id", "created_at", "created_by", "metadata", "thread_id")
            other = StoryId(link.text("depends_on_id", "id"))
            yield other, link.text("type", "dep_type"), link.at("depends_on_id", "id")

    def found(self, epics: Mapping[StoryId, "_Issue"], known: set[StoryId]) -> Found:
        """A blocker that is not in the file, or is no story, does not block: beads exports what is there."""
        blockers = {other: at for other, kind, at in self._links if kind in _BLOCKS and other in known}
        parts = [self.description, *self._texts]
        parts += [f"Part of: {epics[parent].title}" for parent in self.parents if parent in epics]
        story = Story(
            id=self.id,
            title=self.title,
            description="\n\n".join(filter(None, parts)),
            criteria=tuple(_criteria(self._criteria)),
            depends_on=tuple(blockers),
            priority=self._priority,
        )
        done = self.status == _CLOSED
        return Found(story=story, at=self.fields.at("id"), done=done, needs_at=tuple(blockers.values()))


def _criteria(text: str) -> Iterator[Criterion]:
    """Every line of the text is a criterion."""
    lines = filter(None, (_ITEM.sub("", line, count=1).strip() for line in text.splitlines()))
    for number, line in enumerate(lines, start=1):
        yield Criterion(id=f"AC-{number}", text=line)


def _unused(issues: list[_Issue], record: Record) -> Iterator[Unused]:
    for number, issue in enumerate(issues, start=1):
        if not issue.is_story and issue.kind != _EPIC:
            yield Unused(path=f"line {number}: {issue.id} ({issue.kind or issue.status})", known=True)
            continue
        for left in unused(issue.fields.node, record):
            known = left.path.partition(".")[0].partition("[")[0] in _NOT_FOR_THE_WORK
            yield Unused(
                path=f"line {number}: {left.path}", known=left.known or known, meant="" if known else left.meant
            )


# Writing back ----------------------------------------------------------------------------------------------------


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    for node in _nodes(text):
        name = node.member("id")
        story = StoryId(str(name.node.value).strip() if name else "")
        if mark := marks.get(story):
            yield story, _marked(node, mark)


def _marked(issue: Node, mark: Mark) -> Iterator[Edit]:
    """Only the status: the tracker writes its other fields itself when it reads the file."""
    status = issue.member("status")
    wanted = _CLOSED if mark.done else "open"
    if status is None:
        yield Edit(start=issue.end - 1, end=issue.end - 1, text=f',"status":{json.dumps(wanted)}')
    elif (status.node.value == _CLOSED) is not mark.done:
        yield Edit(start=status.node.start, end=status.node.end, text=json.dumps(wanted))
