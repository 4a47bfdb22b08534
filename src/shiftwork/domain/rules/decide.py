"""What to do next: from a state alone to the effects that move it on. No effects means that the work has ended."""

from shiftwork.domain.model import effects as e
from shiftwork.domain.model import facts as f
from shiftwork.domain.model.ids import StoryId
from shiftwork.domain.model.pipeline import Step, StepStatus
from shiftwork.domain.model.queue import EntryStage, QueueState
from shiftwork.domain.model.run import RUN_ENDED, RunState, RunStatus
from shiftwork.domain.model.spec import Story
from shiftwork.domain.model.story import (
    ENDED,
    Assignment,
    FailureCause,
    HoldCause,
    LandingStage,
    Refusal,
    Refused,
    StoryState,
    StoryStatus,
)
from shiftwork.domain.model.workflow import Exhausted, StepKind
from shiftwork.domain.rules.editing import MAX_STEPS

type Effects = tuple[e.Effect, ...]

_NOW = 0.0
"""Facts that follow from the state alone get their time when they are recorded."""


# A run ---------------------------------------------------------------------------------------------------------


def decide_run(run: RunState) -> Effects:
    if run.status in RUN_ENDED:
        return ()
    flying = [story for story, known in run.stories.items() if known.status is StoryStatus.IN_PROGRESS]
    if run.cancelling:
        return _cancel_run(run, flying)
    free = run.given.parallel - len(flying)
    if starting := [story for story in run.given.spec.stories if _ready(run, story)][: max(free, 0)]:
        return tuple(_dispatch(run, story) for story in starting)
    return (_receive(run.cursor),) if flying else (_end_run(run),)


def _cancel_run(run: RunState, flying: list[StoryId]) -> Effects:
    if untold := [story for story in flying if story not in run.cancelled_stories]:
        return tuple(e.ForwardCancel(key=f"cancel/{story}", story=story) for story in untold)
    if flying:
        return (_receive(run.cursor),)
    return (e.Conclude(key="end", facts=(f.RunEnded(at=_NOW, status=RunStatus.CANCELLED),)),)


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
    return e.Conclude(key="end", facts=(f.RunEnded(at=_NOW, status=status),))


def _receive(cursor: int, *, wait: bool = True) -> e.Receive:
    return e.Receive(key=f"receive/{cursor}", cursor=cursor, wait=wait)


# A story -------------------------------------------------------------------------------------------------------


def decide_story(story: StoryState) -> Effects:
    if story.status in ENDED:
        return _wind_up(story)
    if story.cancelled and story.landing not in {LandingStage.REQUESTED, LandingStage.LANDED}:
        return (_fail(FailureCause.CANCELLED, "cancelled"),)
    if story.hold:
        return (_receive(story.cursor),)
    if story.landing is not LandingStage.NONE:
        return (_land(story),)
    return (_work(story),)


def _wind_up(story: StoryState) -> Effects:
    if story.workspace and not story.released:
        return (e.ReleaseWorkspace(key="release", number=story.workspace),)
    return () if story.reported else (e.ReportStory(key="report"),)


def _work(story: StoryState) -> e.Effect:
    if not story.ready:
        number = story.workspace + 1
        return e.PrepareWorkspace(key=f"workspace/{number}", number=number, head=story.head, base=story.base)
    step = story.pipeline.current
    if step is None:
        number = story.landings + 1
        return e.RequestLanding(key=f"landing/{number}", number=number, tip=story.head)
    if step.status in {StepStatus.FAILED, StepStatus.CANCELLED}:
        return _after_failure(story, step)
    if step.status is StepStatus.PENDING and _over_limit(story):
        detail = f"spent {story.usage.cost_usd or 0.0:.2f} of {story.limit_usd:.2f} USD"
        return _hold(story, HoldCause.LIMIT, detail)
    refused = story.refused
    if refused and refused.base != story.base:
        return e.MergeBase(key=f"merge/{story.landings}", base=refused.base, head=story.head)
    return _run_step(story, step)


def _over_limit(story: StoryState) -> bool:
    return story.limit_usd is not None and (story.usage.cost_usd or 0.0) >= story.limit_usd


def _run_step(story: StoryState, step: Step) -> e.Effect:
    """The attempt to make, or, where one is under way and nobody knows of its end, that one again."""
    attempt = step.attempts + (step.status is StepStatus.PENDING)
    key = f"{step.id}/{attempt}"
    if step.kind is StepKind.GATE:
        return e.RunGates(key=key, step=step.id, attempt=attempt)
    if step.kind is StepKind.APPROVAL:
        return _ask_approval(story, step, attempt)
    # An attempt that finds its workspace gone has not begun: in the next workspace it is another effect.
    return e.RunAgent(key=f"{key}@{story.workspace}", step=step.id, attempt=attempt)


def _ask_approval(story: StoryState, step: Step, attempt: int) -> e.Conclude:
    if step.status is StepStatus.IN_PROGRESS:
        return _hold(story, HoldCause.APPROVAL, step.description)
    started = f.StepStarted(at=_NOW, step=step.id, attempt=attempt, commit=story.head, log="")
    return e.Conclude(key=f"{step.id}/{attempt}", facts=(started,))


def _after_failure(story: StoryState, step: Step) -> e.Conclude:
    key = f"{step.id}/{step.attempts}/after"
    if step.retries < step.max_retries and step.kind is not StepKind.APPROVAL:  # a person's "no" is not asked again
        return e.Conclude(key=key, facts=(f.StepRetried(at=_NOW, step=step.id, feedback=step.error),))
    tries = f"{step.attempts} attempt" + ("s" if step.attempts > 1 else "")
    told = f"{step.id} {step.type} {step.status} after {tries}: {step.error}"
    if step.exhausted is Exhausted.ASK:
        return _hold(story, HoldCause.EXHAUSTED, told)
    return _fail(FailureCause.STEP, told)


def _land(story: StoryState) -> e.Effect:
    if story.landing is LandingStage.REQUESTED:
        return _receive(story.cursor)
    if story.landing is LandingStage.LANDED:
        return e.Conclude(key="complete", facts=(f.StoryCompleted(at=_NOW, commit=story.landed),))
    return _mend(story, story.refused) if story.refused else _fail(FailureCause.REFUSED, "refused")


_MENDING = {
    Refusal.CONFLICT: ("rebase_resolve", "Resolve the conflicts with what has landed since this story began"),
    Refusal.GATES: ("coding", "Repair the change: gates failed on the commit that was to land"),
    Refusal.EMPTY: ("coding", "Make the change: this story's steps ended without changing anything"),
}


def _mend(story: StoryState, refused: Refused) -> e.Conclude:
    limits = story.given.limits
    conflict = refused.cause is Refusal.CONFLICT
    spent = story.conflicts >= limits.conflicts if conflict else story.repairs >= limits.repairs
    if spent:
        tries = story.conflicts if conflict else story.repairs
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}) after {tries} repairs: {refused.detail}")
    if len(story.pipeline.steps) >= MAX_STEPS:
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}) and no step left of {MAX_STEPS}")
    kind, description = _MENDING[refused.cause]
    planned = f.MendingPlanned(
        at=_NOW, cause=refused.cause, type=kind, description=description, feedback=refused.detail
    )
    return e.Conclude(key=f"mend/{story.landings}", facts=(planned,))


def _hold(story: StoryState, cause: HoldCause, detail: str) -> e.Conclude:
    return e.Conclude(key=f"hold/{story.holds + 1}", facts=(f.StoryHeld(at=_NOW, cause=cause, detail=detail),))


def _fail(cause: FailureCause, reason: str) -> e.Conclude:
    return e.Conclude(key="fail", facts=(f.StoryFailed(at=_NOW, cause=cause, reason=reason),))


# A landing queue -----------------------------------------------------------------------------------------------


def decide_queue(queue: QueueState) -> Effects:
    """One entry at a time; an empty queue looks into its inbox once and rests when there is nothing."""
    entry = queue.head
    if entry is None:
        return (_receive(queue.cursor, wait=False),)
    key = f"{entry.request.key}/{entry.stage}/{entry.round}"
    match entry.stage:
        case EntryStage.QUEUED:
            return (e.BuildCandidate(key=key, entry=entry),)
        case EntryStage.BUILT:
            return (e.VerifyCandidate(key=key, entry=entry),)
        case EntryStage.VERIFIED:
            return (e.MoveBase(key=key, entry=entry),)
        case _:
            return (e.AnswerStory(key=key, entry=entry),)
