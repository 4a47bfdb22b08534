"""How a story is paused, reverted after it has landed, and retried after it has failed."""

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.approval import signing_step
from shiftwork.domain.story.routing import one_more
from shiftwork.domain.story.spending.unreserved_usage import opened
from shiftwork.domain.story.state import (
    Control,
    Dialogue,
    FailureCause,
    Landing,
    LandingStage,
    Outcome,
    Spending,
    StoryState,
    StoryStatus,
    Waiting,
    Work,
)
from shiftwork.domain.story.transitions import turn_story
from shiftwork.domain.workflow.pipeline import Pipeline, pipeline_of
from shiftwork.domain.workflow.transitions import turn_step
from shiftwork.records import replace


def reopened(story: StoryState, fact: story_facts.StoryReopened) -> StoryState | None:
    """Counters that number the work continue; counters that limit it start again."""
    before = _blank(story, fact) if fact.from_scratch else _fixed(story)
    read = max(story.cursor, fact.cursor)
    given = fact.assignment
    again = replace(
        before,
        assignment=given,
        dialogue=_with_reason(before.dialogue, story, fact),
        spending=replace(before.spending, limits=given.limits, raises=given.raises, unreserved=opened(given.limits)),
        landing=replace(before.landing, earlier=story.landing.attempts_at_repair),
        cursor=read,
        start_number=story.start_number + 1,
    )
    return turn_story(again, Trigger.REOPEN)


def _with_reason(dialogue: Dialogue, story: StoryState, fact: story_facts.StoryReopened) -> Dialogue:
    """What the person said about the retry stays in the prompts of the story, as their answers do."""
    if not fact.because:
        return dialogue
    ended = f"The story has ended: {story.outcome.reason}. What must the next attempt know?"
    return replace(dialogue, answers=(*dialogue.answers, (ended, fact.because)))


def _blank(story: StoryState, fact: story_facts.StoryReopened) -> StoryState:
    """The story without its work; its cost is kept."""
    steps = pipeline_of(fact.steps, first=story.pipeline.next_number)
    spent = story.spending
    return replace(
        story,
        pipeline=steps,
        routing=StepId(""),
        ended_at=None,
        work=Work(workspace=story.work.workspace),
        dialogue=Dialogue(context=fact.assignment.context, answers=story.dialogue.answers),
        landing=Landing(requests=story.landing.requests, signing=signing_step(steps)),
        landed=None,
        confirmed=None,
        waiting=Waiting(holds=story.waiting.holds),
        rate_limit=replace(story.rate_limit, wait=None),
        spending=Spending(claims=spent.claims, usage=spent.usage, shares=spent.shares, roles=spent.roles),
        control=Control(),
        outcome=Outcome(),
    )


def _fixed(story: StoryState) -> StoryState:
    """Keeps the work so far and repeats the failed step; a story that has changed nothing starts at the branch as it is
    now. If gates refused the work, they run on it again first, because the cause may be gone; a session is paid only if
    they fail again.
    """
    kept = story.work if story.work.head != story.work.base else Work(workspace=story.work.workspace)
    gates = story.landing.refused is not None and story.landing.refused.cause is Refusal.GATES
    return replace(
        story,
        pipeline=_pending_again(_led_again(story)),
        landing=replace(
            story.landing,
            progress=LandingStage.NONE if gates else story.landing.progress,
            repairs=0,
            conflicts=0,
            failures=(),
            escalated="",
        ),
        work=replace(kept, ready=False, released=False),
        waiting=replace(story.waiting, hold=None, reported=False),
        spending=replace(story.spending, claiming=False, allowance=None),
        outcome=replace(story.outcome, reason="", cause=None, reported=False),
        control=replace(story.control, cancelled=False, unwanted=False, paused=False),
        ended_at=None,
    )


def _led_again(story: StoryState) -> Pipeline:
    """If the story failed because a route back had no retries left, allows that route once more."""
    deciding = story.pipeline.find(story.routing)
    return one_more(story, deciding).pipeline if deciding else story.pipeline


def _pending_again(pipeline: Pipeline) -> Pipeline:
    step = pipeline.current
    if step is None:
        return pipeline
    again = replace(step, retries=0, deferrals=0, in_vain=0, feedback=step.error)
    return pipeline.with_step(turn_step(again, Trigger.RETRY) or step)


def reverted(story: StoryState, fact: story_facts.StoryReverted) -> StoryState | None:
    undone = replace(
        story,
        landing=replace(story.landing, progress=LandingStage.NONE),
        landed=None,
        outcome=replace(story.outcome, cause=FailureCause.UNDONE, reason=f"reverted by {fact.commit[:12]}"),
    )
    return turn_story(undone, Trigger.UNDO)


def missed(story: StoryState, fact: story_facts.StoryMissed) -> StoryState | None:
    """The commit, its proof and its gates stay: they are what was looked for."""
    known = replace(story, outcome=replace(story.outcome, reason=fact.reason))
    return turn_story(known, Trigger.MISS if fact.reason else Trigger.FIND)


def dismissed(story: StoryState, fact: story_facts.StoryDismissed) -> StoryState | None:  # noqa: ARG001 - one shape for all
    """Why it failed stays; the cause says that it does not count against the agent."""
    if story.status is not StoryStatus.FAILED:
        return None
    return turn_story(replace(story, outcome=replace(story.outcome, cause=FailureCause.CANCELLED)), Trigger.CANCEL)


def paused(story: StoryState, fact: story_facts.StoryPaused) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return None if story.control.paused else replace(story, control=replace(story.control, paused=True))


def unpaused(story: StoryState, fact: story_facts.StoryUnpaused) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return replace(story, control=replace(story.control, paused=False)) if story.control.paused else None
