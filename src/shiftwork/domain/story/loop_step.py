"""The loop over the stories as one of the run's own steps: earlier work lands first, and later steps start from the
branch as the stories left it.
"""

from typing import Final

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW, receive
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import LandingStage, StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.domain.workflow.template_values import Context, merged
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.records import replace

HANDED_ON: Final = 2_000
KEYS: Final = 40
"""The maximum length and number of the values that a story passes to the steps after the loop."""


def loop_of(story: StoryState) -> Step | None:
    """The loop step, if the pipeline has reached it and it has not failed."""
    step = story.pipeline.current
    if step is None or step.plan.kind is not StepKind.LOOP:
        return None
    return step if step.status in {StepStatus.PENDING, StepStatus.IN_PROGRESS} else None


def without_workspace(story: StoryState) -> e.Effect | None:
    """The next effect that needs no workspace: the loop over the stories, or the end if nothing has changed."""
    if loop := loop_of(story):
        return _step_through(story, loop)
    if story.pipeline.current is None and nothing_to_land(story):
        return e.Conclude(key="complete", facts=(story_facts.StoryCompleted(at=NOW, commit=story.landed_commit),))
    return None


def _step_through(story: StoryState, loop: Step) -> e.Effect:
    if loop.status is StepStatus.IN_PROGRESS:
        return receive(story.cursor)
    if story.work.head != story.work.base:
        number = story.landing.requests + 1
        return story_effects.RequestLanding(key=f"landing/{number}", number=number, tip=story.work.head)
    attempt = loop.attempts + 1
    return story_effects.OpenLoop(key=f"{loop.id}/{attempt}", step=loop.id, attempt=attempt)


def may_land(story: StoryState) -> bool:
    """Work lands when no step is left, or before the stories begin."""
    return story.pipeline.current is None or loop_of(story) is not None


def is_done(story: StoryState) -> bool:
    """Whether no step is left and all work has landed."""
    landed = story.landing.progress is LandingStage.LANDED or nothing_to_land(story)
    return landed and story.pipeline.current is None


def nothing_to_land(story: StoryState) -> bool:
    """The run's own steps, and a story marked `may_be_empty`, need not change anything."""
    return story.given.story.may_be_empty and story.work.head == story.work.base


def handed_on(story: StoryState) -> Context:
    """The values set by a story that the steps after the loop may use; long values stay within the story."""
    given = dict(story.given.context)
    fresh = [pair for pair in story.dialogue.context if given.get(pair[0]) != pair[1] and len(pair[1]) <= HANDED_ON]
    return tuple(fresh[-KEYS:])


def planned(story: StoryState, fact: story_facts.StoriesPlanned) -> StoryState | None:
    return replace(story, dialogue=replace(story.dialogue, planned=fact.stories))


def renewed(story: StoryState, fact: story_facts.WorkRenewed) -> StoryState | None:
    if (
        story.landing.progress is not LandingStage.LANDED
        or story.landed_commit != fact.commit
        or loop_of(story) is None
    ):
        return None
    restarted = replace(
        story,
        landing=replace(story.landing, progress=LandingStage.NONE, approved=None),
        work=replace(story.work, head=fact.commit, base=fact.commit),
    )
    return replace(
        restarted, landing=replace(restarted.landing, earlier=story.landing.attempts_at_repair, repairs=0, conflicts=0)
    )


def begun(story: StoryState, fact: story_facts.LoopBegun) -> StoryState | None:
    loop = loop_of(story)
    if loop is None or loop.id != fact.step or fact.attempt != loop.attempts + 1 or story.work.head != story.work.base:
        return None
    started = replace(loop, attempts=fact.attempt, started_at=fact.at, ended_at=None, error="")
    turned = turn_step_of(story, started, Trigger.START)
    return turned and replace(turned, work=replace(turned.work, ready=False))


def ended(story: StoryState, fact: story_facts.LoopEnded) -> StoryState | None:
    """A loop with stories that did not land has failed. The next step begins at the tip of the branch either way."""
    loop = loop_of(story)
    if loop is None or loop.status is not StepStatus.IN_PROGRESS or fact.round != loop.attempts:
        return None
    message = f"{fact.landed} landed" + (f", not landed: {', '.join(fact.failed)}" if fact.failed else "")
    trigger = Trigger.FAIL if fact.failed else Trigger.COMPLETE
    error = message if fact.failed else ""
    over = replace(loop, notes=message, error=error, feedback="", ended_at=fact.at)
    turned = turn_step_of(story, over, trigger)
    return turned and replace(
        turned,
        dialogue=replace(turned.dialogue, context=merged(story.dialogue.context, fact.context)),
        work=replace(turned.work, head=Commit(""), base=Commit("")),
    )
