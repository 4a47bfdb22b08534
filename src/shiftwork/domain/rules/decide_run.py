"""What a run does next: start stories, wait for them, end. No effects means that it is over."""

from collections.abc import Iterator
from itertools import count

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import run_facts as r
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.run import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.model.story import Assignment
from shiftwork.domain.rules.deciding import NOW, Effects, receive
from shiftwork.domain.rules.scheduling import to_start
from shiftwork.domain.rules.telling import tick_at_last, tick_due


def decide_run(run: RunState) -> Effects:
    if run.status in RUN_ENDED:
        return ()
    if ticks := tick_due(run):
        return ticks
    if run.cancelling:
        return _cancel_run(run)
    if starting := to_start(run, run.given.parallel - len(run.flying)):
        return tuple(_dispatch(run, story, slot) for story, slot in zip(starting, _free_slots(run), strict=False))
    return (receive(run.cursor),) if run.flying else tick_at_last(run) or (_end(run, _verdict(run)),)


def _cancel_run(run: RunState) -> Effects:
    if untold := [story for story in run.flying if story not in run.cancelled_stories]:
        return tuple(e.ForwardCancel(key=f"cancel/{story}", story=story) for story in untold)
    if run.flying:
        return (receive(run.cursor),)
    return tick_at_last(run) or (_end(run, RunStatus.CANCELLED),)


def _free_slots(run: RunState) -> Iterator[int]:
    """The lowest come first, so that slots stay few and what was decided before a crash is decided again after it."""
    held = set(run.flying.values())
    return (slot for slot in count() if slot not in held)


def _dispatch(run: RunState, story: StoryId, slot: int) -> e.DispatchStory:
    plan, times = run.given, run.stories[story].dispatched + 1
    assignment = Assignment(
        run=plan.run,
        story=run.asked(story),
        position=run.graph.position[story],
        requirements=plan.spec.requirements,
        branch=plan.branch,
        landing=plan.landing,
        agent=plan.agent,
        limits=plan.limits,
        slot=slot,
        instructions=plan.spec.instructions,
    )
    key = f"dispatch/{story}" if times == 1 else f"dispatch/{story}/{times}"
    return e.DispatchStory(key=key, assignment=assignment, steps=plan.workflow.story_steps)


def _verdict(run: RunState) -> RunStatus:
    return RunStatus.COMPLETED if run.completed == len(run.stories) else RunStatus.FAILED


def _end(run: RunState, status: RunStatus) -> e.Conclude:
    return e.Conclude(key=f"end/{run.endings + 1}", facts=(r.RunEnded(at=NOW, status=status),))
