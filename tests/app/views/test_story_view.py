"""A story that is read without the other stories of its run."""

import asyncio
from dataclasses import replace

from shiftwork.app.views.queries import run_outline, run_view, story_view
from shiftwork.app.views.run_views import Activity
from shiftwork.domain.core.ids import Stream
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from shiftwork.ports.views import Owner, Row
from shiftwork.testing.conformance.store_stage import run_row, step_row, story_row, waited_row
from tests.app.rig import Rig


def alive(owner: Owner) -> bool:
    return owner.pid > 0


def test_a_story_alone_is_shown_as_in_the_view_of_its_run(rig: Rig) -> None:
    async def scenario() -> None:
        queries, asks = rig.store.queries, WaitingPart(cause=WaitCause.QUESTION, detail="which?")
        stories = [
            replace(story_row("r1", "US-001", position=1), status="completed"),
            replace(story_row("r1", "US-002", position=2), status="in_progress", waiting=asks),
        ]
        rows: list[Row] = [run_row("r1", started_at=3.0), *stories, waited_row("r1", "US-002", 1)]
        rows += [step_row("r1", row.story, "step-001") for row in stories]
        rows += [replace(run_row("over"), ended_at=2.0)]
        await rig.store.events.append(Stream("rows"), (), expected=0, key="rows", rows=rows)
        whole, outline = await run_view(queries, "r1", alive), await run_outline(queries, "r", alive)
        assert (outline.run, outline.activity, outline.worker) == (whole.run, whole.activity, whole.worker)
        assert [await story_view(queries, outline, row.story) for row in stories] == whole.stories
        assert await story_view(queries, outline, "US-009") is None
        assert (await run_outline(queries, "over", alive)).activity is Activity.OVER

    asyncio.run(scenario())
