"""The memory of a run: attempts add to it, each attempt reads it at its start, and the notebook shows it."""

import contextlib
from collections.abc import Sequence
from typing import Final

from shiftwork import failpoints
from shiftwork.app.folds import RUN, load
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.context import Context
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.domain.memory.bounded_notes import STORY_ROOM
from shiftwork.domain.memory.notes import Remark, Scope
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.errors import StoreError
from shiftwork.ports.attempt_folder import AttemptOutputs
from shiftwork.ports.store import History
from shiftwork.ports.views import Queries
from shiftwork.prompts import notebook
from shiftwork.prompts.answer.contract import Answer
from shiftwork.prompts.lengths import shorten
from shiftwork.records import replace

REMARKS: Final = 20
"""How many notes one attempt may leave."""


async def present_run(context: Context, run: RunId) -> RunState:
    """The current state of the run: other stories may have changed it and added to its memory."""
    stream = run_stream(run)
    version = await context.events.version(stream)
    state = await load(context.events, RUN, stream, version, context.folded_runs.get(stream))
    context.folded_runs[stream] = (version, state)
    return state


def remarks_of(outputs: AttemptOutputs, said: Answer) -> tuple[Remark, ...]:
    """The notes of one attempt, from its output files and its answer; a last note says how many were left out."""
    learnings = (Remark(text=text, scope=Scope.PROJECT) for text in said.learnings)
    patterns = (Remark(text=text, scope=Scope.PATTERN) for text in said.patterns)
    scratch = (Remark(text=text) for text in said.scratch)
    left = (*outputs.notes, *learnings, *patterns, *scratch)
    kept = tuple(replace(remark, text=shorten(remark.text.strip(), STORY_ROOM.each)) for remark in left[:REMARKS])
    beyond = len(left) - REMARKS
    return (*kept, Remark(text=f"[{beyond} further notes of this step were left out]")) if beyond > 0 else kept


async def share(recorder: StoryRecorder, key: str, remarks: Sequence[Remark]) -> None:
    """Send the run the notes that are not only for the story; once, even if the end of the attempt is performed again.

    The key contains the number of the workspace, because a story that restarts from scratch counts attempts from 1.
    """
    given = recorder.state.given
    for number, remark in enumerate(remarks):
        if remark.scope is not Scope.STORY:
            name = f"note/{given.story.id}/{recorder.state.work.workspace}/{key}/{number}"
            shared = run_facts.NoteShared(
                at=messages.UNREAD, story=given.story.id, scope=remark.scope, text=remark.text
            )
            await messages.send(recorder.context.inbox, run_stream(given.run), name, shared)


async def keep(effect: run_effects.KeepMemory, recorder: RunRecorder) -> tuple[Fact, ...]:
    """Rewrite the run's notebook files. A full disk does not stop the run."""
    context, run = recorder.context, recorder.state
    notes_files = {notebook.SCRATCH: notebook.scratch_text(run), notebook.PROGRESS: notebook.progress_text(run)}
    try:
        await context.notebook.keep(run.given.run, notes_files)
    except OSError as error:
        return (run_facts.MemoryKept(at=context.clock.now(), changes=effect.changes, reason=str(error)),)
    failpoints.reach("memory.kept")
    return (run_facts.MemoryKept(at=context.clock.now(), changes=effect.changes),)


async def keep_story(context: Context, story: StoryState) -> None:
    """Write a story's notes and rejected edits to the notebook, if it has any; after an error they are written after
    the next step.
    """
    given = story.given
    if story.dialogue.notes.notes or story.dialogue.rejected:
        with contextlib.suppress(OSError):
            notes_file = {notebook.story_scratch(given.story.id): notebook.story_text(story)}
            await context.notebook.keep(given.run, notes_file)


async def carried_patterns(queries: Queries, events: History, repository: Stream) -> tuple[str, ...]:
    """The patterns from the latest ended run of this code base; `repository` is the prefix of its queue's name."""
    for row in await queries.runs():
        if row.ended_at is None:
            continue
        try:
            run = await load(events, RUN, run_stream(RunId(row.run)))
        except StoreError:  # its archive is damaged, which is no reason to stop other work
            continue
        if run.plan is not None and run.plan.landing.startswith(repository):  # it may be archived on another machine
            return tuple(note.text for note in run.memory.patterns.all)
    return ()
