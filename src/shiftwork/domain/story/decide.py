"""Decides what a story does next: prepare, step, retry, land, repair, end. No effects means that it has ended."""

from typing import Final

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW, Effects, receive
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.story import approval, loop_step
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import completion
from shiftwork.domain.story.holds import question, report_waiting, unvouched
from shiftwork.domain.story.notices import notice_of_hold
from shiftwork.domain.story.recovery.plateau import escalation, on_plateau, unchanged, unchanged_step, whole_story
from shiftwork.domain.story.recovery.rate_limits import wait_for_reset
from shiftwork.domain.story.recovery.withdrawal import withdrawal
from shiftwork.domain.story.routing import Spent, next_route
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.story.state import ENDED, FailureCause, Hold, HoldCause, LandingStage, Refused, StoryState
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.workflow.guardrails import MAX_STEPS
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.domain.workflow.workflow import Exhausted, StepKind
from shiftwork.records import replace

MAX_WORKSPACES: Final = 200
"""A workspace is lost when a worker dies; this many losses must have another cause."""


def decide_story(story: StoryState) -> Effects:
    """Returns the next effects. A retry of the story has its own keys, because those of earlier tries are used up."""
    effects = _decide(story)
    return (
        effects
        if story.start_number == 1
        else tuple(replace(effect, key=f"{effect.key}#{story.start_number}") for effect in effects)
    )


def _decide(story: StoryState) -> Effects:
    if story.status in ENDED:
        return _wind_up(story)
    if owed := allowance.settle(story) or step_edits.due(story):
        return owed
    if story.control.cancelled and story.landing.progress not in {LandingStage.REQUESTED, LandingStage.LANDED}:
        return (_fail(FailureCause.CANCELLED, _cancelled(story)),)
    if unwanted := withdrawal(story):
        return unwanted
    if news := notice_of_hold(story) or report_waiting(story):
        return news
    return _continue(story)


def _continue(story: StoryState) -> Effects:
    if story.waiting.hold:
        return (receive(story.cursor),)
    if story.landing.progress is not LandingStage.NONE:
        return (_land(story),)
    if story.control.paused:
        return (receive(story.cursor),)
    return wait_for_reset(story) or (_work(story),)


def _cancelled(story: StoryState) -> str:
    """The reason recorded for a cancelled story; it includes the error of a step that kept failing."""
    if approval.asked_about(story):
        return "not approved"
    step = story.pipeline.current
    spent = f" after {step.id} {step.plan.name} {step.status}: {step.error}" if step and _gave_up(step) else ""
    return f"rejected{spent}: {story.control.answer}" if story.control.answer else f"cancelled{spent}"


def _gave_up(step: Step) -> bool:
    return step.status is StepStatus.FAILED and bool(step.error)


def _wind_up(story: StoryState) -> Effects:
    """Reports first: the next story does not wait until the workspace is removed."""
    if not story.outcome.reported:
        return (story_effects.ReportStory(key="report"),)
    if story.work.workspace and not story.work.released:
        return (story_effects.ReleaseWorkspace(key="release", number=story.work.workspace),)
    return ()


def _work(story: StoryState) -> e.Effect:
    if decided := story.pipeline.find(story.routing):
        return _follow(story, decided)
    if first := _send_back(story) or loop_step.without_workspace(story):
        return first
    step = story.pipeline.current
    if story.work.head and (
        step is None or approval.after_gates(story)
    ):  # landing needs only the commits, not a workspace
        return _ask_to_land(story)
    if not story.work.ready or step is None:
        return _prepare(story)
    if step.status in {StepStatus.FAILED, StepStatus.CANCELLED}:
        return _after_failure(story, step)
    return _begin_step(story, step)


def _send_back(story: StoryState) -> e.Conclude | None:
    """Refuses a step that changed nothing, before a paid step could only find the same."""
    step = unchanged_step(story)
    if step is None:
        return None
    refused = story_facts.WorkRefused(at=NOW, step=step.id, cause=Refusal.EMPTY, detail=unchanged(step))
    return e.Conclude(key=f"{step.id}/{step.attempts}/refused", facts=(refused,))


def _ask_to_land(story: StoryState) -> e.Effect:
    if message := unvouched(story):
        return _hold(story, HoldCause.EVIDENCE, message)
    number = story.landing.requests + 1
    return story_effects.RequestLanding(key=f"landing/{number}", number=number, tip=story.work.head)


def _begin_step(story: StoryState, step: Step) -> e.Effect:
    pending = step.status is StepStatus.PENDING
    if pending and (spent := allowance.limit_reached(story, step)):
        return _held(story, spent)
    refused = story.landing.refused
    if refused and refused.base != story.work.base:
        return story_effects.MergeBase(
            key=f"merge/{story.landing.requests}@{story.work.workspace}", base=refused.base, head=story.work.head
        )
    return (pending and allowance.claim(story, step)) or _run_step(story, step)


def _prepare(story: StoryState) -> e.Effect:
    number = story.work.workspace + 1
    if number > MAX_WORKSPACES:
        return _fail(FailureCause.WORKSPACE, f"{MAX_WORKSPACES} workspaces were lost in a row")
    return story_effects.PrepareWorkspace(
        key=f"workspace/{number}", number=number, head=story.work.head, base=story.work.base
    )


def _run_step(story: StoryState, step: Step) -> e.Effect:
    """The next attempt, or the attempt in progress again when its end is unknown."""
    attempt = step.attempts + (step.status is StepStatus.PENDING)
    key = f"{step.id}/{attempt}"
    if step.plan.kind is StepKind.GATE:
        return story_effects.RunGates(key=key, step=step.id, attempt=attempt)
    if step.plan.kind is StepKind.APPROVAL:
        return _ask_approval(story, step, attempt)
    # An attempt whose workspace is missing has not begun: in the next workspace it is a different effect.
    return story_effects.RunAgent(key=f"{key}@{story.work.workspace}", step=step.id, attempt=attempt)


def _ask_approval(story: StoryState, step: Step, attempt: int) -> e.Conclude:
    if step.status is StepStatus.IN_PROGRESS:
        return _held(story, approval.hold_for(story, question(story, step)))
    started = story_facts.StepStarted(at=NOW, step=step.id, attempt=attempt, commit=story.work.head, log="")
    return e.Conclude(key=f"{step.id}/{attempt}", facts=(started,))


def _after_failure(story: StoryState, step: Step) -> e.Conclude:
    key = f"{step.id}/{step.attempts}/after"
    # A person's "no" is final, and the stories that failed in a loop have had their own retries.
    once = step.plan.kind in {StepKind.APPROVAL, StepKind.LOOP}
    if step.retries < step.plan.max_retries and not once:
        return e.Conclude(key=key, facts=(story_facts.StepRetried(at=NOW, step=step.id, feedback=step.error),))
    tries = f"{step.attempts} attempt" + ("s" if step.attempts > 1 else "")
    message = f"{step.id} {step.plan.name} {step.status} after {tries}: {step.error}"
    if step.plan.exhausted is Exhausted.ASK and step.plan.kind is not StepKind.LOOP:
        return _hold(story, HoldCause.EXHAUSTED, message)
    return _fail(FailureCause.STEP, message)


def _follow(story: StoryState, decided: Step) -> e.Conclude:
    """Follows the step's decision. Holds or fails the story when the target of a route back has no retries left."""
    way = next_route(story, decided)
    if not isinstance(way, Spent):
        return way
    if way.target.plan.exhausted is Exhausted.ASK:
        return _hold(story, HoldCause.EXHAUSTED, way.message)
    return _fail(FailureCause.STEP, way.message)


def _land(story: StoryState) -> e.Effect:
    if story.landing.progress is LandingStage.REQUESTED:
        return receive(story.cursor)
    if story.landing.progress is LandingStage.LANDED and loop_step.loop_of(story):
        renewed = story_facts.WorkRenewed(at=NOW, commit=story.landed_commit)
        return e.Conclude(key=f"renew/{story.landing.requests}", facts=(renewed,))
    if story.landing.progress is LandingStage.LANDED:
        return e.Conclude(key="complete", facts=completion(story))
    if approval.asked_about(story):
        return _ask_about_patch(story)
    if story.landing.refused and (asks := _ASKS_PERSON.get(story.landing.refused.cause)):
        return _hold(story, asks, story.landing.refused.text.detail)
    return (
        _repair_step(story, story.landing.refused) if story.landing.refused else _fail(FailureCause.REFUSED, "refused")
    )


def _ask_about_patch(story: StoryState) -> e.Conclude:
    step = approval.due(story)
    if step is None:
        return _held(story, approval.hold_for(story, approval.may_it_land(story)))
    return _ask_approval(story, step, step.attempts + 1)


_ASKS_PERSON: Final = {Refusal.DEPENDENCIES: HoldCause.DEPENDENCIES, Refusal.MESSAGE: HoldCause.MESSAGE}

_REPAIR = {
    Refusal.CONFLICT: ("rebase_resolve", "Resolve the conflicts with what has landed since this story began"),
    Refusal.GATES: ("coding", "Repair the change: gates failed on the commit that would have landed"),
    Refusal.EMPTY: ("coding", "Make the change: this story has nothing to land so far"),
    Refusal.RESERVED: ("coding", "Take the files out of the change that belong to git or to shiftwork"),
    Refusal.EVIDENCE: ("coding", "Show that the criteria hold: what was reported as evidence is not enough to land"),
    Refusal.APPROVAL: ("coding", "Make the changes that the reviewer asked for: the work was not approved"),
}


def _repair_step(story: StoryState, refused: Refused) -> e.Conclude:
    if refused.cause is Refusal.LEFT_OUT:
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}): {refused.text.detail}")
    limits = story.given.limits
    conflict = refused.cause is Refusal.CONFLICT
    spent = story.landing.conflicts >= limits.conflicts if conflict else story.landing.repairs >= limits.repairs
    spent = spent and refused.cause is not Refusal.APPROVAL  # a person may ask for any number of changes
    profile = escalation(story)
    if spent or (on_plateau(story) and not profile):
        tries = story.landing.conflicts if conflict else story.landing.repairs
        message = f"after {tries} repair{'' if tries == 1 else 's'}{whole_story(story)}: {refused.text.detail}"
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}) {message}")
    if len(story.pipeline.steps) >= MAX_STEPS:
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}): the limit of {MAX_STEPS} steps is reached")
    kind, description = _REPAIR[refused.cause]
    planned = story_facts.RepairPlanned(
        at=NOW,
        cause=refused.cause,
        type=kind,
        description=description,
        feedback=refused.text.for_agents,
        profile=profile,
    )
    # A person may reject any number of patches, and none of that is a failure: each was a request of its own.
    rejected = refused.cause is Refusal.APPROVAL
    number = f"rejected/{story.landing.requests}" if rejected else f"{len(story.landing.failures)}"
    return e.Conclude(key=f"repair/{number}", facts=(planned,))


def _hold(story: StoryState, cause: HoldCause, detail: str) -> e.Conclude:
    return _held(story, Hold(cause=cause, detail=detail))


def _held(story: StoryState, hold: Hold) -> e.Conclude:
    fact = story_facts.StoryHeld(at=NOW, cause=hold.cause, detail=hold.detail, reached=hold.reached)
    return e.Conclude(key=f"hold/{story.waiting.holds + 1}", facts=(fact,))


def _fail(cause: FailureCause, reason: str) -> e.Conclude:
    return e.Conclude(key="fail", facts=(story_facts.StoryFailed(at=NOW, cause=cause, reason=reason),))
