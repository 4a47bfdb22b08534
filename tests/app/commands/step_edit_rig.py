"""What tests of step edits by people share: requests, refusals, and turns that leave time for them."""

import asyncio

import pytest

from shiftwork.app.commands import step_edits
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.commands.step_edits import Requested, StepRequest, Wanted
from shiftwork.app.runtime.context import Context
from shiftwork.app.views.step_list import StepList
from shiftwork.domain.core.ids import RunId, StoryId
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.workflow import catalogue_step
from shiftwork.errors import IntentError
from tests.app.rig import Rig, done, story_workflow

FIRST = StoryId("US-001")
REVIEWED = story_workflow(*(catalogue_step(name) for name in ("coding", "review", "prune_tests", "final_review")))


async def requested(context: Context, run: RunId, wanted: Wanted, story: str = FIRST) -> Requested:
    request = StepRequest(run=run, story=StoryId(story), wanted=wanted)
    return await step_edits.request(context.events, context.inbox, request, context.clock.fresh())


async def refused(context: Context, run: RunId, wanted: Wanted, story: str = FIRST) -> tuple[str, str]:
    with pytest.raises(IntentError) as caught:
        await requested(context, run, wanted, story)
    return caught.value.message, caught.value.hint


async def ended(context: Context, run: RunId) -> RunState:
    return await asyncio.wait_for(wait_for(context, run), timeout=60)


async def listed(rig: Rig, run: RunId, story: str = FIRST) -> StepList:
    return await step_edits.listed(rig.store.events, rig.store.inbox, run, StoryId(story))


async def started_steps(rig: Rig, run: RunId) -> list[str]:
    return [fact.step for fact in await rig.facts(run) if isinstance(fact, story_facts.StepStarted)]


SLOW = done(write={"work.txt": "work\n"}, pause=0.6)
ENDLESS = done(write={"wrong.txt": "wrong\n"}, pause=50.0)
