"""What the stories of a run have landed, and which of it their branch no longer has.

The user may move the branch back. Then the work is gone, although its facts stay: such a story is `missing` until it is
found again or retried. Its mark in the spec's file is left as it is, because only the user knows what they wanted.
"""

from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import scheduling
from shiftwork.domain.run.state import RunState
from shiftwork.domain.run.transitions import turn_story_of
from shiftwork.domain.story.state import StoryStatus
from shiftwork.records import replace

HAS_LANDED = frozenset({StoryStatus.COMPLETED, StoryStatus.MISSING})


def landed_work(run: RunState) -> tuple[LandedWork, ...]:
    """What to look for on the branch; a story that is being undone will leave it anyway."""
    return tuple(
        LandedWork(run=run.given.run, story=story, commit=known.commit, base=known.base)
        for story, known in run.stories.items()
        if known.status in HAS_LANDED and known.base and known.commit != known.base
        if story not in run.requests.undoing
    )


def compared(run: RunState, missing: frozenset[StoryId]) -> run_facts.LandedSought | None:
    """What has changed if the branch lacks the work of these stories; None if nothing has."""
    looked = [work.story for work in landed_work(run)]
    gone = {story for story in looked if run.stories[story].status is StoryStatus.MISSING}
    lost = tuple(story for story in looked if story in missing and story not in gone)
    back = tuple(story for story in looked if story in gone and story not in missing)
    return run_facts.LandedSought(at=0, missing=lost, found=back) if lost or back else None


def missing_reason(run: RunState, story: StoryId) -> str:
    return missing_text(run.stories[story].commit, run.given.branch)


def missing_text(commit: str, branch: str) -> str:
    return f"landed{f' as {commit[:12]}' if commit else ''}, no longer found on {branch}"


def landed_sought(run: RunState, fact: run_facts.LandedSought) -> RunState | None:
    changed = [(story, Trigger.MISS) for story in fact.missing] + [(story, Trigger.FIND) for story in fact.found]
    known = [(story, trigger) for story, trigger in changed if story in run.stories]
    for story, trigger in known:
        run = turn_lost_story(run, story, trigger)
    return scheduling.scheduled(run) if known else None


def turn_lost_story(run: RunState, story: StoryId, trigger: Trigger) -> RunState:
    """The run with a story whose work is missing, or found again; the same run if its status does not allow that."""
    reason = missing_reason(run, story) if trigger is Trigger.MISS else ""
    stale = _STALE if reason else ""
    made = turn_story_of(run, story, trigger, lambda known: replace(known, reason=reason, stale=stale)) or run
    unwritten = tuple(other for other in made.writeback.unwritten if other != story)
    return replace(made, writeback=replace(made.writeback, unwritten=unwritten, due=bool(unwritten)))


_STALE = "its work is no longer on the branch"
"""Why a retried story does not continue with its earlier work."""
