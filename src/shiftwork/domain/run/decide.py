"""Decides what a run does next: start stories, wait for them, end. No effects means that it has ended."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import count

from shiftwork.domain.core.decision import NOW, Effects, receive
from shiftwork.domain.core.ids import StoryId, numbered
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run import frame as run_frame
from shiftwork.domain.run.assignment import assignment
from shiftwork.domain.run.memory import keep_due
from shiftwork.domain.run.notices import notice_of_end
from shiftwork.domain.run.scheduling import free_places, to_start
from shiftwork.domain.run.spec_writeback import update_at_last, update_due
from shiftwork.domain.run.spending import usage_before_limit
from shiftwork.domain.run.state import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.run.steering import intents
from shiftwork.domain.story.state import StoryStatus


def decide_run(run: RunState) -> Effects:
    if run.status in RUN_ENDED:
        return ()
    if orders := intents.orders(run) or usage_before_limit.answers(run):
        return orders
    if begun := _begin(run) or keep_due(run) or update_due(run):  # in this order: no story waits for a file
        return begun
    waits = (
        run.schedule.in_progress
        or run.requests.undoing
        or (run.requests.paused and run.schedule.ready and not run.requests.cancelling)
    )
    if waits:
        return (receive(run.cursor),)
    verdict = _verdict(run)
    effects = run_frame.after_stories(run) or update_at_last(run) or notice_of_end(run, verdict)
    return effects or (_end(run, verdict),)


def rests(run: RunState, waiting: AbstractSet[StoryId]) -> bool:
    """Whether the run has nothing to do until a person answers, and already knows that these stories wait for a person.
    A revert in the landing queue is in progress.
    """
    return (
        not run.requests.undoing
        and run.schedule.in_progress.keys() & waiting <= run.schedule.waiting
        and decide_run(run) == (receive(run.cursor),)
    )


def _begin(run: RunState) -> Effects:
    if run.requests.cancelling or run.requests.paused:
        return ()
    if run_frame.holds_back(run):
        return run_frame.frame_first(run)
    starting = to_start(run, free_places(run))
    return tuple(_dispatch(run, story, slot) for story, slot in zip(starting, _free_slots(run), strict=False))


def _free_slots(run: RunState) -> Iterator[int]:
    """The free slots, lowest first, so that slots stay few and a decision is the same again after a crash."""
    held = set(run.schedule.in_progress.values())
    return (slot for slot in count() if slot not in held)


def _dispatch(run: RunState, story: StoryId, slot: int) -> run_effects.DispatchStory:
    plan, known = run.given, run.stories[story]
    times = known.dispatched + 1
    return run_effects.DispatchStory(
        key=numbered(f"dispatch/{story}", times),
        assignment=assignment(run, run.asked(story), run.graph.position[story], slot),
        steps=plan.workflow.story_steps,
        start_number=times,
        from_scratch=known.from_scratch or bool(known.stale),
        because=known.because,
    )


def _verdict(run: RunState) -> RunStatus:
    if run.requests.cancelling:
        return RunStatus.CANCELLED
    statuses = {known.status for known in run.stories.values()}
    if run_frame.all_done(run):
        return RunStatus.CANCELLED if statuses == {StoryStatus.CANCELLED} else RunStatus.COMPLETED
    is_amiss = run.totals.failed or run.frame.failure or StoryStatus.MISSING in statuses
    return RunStatus.UNDONE if StoryStatus.UNDONE in statuses and not is_amiss else RunStatus.FAILED


def _end(run: RunState, status: RunStatus) -> run_effects.EndRun:
    return run_effects.EndRun(key=f"end/{run.endings + 1}", facts=(run_facts.RunEnded(at=NOW, status=status),))
