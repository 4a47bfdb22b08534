"""Comments of a person on lines of a story's patch: one text for one repair."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from shiftwork.app.commands import step_edits
from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.step_edits import StepRequest
from shiftwork.app.folds import STORY, load
from shiftwork.app.runtime.state_labels import APPROVALS
from shiftwork.app.views.documents.request_words import STEPS
from shiftwork.domain.core.ids import RunId, StoryId, story_stream
from shiftwork.errors import IntentError, UsageError
from shiftwork.ports.store import History, MessageBox
from shiftwork.records import dataclass
from shiftwork.regexes import regex

_HUNK: Final = regex(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_REPAIR: Final = "coding"
_REASON: Final = "a person commented on lines of the patch"
_OPENING: Final = "Make the changes that these comments on the patch ask for."
_WIDEST: Final = 300

type Place = tuple[str, int, bool]
"""A file, the number of a line, and whether it is the line before the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineComment:
    """A comment on a line of a file: of the file as it is now, or, with `old`, as it was before the change."""

    path: str
    line: int
    old: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchLine:
    """A line of a patch with its sign; `old` and `new` are its numbers, 0 where it is not in that file."""

    before: str
    after: str
    old: int
    new: int
    text: str


def comments_text(patch: str, comments: Sequence[LineComment]) -> str:
    """All comments as one text: file, line, the line of the patch, and the comment. Raises UsageError for a line that
    the patch does not have.
    """
    wanted = {_place(comment) for comment in comments}
    found: dict[Place, str] = {}
    for line in patch_lines(patch):
        for place in ((line.before, line.old, True), (line.after, line.new, False)):
            if place in wanted:
                found.setdefault(place, line.text)
    return "\n\n".join((_OPENING, *(_quoted(found, comment) for comment in comments)))


def _place(comment: LineComment) -> Place:
    return comment.path, comment.line, comment.old


def _quoted(found: Mapping[Place, str], comment: LineComment) -> str:
    where = f"{comment.path}, line {comment.line}{' before the change' if comment.old else ''}"
    text = found.get(_place(comment))
    if text is None:
        raise UsageError(f"the patch has no {where}", hint="comment on a line that the diff shows")
    return f"{where}:\n> {text[:_WIDEST]}\n{comment.text.strip()}"


def patch_lines(patch: str) -> Iterator[PatchLine]:
    """The lines within the hunks of a patch of git."""
    before = after = ""
    old = new = old_left = new_left = 0
    for text in patch.split("\n"):
        if old_left > 0 or new_left > 0:
            sign = text[:1]
            if sign == "\\":
                continue
            in_old, in_new = sign != "+", sign != "-"
            yield PatchLine(before=before, after=after, old=old * in_old, new=new * in_new, text=text)
            old, new, old_left, new_left = old + in_old, new + in_new, old_left - in_old, new_left - in_new
        elif found := _HUNK.match(text):
            old, new = int(found[1]), int(found[3])
            old_left, new_left = int(found[2] or 1), int(found[4] or 1)
        elif text.startswith("--- "):
            before = _path(text[4:])
        elif text.startswith("+++ "):
            after = _path(text[4:])


def _path(named: str) -> str:
    """Without the folder that git puts before it; git quotes a name with unusual characters."""
    name = named.rstrip("\t\r")
    if name.startswith('"'):
        name = (
            name[1:-1]
            .encode("latin-1", "replace")
            .decode("unicode_escape", "replace")
            .encode("latin-1", "replace")
            .decode(errors="replace")
        )
    return name.partition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commented:
    """What a person has said about the patch of a story; with `commit`, it rejects only that commit."""

    run: RunId
    story: StoryId
    text: str
    commit: str = ""


async def comment(events: History, inbox: MessageBox, said: Commented, key: str) -> str:
    """Asks for a repair: rejects the patch if its approval is asked, else adds a step to the story in progress. Returns
    the name of the request. Raises IntentError if the story can use neither.
    """
    state = await load(events, STORY, story_stream(said.run, said.story))
    if state.asks and state.asks.cause in APPROVALS:
        rejected = Reply(run=said.run, story=said.story, word=Word.REJECT, text=said.text, commit=said.commit)
        await reply(events, inbox, rejected)
        return Word.REJECT.value
    if state.asks:
        hint = f"shiftwork status {said.run} shows what to type; then comment again"
        raise IntentError(f"{said.story} needs an answer first: {state.asks.detail}", hint=hint)
    wanted = step_edits.add(_REPAIR, said.text, "", _REASON)
    await step_edits.request(events, inbox, StepRequest(run=said.run, story=said.story, wanted=wanted), key)
    return STEPS
