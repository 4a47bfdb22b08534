"""prd.json in the dialects of ralph, ralph-tui, codetether and Dynamic Ralph.

The dialects differ in the names of keys, so all names are read everywhere. Only the key for the note about a finished
story depends on the dialect. Rejected: loading and dumping the JSON. That would lose the user's formatting and what
JSON libraries do not keep, so single values are replaced in the text.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._document import Edit, Mistake
from shiftwork.adapters.specs._draft import Draft, Found
from shiftwork.adapters.specs.prd.json_document import FLAG, LIST, OBJECT, TEXT, Node, parse
from shiftwork.adapters.specs.prd.prd_fields import Fields, repeated_keys, unused
from shiftwork.adapters.specs.prd.quality_checks import checks
from shiftwork.adapters.specs.prd.verification import in_words, verifications
from shiftwork.domain.budget.amounts import MOST_SESSIONS, Budget
from shiftwork.domain.budget.limits import Limits
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.spec.spec import COMPLEXITIES, USUAL_COMPLEXITY, Criterion, Story
from shiftwork.ports.specs import Mark
from shiftwork.records import replace

NAME: Final = "prd-json"

_STORIES: Final = ("userStories", "user_stories")
_CRITERIA: Final = ("acceptanceCriteria", "acceptance_criteria")
_NEEDS: Final = ("dependsOn", "depends_on", "dependencies")
_NOTES: Final = ("completionNotes", "notes")
_OF_RALPH_TUI: Final = frozenset({"labels", "dependsOn"})
_PRIORITIES: Final = 1_000_000

_INSTRUCTIONS: Final = """\
The stories of this work are kept in `{file}`, with acceptance criteria for each. Your story is the one below: do
only that one. Do not change `{file}`, above all not `passes`: the harness sets it when the story has landed."""


def belongs(path: Path, text: str) -> bool:  # noqa: ARG001 - same signature for all formats
    return path.suffix == ".json"


def read(path: Path, text: str, shown: str) -> Draft:
    root = parse(text)
    if root.kind != OBJECT:
        mistake = Mistake(at=root.start, text=f'a spec is an object with the key "userStories", not {root.kind}')
        return Draft(title=path.stem, stories=(), mistakes=(mistake,))
    fields = Fields(root, "the spec")
    stories = fields.objects(*_STORIES, required=True)
    found = tuple(_found(fields, node, number) for number, node in enumerate(stories, start=1))
    title = fields.text("feature") or fields.text("name")
    project = fields.text("project") if _is_text(root, "project") or not title else ""
    return Draft(
        title=title or project or path.stem,
        project=project if title else "",
        description=fields.text("description"),
        stories=_last_without_priority(found, stories),
        requirements=(
            *(text for text, _ in fields.texts("technical_requirements", "technicalRequirements")),
            *fields.statements("functional_requirements", "functionalRequirements"),
        ),
        non_goals=fields.statements("non_goals", "nonGoals", "out_of_scope", "outOfScope"),
        branch=fields.text("branchName", "branch_name"),
        instructions=_INSTRUCTIONS.format(file=shown),
        gates=checks(fields, shown),
        limits=_limits(fields),
        mistakes=(*fields.mistakes, *(mistake for node in (root, *stories) for mistake in repeated_keys(node))),
        unused=tuple(unused(root, fields.record)),
    )


def _is_text(node: Node, name: str) -> bool:
    known = node.member(name)
    return known is not None and known.node.kind == TEXT


def _limits(fields: Fields) -> Limits:
    """An iteration of a loop is a session of an agent."""
    return Limits(
        run=Budget(sessions=fields.count("max_iterations", "maxIterations", most=MOST_SESSIONS)),
        story=Budget(sessions=fields.count("max_steps_per_story", "maxStepsPerStory", most=MOST_SESSIONS)),
    )


def _found(spec: Fields, node: Node, number: int) -> Found:
    name = node.member("id")
    where = f"story {name.node.value}" if name and name.node.kind == TEXT else f"story {number}"
    fields = spec.inside(node, where)
    fields.member(*_NOTES)
    needs = dict(fields.texts(*_NEEDS))
    steps = verifications(fields)
    story = Story(
        id=StoryId(fields.text("id", required=True)),
        title=" ".join(fields.text("title", required=True).split()),
        description=fields.text("description"),
        criteria=(*_criteria(fields), *map(in_words, steps)),
        depends_on=tuple(StoryId(other) for other in needs),
        priority=fields.number("priority", 0, -_PRIORITIES, _PRIORITIES),
        complexity=fields.number("complexity", USUAL_COMPLEXITY, COMPLEXITIES[0], COMPLEXITIES[-1]),
        touches=tuple(path for path, _ in fields.texts("touches")),
        verification=steps,
        planned=fields.flag("planned"),
        type=fields.text("type"),
    )
    return Found(story=story, at=fields.at("id"), done=fields.flag("passes"), needs_at=tuple(needs.values()))


def _last_without_priority(found: tuple[Found, ...], nodes: tuple[Node, ...]) -> tuple[Found, ...]:
    """Where some stories have a priority, stories without a priority come last."""
    given = [each.story.priority for each, node in zip(found, nodes, strict=True) if node.member("priority")]
    if not given:
        return found
    last = max(given) + 1
    return tuple(
        each if node.member("priority") else replace(each, story=replace(each.story, priority=last))
        for each, node in zip(found, nodes, strict=True)
    )


def _criteria(fields: Fields) -> Iterator[Criterion]:
    for number, (text, _) in enumerate(fields.texts(*_CRITERIA), start=1):
        yield Criterion(id=f"AC-{number}", text=text)


# Writing back ----------------------------------------------------------------------------------------------------


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    root = parse(text)
    stories = root.member(*_STORIES)
    nodes = stories.node.items if stories and stories.node.kind == LIST else ()
    usual = _note_key(root, nodes)
    for node in nodes:
        name = node.member("id")
        story = StoryId(str(name.node.value).strip() if name else "")
        if mark := marks.get(story):
            own = node.member(*_NOTES)
            yield story, _marked(text, node, mark, own.key if own else usual)


def _note_key(root: Node, stories: Iterable[Node]) -> str:
    """The key for notes about finished stories, one for the whole file: the one that a story has, else that of the
    file's dialect. It is empty in codetether's dialect.
    """
    if root.member("user_stories"):
        return ""
    keys = [member.key for story in stories for member in story.members]
    tui = root.member("name", "metadata") or not _OF_RALPH_TUI.isdisjoint(keys)
    return next((key for key in keys if key in _NOTES), "completionNotes" if tui else "notes")


def _marked(text: str, story: Node, mark: Mark, note_key: str) -> Iterator[Edit]:
    added: list[tuple[str, str]] = []
    passes = story.member("passes")
    if passes is None:
        added.append(("passes", _flag(mark)))
    elif passes.node.kind != FLAG or passes.node.value is not mark.done:
        yield _replaced(passes.node, _flag(mark))
    note = story.member(note_key) if note_key else None
    if mark.note and note:
        yield from _noted(note.node, mark.note)
    elif mark.note and note_key:
        added.append((note_key, json.dumps(mark.note)))
    if added:
        yield _inserted(text, story, added)


def _flag(mark: Mark) -> str:
    return json.dumps(mark.done)


def _replaced(node: Node, text: str) -> Edit:
    return Edit(start=node.start, end=node.end, text=text)


def _noted(node: Node, note: str) -> Iterator[Edit]:
    """Keeps the existing text and appends the note as its last line, once."""
    if node.kind != TEXT:
        yield _replaced(node, json.dumps(note))
    elif note not in str(node.value):
        line = f"\n{note}" if node.value else note
        yield Edit(start=node.end - 1, end=node.end - 1, text=json.dumps(line)[1:-1])


def _inserted(text: str, story: Node, added: list[tuple[str, str]]) -> Edit:
    """Inserts new members after the last, spaced like the members before them."""
    *_, last = story.members
    between = text[story.members[-2].node.end : last.at] if len(story.members) > 1 else _first_gap(text, story)
    colon = text[last.key_end : last.node.start]
    members = "".join(f"{between}{json.dumps(key)}{colon}{value}" for key, value in added)
    return Edit(start=last.node.end, end=last.node.end, text=members)


def _first_gap(text: str, story: Node) -> str:
    gap = text[story.start + 1 : story.members[0].at]
    return f",{gap}" if "\n" in gap or "\r" in gap else ", "
