"""What a story does next: prepare, step, retry, land, mend, end. No effects means that it is over."""

from dataclasses import replace
from typing import Final

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.decision import NOW, Effects, receive
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.proof.refusal_text import for_people
from shiftwork.domain.story import approval, loop_step
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.certify import completion
from shiftwork.domain.story.holds import question, tell_waiting, unvouched
from shiftwork.domain.story.notices import notice_of_hold
from shiftwork.domain.story.recovery.plateau import escalation, on_plateau, unchanged, unchanged_step, whole_story
from shiftwork.domain.story.recovery.rate_limits import wait_for_reset
from shiftwork.domain.story.recovery.withdrawal import withdrawal
from shiftwork.domain.story.routing import Spent, next_route
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.story.state import ENDED, FailureCause, Hold, HoldCause, LandingStage, Refused, StoryState
from shiftwork.domain.workflow.guardrails import MAX_STEPS
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.domain.workflow.workflow import Exhausted, StepKind

MAX_WORKSPACES: Final = 200
"""A workspace is lost when a worker dies; one that is lost again and again has another reason."""


def decide_story(story: StoryState) -> Effects:
    """What is done in a later go has keys of its own: those of the goes before are spent."""
    effects = _decide(story)
    return effects if story.go == 1 else tuple(replace(one, key=f"{one.key}#{story.go}") for one in effects)


def _decide(story: StoryState) -> Effects:
    if story.status in ENDED:
        return _wind_up(story)
    if owed := allowance.settle(story):
        return owed
    if story.control.cancelled and story.landing.progress not in {LandingStage.REQUESTED, LandingStage.LANDED}:
        return (_fail(FailureCause.CANCELLED, _called_off(story)),)
    if unwanted := withdrawal(story):
        return unwanted
    if news := notice_of_hold(story) or tell_waiting(story):
        return news
    return _go_on(story)


def _go_on(story: StoryState) -> Effects:
    if story.waiting.hold:
        return (receive(story.cursor),)
    if story.landing.progress is not LandingStage.NONE:
        return (_land(story),)
    if story.control.paused:
        return (receive(story.cursor),)
    return wait_for_reset(story) or (_work(story),)


def _called_off(story: StoryState) -> str:
    """A person who gives a story up because a step kept failing is told later why that was."""
    if approval.asked_about(story):
        return "not approved"
    step = story.pipeline.current
    return (
        f"cancelled after {step.id} {step.plan.name} {step.status}: {step.error}"
        if step and _gave_up(step)
        else "cancelled"
    )


def _gave_up(step: Step) -> bool:
    return step.status is StepStatus.FAILED and bool(step.error)


def _wind_up(story: StoryState) -> Effects:
    if story.work.workspace and not story.work.released:
        return (story_effects.ReleaseWorkspace(key="release", number=story.work.workspace),)
    return () if story.outcome.reported else (story_effects.ReportStory(key="report"),)


def _work(story: StoryState) -> e.Effect:
    if decided := story.pipeline.find(story.routing):
        return _follow(story, decided)
    if first := _send_back(story) or loop_step.without_workspace(story):
        return first
    step = story.pipeline.current
    if story.work.head and (
        step is None or approval.after_gates(story)
    ):  # commits land: no workspace is needed for that
        return _ask_to_land(story)
    if not story.work.ready or step is None:
        return _prepare(story)
    if step.status in {StepStatus.FAILED, StepStatus.CANCELLED}:
        return _after_failure(story, step)
    return _begin_step(story, step)


def _send_back(story: StoryState) -> e.Conclude | None:
    """Before anything is paid that could only find that nothing was changed."""
    step = unchanged_step(story)
    if step is None:
        return None
    refused = story_facts.WorkRefused(at=NOW, step=step.id, cause=Refusal.EMPTY, detail=unchanged(step))
    return e.Conclude(key=f"{step.id}/{step.attempts}/refused", facts=(refused,))


def _ask_to_land(story: StoryState) -> e.Effect:
    if told := unvouched(story):
        return _hold(story, HoldCause.EVIDENCE, told)
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
        return _fail(FailureCause.WORKSPACE, f"{MAX_WORKSPACES} workspaces were lost one after the other")
    return story_effects.PrepareWorkspace(
        key=f"workspace/{number}", number=number, head=story.work.head, base=story.work.base
    )


def _run_step(story: StoryState, step: Step) -> e.Effect:
    """The attempt to make, or, where one is under way and nobody knows of its end, that one again."""
    attempt = step.attempts + (step.status is StepStatus.PENDING)
    key = f"{step.id}/{attempt}"
    if step.plan.kind is StepKind.GATE:
        return story_effects.RunGates(key=key, step=step.id, attempt=attempt)
    if step.plan.kind is StepKind.APPROVAL:
        return _ask_approval(story, step, attempt)
    # An attempt that finds its workspace gone has not begun: in the next workspace it is another effect.
    return story_effects.RunAgent(key=f"{key}@{story.work.workspace}", step=step.id, attempt=attempt)


def _ask_approval(story: StoryState, step: Step, attempt: int) -> e.Conclude:
    if step.status is StepStatus.IN_PROGRESS:
        return _held(story, approval.hold_for(story, question(story, step)))
    started = story_facts.StepStarted(at=NOW, step=step.id, attempt=attempt, commit=story.work.head, log="")
    return e.Conclude(key=f"{step.id}/{attempt}", facts=(started,))


def _after_failure(story: StoryState, step: Step) -> e.Conclude:
    key = f"{step.id}/{step.attempts}/after"
    # A person's "no" is not asked again, and the stories that a loop has left behind have had their own retries.
    once = step.plan.kind in {StepKind.APPROVAL, StepKind.LOOP}
    if step.retries < step.plan.max_retries and not once:
        return e.Conclude(key=key, facts=(story_facts.StepRetried(at=NOW, step=step.id, feedback=step.error),))
    tries = f"{step.attempts} attempt" + ("s" if step.attempts > 1 else "")
    told = f"{step.id} {step.plan.name} {step.status} after {tries}: {step.error}"
    if step.plan.exhausted is Exhausted.ASK and step.plan.kind is not StepKind.LOOP:
        return _hold(story, HoldCause.EXHAUSTED, told)
    return _fail(FailureCause.STEP, told)


def _follow(story: StoryState, decided: Step) -> e.Conclude:
    """Where the step's decision leads; what comes then, where the retries of the step it leads back to are spent."""
    way = next_route(story, decided)
    if not isinstance(way, Spent):
        return way
    if way.target.plan.exhausted is Exhausted.ASK:
        return _hold(story, HoldCause.EXHAUSTED, way.told)
    return _fail(FailureCause.STEP, way.told)


def _land(story: StoryState) -> e.Effect:
    if story.landing.progress is LandingStage.REQUESTED:
        return receive(story.cursor)
    if story.landing.progress is LandingStage.LANDED and loop_step.loop_of(story):
        renewed = story_facts.WorkRenewed(at=NOW, commit=story.landed.commit)
        return e.Conclude(key=f"renew/{story.landing.requests}", facts=(renewed,))
    if story.landing.progress is LandingStage.LANDED:
        return e.Conclude(key="complete", facts=completion(story))
    if approval.asked_about(story):
        return _ask_about_patch(story)
    if story.landing.refused and story.landing.refused.cause is Refusal.DEPENDENCIES:
        return _hold(story, HoldCause.DEPENDENCIES, story.landing.refused.detail)
    return _mend(story, story.landing.refused) if story.landing.refused else _fail(FailureCause.REFUSED, "refused")


def _ask_about_patch(story: StoryState) -> e.Conclude:
    step = approval.due(story)
    if step is None:
        return _held(story, approval.hold_for(story, approval.may_it_land(story)))
    return _ask_approval(story, step, step.attempts + 1)


_MENDING = {
    Refusal.CONFLICT: ("rebase_resolve", "Resolve the conflicts with what has landed since this story began"),
    Refusal.GATES: ("coding", "Repair the change: gates failed on the commit that was to land"),
    Refusal.EMPTY: ("coding", "Make the change: this story has nothing to land so far"),
    Refusal.RESERVED: ("coding", "Take the files out of the change that are git's or shiftwork's own"),
    Refusal.EVIDENCE: ("coding", "Show that the criteria hold: what was reported as evidence is not enough to land"),
    Refusal.APPROVAL: ("coding", "Change the work as the person asks who has reviewed it and did not approve it"),
}


def _mend(story: StoryState, refused: Refused) -> e.Conclude:
    if refused.cause is Refusal.LEFT_OUT:
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}): {refused.detail}")
    limits = story.given.limits
    conflict = refused.cause is Refusal.CONFLICT
    spent = story.landing.conflicts >= limits.conflicts if conflict else story.landing.repairs >= limits.repairs
    spent = spent and refused.cause is not Refusal.APPROVAL  # a person may ask for as much as they like
    profile = escalation(story)
    if spent or (on_plateau(story) and not profile):
        tries = story.landing.conflicts if conflict else story.landing.repairs
        told = f"after {tries} repair{'' if tries == 1 else 's'}{whole_story(story)}: {for_people(refused.detail)}"
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}) {told}")
    if len(story.pipeline.steps) >= MAX_STEPS:
        return _fail(FailureCause.REFUSED, f"not landed ({refused.cause}) and no step left of {MAX_STEPS}")
    kind, description = _MENDING[refused.cause]
    planned = story_facts.MendingPlanned(
        at=NOW, cause=refused.cause, type=kind, description=description, feedback=refused.detail, profile=profile
    )
    return e.Conclude(key=f"mend/{len(story.landing.failures)}", facts=(planned,))


def _hold(story: StoryState, cause: HoldCause, detail: str) -> e.Conclude:
    return _held(story, Hold(cause=cause, detail=detail))


def _held(story: StoryState, hold: Hold) -> e.Conclude:
    fact = story_facts.StoryHeld(at=NOW, cause=hold.cause, detail=hold.detail, reached=hold.reached)
    return e.Conclude(key=f"hold/{story.waiting.holds + 1}", facts=(fact,))


def _fail(cause: FailureCause, reason: str) -> e.Conclude:
    return e.Conclude(key="fail", facts=(story_facts.StoryFailed(at=NOW, cause=cause, reason=reason),))
