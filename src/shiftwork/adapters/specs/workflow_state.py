"""`workflow_state.json` of Dynamic Ralph, which `shiftwork export` writes as well: how far the stories of a PRD are.

The file says what is done; the texts and criteria of the stories are in the PRD that it names, or under `spec` in our
own export. A completed story counts as done, as somebody else's mark does: nothing has proved it here. Every other
story is work to do from its first step on, and what its finished steps and its scratch file say is passed on to it as
notes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.specs._document import Edit, Mistake, UnreadableError, refused
from shiftwork.adapters.specs._draft import Draft, Found, mistakes_of
from shiftwork.adapters.specs._offer import text_beside
from shiftwork.adapters.specs.prd import prd_json
from shiftwork.adapters.specs.prd.json_document import OBJECT, Member, Node, parse
from shiftwork.adapters.specs.prd.prd_fields import Fields, repeated_keys, unused
from shiftwork.domain.core.ids import FRAME, StoryId
from shiftwork.domain.memory.bounded_notes import PATTERN_ROOM, STORY_ROOM, Room, remember
from shiftwork.domain.memory.notes import Note, Shelf
from shiftwork.domain.spec.spec import Story
from shiftwork.ports.specs import Mark, Unused
from shiftwork.prompts.answer.problem import did_you_mean
from shiftwork.records import replace
from shiftwork.regexes import regex

NAME: Final = "workflow-state"

_FILE: Final = "workflow_state.json"
_SCRATCH: Final = "scratch.md"
_STORIES: Final = regex(r'(?<!\\)"stories"[ \t\r\n]*:[ \t\r\n]*\{')
_VERSION: Final = 1
_COMPLETED: Final = "completed"
_CANCELLED: Final = "cancelled"
_STATUSES: Final = (
    "unclaimed",
    "in_progress",
    _COMPLETED,
    "failed",
    "blocked",
    _CANCELLED,
    "undone",
    "missing",
)
_FAILED_STEPS: Final = ("failed", "cancelled")
_NOT_FOR_THE_WORK: Final = frozenset(
    {"account", "created_at", "prd_file", "agent_id", "claimed_at", "completed_at", "history", "steps", "spec"}
)
_BLANK_LINE: Final = regex(r"\n[ \t]*\n")

_INSTRUCTIONS: Final = """\
The stories of this work and their states are kept in `{file}`. Your story is the one below: do only that one. Do not
change `{file}`: the harness sets the status of a story when it has landed."""


def belongs(path: Path, text: str) -> bool:
    return path.name == _FILE or (path.suffix == ".json" and _STORIES.search(text) is not None)


def read(path: Path, text: str, shown: str) -> Draft:
    root = parse(text)
    if root.kind != OBJECT:
        raise UnreadableError(root.start, f'the state is an object with the key "stories", not {root.kind}')
    fields = Fields(root, "the state")
    fields.number("version", _VERSION, _VERSION, _VERSION)
    texts = _texts(fields, path, text, shown)
    states = [_State(fields, member.at, member.key, member.node) for member in _stories(fields)]
    gone = {state.id for state in states if state.status == _CANCELLED}
    known = [state for state in states if state.id != FRAME and state.id not in gone]
    asked = {found.story.id: found for found in texts.stories}
    stories = tuple(state.found(asked.get(state.id), gone, path) for state in known)
    notes = _shelved(PATTERN_ROOM, _BLANK_LINE.split(text_beside(path.parent / _SCRATCH)))
    names = (_SCRATCH, *(_scratch(state.id) for state in known if state.status != _COMPLETED))
    return replace(
        texts,
        stories=stories,
        instructions=_INSTRUCTIONS.format(file=shown),
        mistakes=(*fields.mistakes, *texts.mistakes, *_repeated(root)),
        unused=(*_unused(root, fields), *texts.unused, *_left_out(states, texts)),
        patterns=notes,
        carried=tuple(name for name in names if text_beside(path.parent / name).strip()),
    )


def _stories(fields: Fields) -> Iterator[Member]:
    member = fields.member("stories")
    if member is None or member.node.kind != OBJECT or not member.node.members:
        at = member.node.start if member else fields.node.start
        fields.mistakes.append(Mistake(at=at, text='"stories" must be an object with the stories by their ids'))
        return
    stories = fields.inside(member.node, "the stories")
    for found in member.node.members:
        stories.member(found.key)
        yield found


class _State:
    """How far one story is."""

    def __init__(self, state: Fields, at: int, key: str, node: Node) -> None:
        self.at = at
        self.id = StoryId(key)
        self.fields = state.inside(node, f"story {key}")
        self.status = ""
        self.title = ""
        self.needs: dict[str, int] = {}
        self.notes: tuple[str, ...] = ()
        if node.kind != OBJECT:
            self._complain(node.start, f"story {key} must be an object, not {node.kind}")
            return
        self.title = " ".join(self.fields.text("title", required=True).split())
        self.status = self.fields.text("status", required=True)
        if self.status and self.status not in _STATUSES:
            known = f"; known are {', '.join(_STATUSES)}"
            guess = did_you_mean(self.status, _STATUSES) or known
            self._complain(self.fields.at("status"), f"story {key} has the unknown status {self.status!r}{guess}")
        named = self.fields.text("story_id")
        if named and named != key:
            self._complain(self.fields.at("story_id"), f"story_id is {named!r}, but the story's key is {key!r}")
        self.needs = dict(self.fields.texts("depends_on"))
        self.notes = tuple(self._step_notes())

    def found(self, asked: Found | None, gone: set[StoryId], path: Path) -> Found:
        """The story with the texts of the PRD; what is done needs no notes, and nobody waits for what was cancelled."""
        needs = {StoryId(name): at for name, at in self.needs.items() if StoryId(name) not in gone}
        texts = asked.story if asked else Story(id=self.id, title=self.title, description="")
        done = self.status == _COMPLETED
        notes = () if done else (*self.notes, text_beside(path.parent / _scratch(self.id)))
        story = replace(
            texts,
            title=self.title or texts.title,
            depends_on=tuple(needs),
            notes=_shelved(STORY_ROOM, notes),
        )
        return Found(story=story, at=self.at, done=done, needs_at=tuple(needs.values()))

    def _step_notes(self) -> Iterator[str]:
        for number, node in enumerate(self.fields.objects("steps"), start=1):
            step = self.fields.inside(node, f"step {number} of story {self.id}")
            name, kind = step.text("id", required=True), step.text("type", required=True)
            status, notes, error = step.text("status", required=True), step.text("notes"), step.text("error")
            if notes:
                yield f"{name} ({kind}): {notes}"
            if error and status in _FAILED_STEPS:
                yield f"{name} ({kind}) ended without its result: {error}"

    def _complain(self, at: int, text: str) -> None:
        self.fields.mistakes.append(Mistake(at=at, text=text))


def _texts(fields: Fields, path: Path, text: str, shown: str) -> Draft:
    """What the stories are about: our own export has it, Dynamic Ralph names the file."""
    nothing = Draft(title=f"the stories of {path.name}", stories=())
    if (own := fields.member("spec")) and own.node.kind == OBJECT:
        start = own.node.start
        draft = prd_json.read(path, text[start : own.node.end], shown)
        return replace(draft, mistakes=tuple(replace(found, at=found.at + start) for found in draft.mistakes))
    name = fields.text("prd_file")
    if not name:
        return nothing
    place = Path(name)
    content = "" if place.is_absolute() or ".." in place.parts else text_beside(path.parent / place)
    if not content:
        problem = f"prd_file names {name!r}, which is no file in the folder of {path.name} or below it"
        fields.mistakes.append(Mistake(at=fields.at("prd_file"), text=problem))
        return nothing
    named = (Path(shown).parent / place).as_posix()
    try:
        draft = prd_json.read(path.parent / place, content, named)
    except UnreadableError as error:
        raise refused(named, content, [error.mistake]) from None
    if mistakes := mistakes_of(draft):
        raise refused(named, content, mistakes)
    return replace(draft, beside=(place.as_posix(),))


def _scratch(story: StoryId) -> str:
    return f"scratch_{story}.md"


def _shelved(room: Room, texts: Sequence[str]) -> tuple[str, ...]:
    """Within the bounds of a run's own notes; the oldest are shortened first."""
    shelf = Shelf()
    for text in texts:
        shelf = remember(shelf, Note(at=0, by="", text=text), room)
    return tuple(note.text for note in shelf.all)


def _repeated(root: Node) -> Iterator[Mistake]:
    stories = root.member("stories")
    for node in (root, *((stories.node,) if stories else ())):
        yield from repeated_keys(node)
    for story in stories.node.members if stories else ():
        yield from repeated_keys(story.node)


def _unused(root: Node, fields: Fields) -> Iterator[Unused]:
    for left in unused(root, fields.record):
        *_, name = left.path.replace("]", "").split(".")
        if ".steps[" not in left.path and not left.path.startswith("spec.") and name not in _NOT_FOR_THE_WORK:
            yield left


def _left_out(states: Sequence["_State"], texts: Draft) -> Iterator[Unused]:
    """Stories that nobody wants any more, and those that the PRD has got since: this file cannot keep track of them."""
    for state in states:
        if state.status == _CANCELLED:
            yield Unused(path=f"stories.{state.id} (cancelled)", known=True)
    known = {state.id for state in states}
    for found in texts.stories:
        if found.story.id not in known:
            yield Unused(path=f"{found.story.id} of the PRD, which has no state here")


# Writing back ----------------------------------------------------------------------------------------------------


def edits(text: str, marks: Mapping[StoryId, Mark]) -> Iterator[tuple[StoryId, Iterator[Edit]]]:
    stories = parse(text).member("stories")
    members = stories.node.members if stories and stories.node.kind == OBJECT else ()
    for member in members:
        if (mark := marks.get(StoryId(member.key))) and member.node.kind == OBJECT:
            yield StoryId(member.key), _marked(member.node, mark)


def _marked(story: Node, mark: Mark) -> Iterator[Edit]:
    status = story.member("status")
    wanted = _COMPLETED if mark.done else "unclaimed"
    if status is not None and (status.node.value == _COMPLETED) is not mark.done:
        yield Edit(start=status.node.start, end=status.node.end, text=json.dumps(wanted))
