"""The patch that is shown of a story, and of a step."""

import asyncio

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.story_patches import patch_of, step_patch
from shiftwork.domain.core.ids import Commit, RunId, step_id, story_stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.testing.builders import (
    after_steps,
    fold_story,
    given_back,
    landing_asked,
    started_story,
    story_id,
)


def test_what_is_shown_of_a_story_is_landed_or_asked_about_or_unfinished() -> None:
    working = started_story("coding")
    assert patch_of(working) == Patch(base=working.work.base, commit=working.work.head)
    waiting = given_back(after_steps(working, 1))
    assert patch_of(waiting) == Patch(base=waiting.work.base, commit=Commit("candidate-1"))
    accepted = story_facts.LandingAccepted(at=5, commit=Commit("landed"), ref="main")
    landed = fold_story(landing_asked("coding"), accepted)
    assert landed.landed
    assert patch_of(landed) == Patch(base=landed.landed.base, commit=Commit("landed"))


def test_the_patch_of_a_step_is_that_of_its_last_completed_attempt() -> None:
    def started(number: int, attempt: int, commit: str) -> story_facts.StepStarted:
        return story_facts.StepStarted(at=1, step=step_id(number), attempt=attempt, commit=Commit(commit), log="")

    def completed(number: int, attempt: int, commit: str) -> story_facts.StepCompleted:
        return story_facts.StepCompleted(
            at=2,
            step=step_id(number),
            attempt=attempt,
            commit=Commit(commit),
            notes="",
            outputs=(),
            usage=NOTHING_USED,
        )

    async def scenario() -> None:
        events, run, story = MemoryStore().events, RunId("r1"), story_id(1)
        facts = (
            *(started(1, 1, "a"), completed(1, 1, "b"), started(2, 1, "b"), completed(2, 1, "c")),
            *(started(1, 2, "c"), completed(1, 2, "d"), started(3, 1, "d")),
        )
        await events.append(story_stream(run, story), facts, expected=0, key="all")
        found = [await step_patch(events, run, story, step_id(number)) for number in (1, 2, 3)]
        wanted = [Patch(base=Commit("c"), commit=Commit("d")), Patch(base=Commit("b"), commit=Commit("c")), None]
        assert found == wanted

    asyncio.run(scenario())
