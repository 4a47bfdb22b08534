"""Searches the branch for what the run's stories have landed, before the run builds on it or reports it."""

from shiftwork.app.folds import STORY, load
from shiftwork.app.runtime.recorder import Recorder, RunRecorder
from shiftwork.app.runtime.streams import STORY_KIND
from shiftwork.domain.core.ids import StoryId, story_stream
from shiftwork.domain.run.lost_work import compared, landed_work, missing_reason
from shiftwork.domain.story import facts as story_facts
from shiftwork.errors import BranchGoneError
from shiftwork.records import replace


async def found_changed(recorder: RunRecorder) -> bool:
    """Whether the branch has lost or regained landed work since it was last searched; that is recorded, and the run
    decides again. A branch that does not exist says nothing about its work.
    """
    context, run = recorder.context, recorder.state
    works = landed_work(run)
    if not works:
        return False
    try:
        gone = await context.repository.find_missing(run.given.branch, works)
    except BranchGoneError:
        return False
    fact = compared(run, frozenset(work.story for work in works if work.commit in gone))
    if fact is None:
        return False
    for story in (*fact.missing, *fact.found):
        await _record_missed(recorder, story, missing_reason(run, story) if story in fact.missing else "")
    await recorder.write(f"sought/{recorder.version}", (replace(fact, at=context.clock.now()),))
    return True


async def _record_missed(recorder: RunRecorder, story: StoryId, reason: str) -> None:
    """Records it in the story's history: the run may do that, because a landed story has no job."""
    context = recorder.context
    stream = story_stream(recorder.state.given.run, story)
    version = await context.events.version(stream)
    state = await load(context.events, STORY, stream, version)
    its = Recorder(context=context, kind=STORY_KIND, stream=stream, state=state, version=version)
    await its.write(f"missed/{version}", (story_facts.StoryMissed(at=context.clock.now(), reason=reason),))
