"""Which patch is shown of a story or of a step; the text of it is git's."""

from shiftwork.domain.core.ids import Commit, RunId, StepId, StoryId, story_stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.approval import asked_about
from shiftwork.domain.story.state import StoryState
from shiftwork.ports.store import History


def patch_of(story: StoryState) -> Patch:
    """Returns what has landed; else the patch that a person is asked about; else the work so far."""
    if story.landed:
        return Patch(base=story.landed.base, commit=story.landed.commit)
    return asked_about(story) or Patch(base=story.work.base, commit=story.work.head)


async def step_patch(events: History, run: RunId, story: StoryId, step: StepId) -> Patch | None:
    """Returns what the last completed attempt at a step has changed; None if there is none."""
    started, found = Commit(""), None
    for recorded in await events.read(story_stream(run, story)):
        fact = recorded.fact
        if isinstance(fact, story_facts.StepStarted) and fact.step == step:
            started = fact.commit
        elif isinstance(fact, story_facts.StepCompleted) and fact.step == step:
            found = Patch(base=started, commit=fact.commit)
    return found
