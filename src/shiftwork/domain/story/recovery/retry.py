"""How a story is paused, taken back after it had landed, and begun once more after it had failed."""

from dataclasses import replace
from typing import Any

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.approval import signing_step
from shiftwork.domain.story.routing import one_more
from shiftwork.domain.story.spending.unreserved_usage import opened
from shiftwork.domain.story.state import FailureCause, LandingStage, StoryState
from shiftwork.domain.story.transitions import turn_story
from shiftwork.domain.workflow.pipeline import Pipeline, pipeline_of
from shiftwork.domain.workflow.transitions import turn_step


def reopened(story: StoryState, fact: story_facts.StoryReopened) -> StoryState | None:
    """Counters by which work is named go on; those by which it is bounded begin again."""
    before = _blank(story, fact) if fact.afresh else _mended(story)
    read = max(story.cursor, fact.cursor)
    given = fact.assignment
    return turn_story(
        before,
        Trigger.REOPEN,
        assignment=given,
        limits=given.limits,
        raises=given.raises,
        unbooked=opened(given.limits),
        earlier=story.mendings,
        cursor=read,
        go=story.go + 1,
    )


def _blank(story: StoryState, fact: story_facts.StoryReopened) -> StoryState:
    """Nothing of the work is left; what it has cost is."""
    counted = ("workspace", "landings", "holds", "claims", "deferrals")
    known = ("status", *counted, "answers", "usage", "shares", "roles", "started_at", "limited", "waited")
    kept: dict[str, Any] = {name: getattr(story, name) for name in known}
    steps = pipeline_of(fact.steps, first=story.pipeline.next_number)
    return StoryState(**kept, pipeline=steps, context=fact.assignment.context, signing=signing_step(steps))


def _mended(story: StoryState) -> StoryState:
    """The work so far is kept, and the step that failed is to be done again. Where gates refused the work, they are run
    on it again first: what made them red may be gone, and a session is paid only where it is not.
    """
    gates = story.refused is not None and story.refused.cause is Refusal.GATES
    return replace(
        story,
        pipeline=_pending_again(_led_again(story)),
        landing=LandingStage.NONE if gates else story.landing,
        ready=False,
        released=False,
        repairs=0,
        conflicts=0,
        failures=(),
        escalated="",
        hold=None,
        waits=False,
        claiming=False,
        allowance=None,
        failure="",
        cause=None,
        cancelled=False,
        paused=False,
        reported=False,
        ended_at=None,
    )


def _led_again(story: StoryState) -> Pipeline:
    """Where the story failed because a decision could not be followed any more, it can be followed once more."""
    deciding = story.pipeline.find(story.routing)
    return one_more(story, deciding).pipeline if deciding else story.pipeline


def _pending_again(pipeline: Pipeline) -> Pipeline:
    step = pipeline.current
    turned = step and turn_step(step, Trigger.RETRY, retries=0, deferrals=0, in_vain=0, feedback=step.error)
    return pipeline.with_step(turned) if turned else pipeline


def reverted(story: StoryState, fact: story_facts.StoryReverted) -> StoryState | None:
    return turn_story(
        story,
        Trigger.UNDO,
        landing=LandingStage.NONE,
        landed=Commit(""),
        landed_base=Commit(""),
        landed_ref="",
        cause=FailureCause.UNDONE,
        failure=f"reverted by {fact.commit[:12]}",
    )


def paused(story: StoryState, fact: story_facts.StoryPaused) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return None if story.paused else replace(story, paused=True)


def unpaused(story: StoryState, fact: story_facts.StoryUnpaused) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return replace(story, paused=False) if story.paused else None
