"""Passes on to the other stories what a story wrote into instructions of agents that do not land, as a quoted note."""

from typing import Final

from shiftwork.app.messaging import messages
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.core.ids import Commit, run_stream
from shiftwork.domain.memory.notes import Scope
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.tampering.findings import Inspection
from shiftwork.domain.text.diff import by_path

_INSTRUCTIONS: Final = frozenset({"agents.md", "claude.md", "gemini.md"})


async def share_left_out(recorder: StoryRecorder, tip: Commit, number: int, inspection: Inspection) -> None:
    """Sent once for each request to land. An agent that reads the note knows whose words these are."""
    paths = [path for path in inspection.left_out if path.rpartition("/")[2].casefold() in _INSTRUCTIONS]
    if not paths:
        return
    context, given = recorder.context, recorder.state.given
    patch = await context.protecting.patch(recorder.state.work.base, tip, paths)
    for path, text in by_path(patch.text).items():
        added = "\n".join(f"> {line}" for line in text.new)
        if added:
            said = f"{given.story.id} wanted to add to {path}, which no person has approved:\n{added}"
            note = run_facts.NoteShared(at=messages.UNREAD, story=given.story.id, scope=Scope.PROJECT, text=said)
            key = f"note/{given.story.id}/left-out/{number}/{path}"
            await messages.send(context.inbox, run_stream(given.run), key, note)
