"""Reads the record of a run from its rows and the few facts that documents quote.

A story whose rows do not say enough is read from its whole history instead, with the same result: one from before the
rows existed, one that a person answered, one that will start again.
"""

from collections import defaultdict
from collections.abc import Sequence

from shiftwork.app.folds import read
from shiftwork.app.views.gate_history import gate_checks
from shiftwork.app.views.history import frame_account, reserved_in, run_history, story_account, undelivered_in
from shiftwork.app.views.report.run_record import (
    AttemptMade,
    RunRecord,
    StoryRecord,
    attempts_made,
    listed_row,
    quoted_kinds,
    record_of_story,
)
from shiftwork.app.views.run_views import RunView, StoryView
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, RunId, Stream, story_stream
from shiftwork.domain.story.facts.lifecycle import StoryReleased
from shiftwork.ports.store import History
from shiftwork.ports.views import AttemptRow, Queries


async def read_record(queries: Queries, events: History, view: RunView) -> RunRecord:
    """Reads the record of the run of a view with all steps. Raises UnknownRunError if the history does not have it."""
    run = RunId(view.run.run)
    state, facts = await run_history(events, run)
    checks, reserved = await gate_checks(events, state.given.landing, run), reserved_in(facts)
    shown = {story.story.story: story for story in view.stories}
    attempts = defaultdict[str, list[AttemptRow]](list)
    for row in await queries.attempts(run):
        attempts[row.story].append(row)
    stories = list[StoryRecord]()
    if FRAME in shown:
        frame = await read(events, story_stream(run, FRAME), 0, None)
        stories += (record_of_story(state, own, reserved) for own in frame_account(frame, checks.get(FRAME, ())))
    for asked in state.given.spec.stories:
        rows, made, seen = shown.get(asked.id), attempts[asked.id], tuple(checks.get(asked.id, ()))
        stream = story_stream(run, asked.id)
        quoted = await _quoted(events, stream, rows, made)
        if rows is None or quoted is None:
            whole = story_account(asked, await read(events, stream, 0, None), seen)
            stories.append(record_of_story(state, whole, reserved))
            continue
        stories.append(
            StoryRecord(
                asked=asked,
                began=True,
                row=rows.story,
                listed=listed_row(state, rows.story),
                steps=tuple(rows.steps),
                attempts=attempts_made(state, made, reserved),
                waited=rows.waited,
                facts=tuple(quoted),
                checks=seen,
            )
        )
    said = (*facts, *(fact for story in stories for fact in story.facts))
    return RunRecord(run=state, stories=tuple(stories), undelivered=undelivered_in(said))


async def attempts_of(queries: Queries, events: History, run: RunId, story: str) -> tuple[AttemptMade, ...]:
    """Reads the ended attempts of one story, and no other story."""
    state, facts = await run_history(events, run)
    return attempts_made(state, await queries.attempts(run, story), reserved_in(facts))


async def _quoted(
    events: History, stream: Stream, rows: StoryView | None, attempts: Sequence[AttemptRow]
) -> Sequence[Fact] | None:
    """The facts that documents quote of a story; None if its rows and these facts do not say enough. The row of a story
    that waits for its next start is the run's, and has no start. What a person was asked is in no row.
    """
    if rows is None or rows.story.started_at is None or len(attempts) != rows.story.used.tries:
        return None
    found = await read(events, stream, 0, None, quoted_kinds(rows.story))
    return None if any(isinstance(fact, StoryReleased) for fact in found) else found
