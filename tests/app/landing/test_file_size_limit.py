"""A story with a large file waits for a person, who sees the file's name and size."""

import asyncio

from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.spec.spec import one_shot
from shiftwork.domain.story.approval import MAY_IT_LAND
from shiftwork.domain.story.state import HoldCause, StoryState
from tests.app.landing.test_approving import approving_all, asked
from tests.app.rig import SHORT, Rig, done

LARGE = {"work.txt": "good\n", "dump.sql": "x" * 2_500_000}


def test_a_large_file_lands_when_a_person_has_approved_it(rig: Rig) -> None:
    rig.large_file_mb = 2
    rig.script = lambda task: done(write=LARGE if task.env["SHIFTWORK_STEP_TYPE"] == "coding" else {})

    async def scenario() -> tuple[StoryState, RunState]:
        async with rig.open() as context:
            run = await rig.start(context, one_shot("Add work.txt"), workflow=SHORT)
            held = await asked(rig, run)
            return held, (await approving_all(rig, context, run))[0]

    held, run = asyncio.run(scenario())
    assert held.waiting.hold
    assert held.waiting.hold.cause is HoldCause.APPROVAL
    assert held.waiting.hold.detail == f"it adds large files (dump.sql, 2 MB); {MAY_IT_LAND}"
    assert run.status is RunStatus.COMPLETED
    assert set(rig.list_files()) >= set(LARGE)
