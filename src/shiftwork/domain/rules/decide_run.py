"""What a run does next: start stories, wait for them, end. No effects means that it is over."""

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.run import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import (
    Assignment,
    StoryStatus,
)
from shiftwork.domain.rules.deciding import NOW, Effects, receive


def decide_run(run: RunState) -> Effects:
    if run.status in RUN_ENDED:
        return ()
    flying = [story for story, known in run.stories.items() if known.status is StoryStatus.IN_PROGRESS]
    if run.cancelling:
        return _cancel_run(run, flying)
    free = run.given.parallel - len(flying)
    if starting := [story for story in run.given.spec.stories if _ready(run, story)][: max(free, 0)]:
        return tuple(_dispatch(run, story) for story in starting)
    return (receive(run.cursor),) if flying else (_end_run(run),)


def _cancel_run(run: RunState, flying: list[StoryId]) -> Effects:
    if untold := [story for story in flying if story not in run.cancelled_stories]:
        return tuple(e.ForwardCancel(key=f"cancel/{story}", story=story) for story in untold)
    if flying:
        return (receive(run.cursor),)
    return (e.Conclude(key="end", facts=(f.RunEnded(at=NOW, status=RunStatus.CANCELLED),)),)


def _ready(run: RunState, story: Story) -> bool:
    if run.stories[story.id].status is not StoryStatus.UNCLAIMED:
        return False
    return all(run.stories[needed].status is StoryStatus.COMPLETED for needed in story.depends_on)


def _dispatch(run: RunState, story: Story) -> e.DispatchStory:
    plan = run.given
    position = plan.spec.stories.index(story)
    assignment = Assignment(
        run=plan.run,
        story=story,
        position=position,
        requirements=plan.spec.requirements,
        branch=plan.branch,
        landing=plan.landing,
        agent=plan.agent,
        limits=plan.limits,
    )
    return e.DispatchStory(key=f"dispatch/{story.id}", assignment=assignment, steps=plan.workflow.story_steps)


def _end_run(run: RunState) -> e.Conclude:
    done = all(known.status is StoryStatus.COMPLETED for known in run.stories.values())
    status = RunStatus.COMPLETED if done else RunStatus.FAILED
    return e.Conclude(key="end", facts=(f.RunEnded(at=NOW, status=status),))
