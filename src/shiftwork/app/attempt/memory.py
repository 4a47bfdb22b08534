"""What a run remembers, at work: shared by attempts, read at the start of each, shown in the run's notebook."""

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shiftwork import failpoints
from shiftwork.app.messaging import messages
from shiftwork.app.runtime.context import World
from shiftwork.app.runtime.recorder import RunRecorder, StoryRecorder
from shiftwork.app.runtime.streams import RUN, load
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.domain.memory.bounded_notes import STORY_ROOM
from shiftwork.domain.memory.notes import Remark, Scope
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.desk import Mail
from shiftwork.ports.store import EventStore
from shiftwork.ports.views import Queries
from shiftwork.prompts import notebook
from shiftwork.prompts.answer.contract import Answer
from shiftwork.prompts.lengths import shorten

REMARKS: Final = 20
"""How many notes one attempt may leave."""


async def present_run(world: World, run: RunId) -> RunState:
    """The run as it stands: stories that work beside the one that asks may have changed it, and added to its memory."""
    stream = run_stream(run)
    version = await world.events.version(stream)
    state = await load(world.events, RUN, stream, version, world.folded_runs.get(stream))
    world.folded_runs[stream] = (version, state)
    return state


def remarks_of(mail: Mail, said: Answer) -> tuple[Remark, ...]:
    """The notes of one attempt, from its desk and from its answer, within bounds that are told where they are met."""
    learnings = (Remark(text=text, scope=Scope.PROJECT) for text in said.learnings)
    patterns = (Remark(text=text, scope=Scope.PATTERN) for text in said.patterns)
    left = (*mail.notes, *learnings, *patterns)
    kept = tuple(replace(one, text=shorten(one.text.strip(), STORY_ROOM.each)) for one in left[:REMARKS])
    beyond = len(left) - REMARKS
    return (*kept, Remark(text=f"[{beyond} further notes of this step were left out]")) if beyond > 0 else kept


async def share(recorder: StoryRecorder, key: str, remarks: Sequence[Remark]) -> None:
    """Tell the run what is not for the story alone; once, however often the end of the attempt is performed.

    The number of the workspace is part of the key because a story that is begun afresh counts its attempts anew.
    """
    given = recorder.state.given
    for number, remark in enumerate(remarks):
        if remark.scope is not Scope.STORY:
            name = f"note/{given.story.id}/{recorder.state.work.workspace}/{key}/{number}"
            await recorder.world.inbox.post(run_stream(given.run), name, messages.note(given.story.id, remark))


async def keep(effect: run_effects.KeepMemory, recorder: RunRecorder) -> tuple[Fact, ...]:
    """Write the run's pages anew, whole. A disk that is full is no reason to stop."""
    world, run = recorder.world, recorder.state
    pages = {notebook.SCRATCH: notebook.scratch_page(run), notebook.PROGRESS: notebook.progress_page(run)}
    try:
        await world.notebook.keep(run.given.run, pages)
    except OSError as error:
        return (run_facts.MemoryKept(at=world.clock.now(), changes=effect.changes, reason=str(error)),)
    failpoints.reach("memory.kept")
    return (run_facts.MemoryKept(at=world.clock.now(), changes=effect.changes),)


async def keep_story(world: World, story: StoryState) -> None:
    """Write a story's page, where it has notes; one that cannot be written now is written after the next step."""
    given = story.given
    if story.dialogue.notes.notes:
        with contextlib.suppress(OSError):
            page = {notebook.story_scratch(given.story.id): notebook.story_page(story)}
            await world.notebook.keep(given.run, page)


async def carried_patterns(queries: Queries, events: EventStore, repository: Stream) -> tuple[str, ...]:
    """What the latest run that ended knew of the code base; `repository` is what the name of its queue begins with."""
    for row in await queries.runs():
        if row.ended_at is None:
            continue
        run = await load(events, RUN, run_stream(RunId(row.run)))
        if run.given.landing.startswith(repository):
            return tuple(note.text for note in run.memory.patterns.all)
    return ()
