"""How facts change a story. A fact that does not fit the state changes nothing at all."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model import waiting_facts as w
from shiftwork.domain.model import withdrawal_facts as t
from shiftwork.domain.model.catalogue import CATALOGUE
from shiftwork.domain.model.notice_facts import NoticeTried
from shiftwork.domain.model.pipeline import Pipeline, Step, StepStatus, pipeline_of, planned_step
from shiftwork.domain.model.proof_facts import StoryCertified
from shiftwork.domain.model.story import (
    LandingStage,
    Refusal,
    Refused,
    StoryState,
    StoryStatus,
)
from shiftwork.domain.model.workflow import StepKind, catalogue_step
from shiftwork.domain.rules import (
    allowing,
    approving,
    asking,
    certifying,
    charging,
    looping,
    noticing,
    reopening,
    repairing,
    timing,
    waiting,
    withdrawing,
)
from shiftwork.domain.rules.booking import opened
from shiftwork.domain.rules.context import merged
from shiftwork.domain.rules.editing import Rejected, apply_edits
from shiftwork.domain.rules.machine import Trigger, turn_step, turn_step_of, turn_story
from shiftwork.domain.rules.remembering import note_written
from shiftwork.domain.rules.routing import route_for, routed


def evolve_story(story: StoryState, fact: f.Fact) -> StoryState:
    handler = _HANDLERS.get(type(fact))
    if handler is None:
        return story
    begun = story.status is not StoryStatus.UNCLAIMED
    if begun == isinstance(fact, f.StoryStarted):
        return story
    if (story.status is StoryStatus.IN_PROGRESS) == isinstance(fact, _OUTSIDE_WORK):
        return story
    evolved = handler(story, fact)
    if evolved is None:
        return story
    return timing.timed(story, charging.counted(allowing.charged(evolved, fact), fact), fact)


def _started(story: StoryState, fact: f.StoryStarted) -> StoryState | None:
    pipeline = pipeline_of(fact.steps)
    return turn_story(
        story,
        Trigger.START,
        assignment=fact.assignment,
        pipeline=pipeline,
        signing=approving.signing_step(pipeline),
        context=fact.assignment.context,
        limits=fact.assignment.limits,
        raises=fact.assignment.raises,
        unbooked=opened(fact.assignment.limits),
        started_at=fact.at,
    )


def _workspace_prepared(story: StoryState, fact: f.WorkspacePrepared) -> StoryState | None:
    if fact.number != story.workspace + 1:
        return None
    return replace(story, workspace=fact.number, ready=True, base=fact.base, head=fact.head)


def _workspace_lost(story: StoryState, fact: f.WorkspaceLost) -> StoryState | None:
    return replace(story, ready=False) if fact.number == story.workspace else None


def _workspace_released(story: StoryState, fact: f.WorkspaceReleased) -> StoryState | None:
    return replace(story, ready=False, released=True) if fact.number == story.workspace else None


def _step_started(story: StoryState, fact: f.StepStarted) -> StoryState | None:
    step = story.pipeline.current
    if step is None or step.id != fact.step or fact.attempt != step.attempts + 1:
        return None
    if story.hold or story.routing or story.wait:
        return None
    hearing = replace(story, heard=len(story.told) if step.kind is StepKind.AGENT else 0)
    return turn_step_of(
        hearing,
        step,
        Trigger.START,
        attempts=fact.attempt,
        start_commit=fact.commit,
        started_at=fact.at,
        ended_at=None,
        log=fact.log,
        played_by=fact.agent,
        model=fact.model,
        error="",
        decision="",
        verdict="",
    )


def _step_completed(story: StoryState, fact: f.StepCompleted) -> StoryState | None:
    decided = {"decision": fact.decision, "verdict": fact.verdict}
    ended = _end(story, fact, Trigger.COMPLETE, notes=fact.notes, feedback="", error="", **decided)
    step = story.pipeline.find(fact.step)
    if ended is None or step is None:
        return None
    return replace(
        ended,
        head=fact.commit or ended.head,
        context=merged(story.context, fact.outputs),
        told=story.told[story.heard :],
        heard=0,
        routing=step.id if route_for(step, fact.decision) else ended.routing,
    )


def _step_failed(story: StoryState, fact: f.StepFailed) -> StoryState | None:
    return _end(story, fact, Trigger.FAIL, error=fact.error)


def _step_cancelled(story: StoryState, fact: f.StepCancelled) -> StoryState | None:
    return _end(story, fact, Trigger.CANCEL, error=fact.error)


def _step_interrupted(story: StoryState, fact: f.StepInterrupted) -> StoryState | None:
    ended = _end(story, fact, Trigger.INTERRUPT)
    return None if ended is None else replace(ended, ready=False)


def _step_yielded(story: StoryState, fact: f.StepYielded) -> StoryState | None:
    """The edit before this fact has already put the step back to pending; this tells what the attempt came to."""
    step = story.pipeline.find(fact.step)
    if step is None or step.status is not StepStatus.PENDING or step.attempts != fact.attempt:
        return None
    return replace(
        story,
        pipeline=story.pipeline.with_step(replace(step, ended_at=fact.at)),
        head=fact.commit or story.head,
        told=story.told[story.heard :],
        heard=0,
    )


def _step_retried(story: StoryState, fact: f.StepRetried) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None:
        return None
    return turn_step_of(story, step, Trigger.RETRY, retries=step.retries + 1, feedback=fact.feedback)


def _workflow_edited(story: StoryState, fact: f.WorkflowEdited) -> StoryState | None:
    edited = apply_edits(story.pipeline, fact.by, fact.edits)
    return None if isinstance(edited, Rejected) else replace(story, pipeline=edited)


def _edit_rejected(story: StoryState, fact: f.WorkflowEditRejected) -> StoryState | None:
    return replace(story, told=(*story.told, f"Your workflow edit was rejected: {fact.reason}"))


def _evidence_reported(story: StoryState, fact: f.EvidenceReported) -> StoryState | None:
    others = tuple(known for known in story.evidence if known.criterion != fact.evidence.criterion)
    return replace(story, evidence=(*others, fact.evidence))


def _messages_read(story: StoryState, fact: f.MessagesRead) -> StoryState | None:
    return replace(story, cursor=max(story.cursor, fact.upto))


def _cancel_requested(story: StoryState, fact: f.StoryCancelRequested) -> StoryState | None:  # noqa: ARG001
    return replace(story, cancelled=True)


def _landing_requested(story: StoryState, fact: f.LandingRequested) -> StoryState | None:
    if fact.number != story.landings + 1 or story.routing or not approving.may_land(story):
        return None
    if story.landing is not LandingStage.NONE:
        return None
    return replace(
        story, landing=LandingStage.REQUESTED, landings=fact.number, refused=None, inspection=fact.inspection
    )


def _landing_accepted(story: StoryState, fact: f.LandingAccepted) -> StoryState | None:
    if story.landing is not LandingStage.REQUESTED:
        return None
    return replace(
        story,
        landing=LandingStage.LANDED,
        landed=fact.commit,
        landed_base=fact.base,
        landed_ref=fact.ref,
        landed_report=fact.report,
        landed_proof=fact.proof,
    )


def _landing_refused(story: StoryState, fact: f.LandingRefused) -> StoryState | None:
    if story.landing is not LandingStage.REQUESTED:
        return None
    refused = Refused(
        cause=fact.cause,
        detail=fact.detail,
        files=fact.files,
        base=fact.base,
        broken=fact.broken,
        candidate=fact.candidate,
    )
    return repairing.refused_with(approving.given_back(story, fact), refused)


def _mending_planned(story: StoryState, fact: f.MendingPlanned) -> StoryState | None:
    if story.landing is not LandingStage.REFUSED or fact.type not in CATALOGUE:
        return None
    plan = replace(catalogue_step(fact.type), description=fact.description)
    step = replace(planned_step(story.pipeline.next_number, plan), feedback=fact.feedback, profile=fact.profile)
    conflict = fact.cause is Refusal.CONFLICT
    repair = not conflict and fact.cause is not Refusal.APPROVAL
    return replace(
        story,
        pipeline=_before_last(story.pipeline, step),
        landing=LandingStage.NONE,
        repairs=story.repairs + repair,
        conflicts=story.conflicts + conflict,
        escalated=fact.profile or story.escalated,
    )


def _before_last(pipeline: Pipeline, step: Step) -> Pipeline:
    """A step in front of the one that must be last, which runs again; else in front of what is still to be done."""
    following = pipeline.pending[:1]
    done = pipeline.index(following[0].id) if following else len(pipeline.steps)
    steps, ahead = pipeline.steps[:done], pipeline.steps[done:]
    if steps and steps[-1].last:
        steps, ahead = steps[:-1], (turn_step(steps[-1], Trigger.REWIND, retries=0) or steps[-1],)
    return Pipeline(steps=(*steps, step, *ahead), next_number=pipeline.next_number + 1)


def _base_merged(story: StoryState, fact: f.BaseMerged) -> StoryState | None:
    return None if not story.ready else replace(story, head=fact.commit, base=fact.base)


def _completed(story: StoryState, fact: f.StoryCompleted) -> StoryState | None:
    if not looping.is_done(story) or story.landed != fact.commit:
        return None
    return turn_story(story, Trigger.COMPLETE, ended_at=fact.at)


def _failed(story: StoryState, fact: f.StoryFailed) -> StoryState | None:
    if story.landing is LandingStage.LANDED:
        return None
    return turn_story(story, Trigger.FAIL, failure=fact.reason, cause=fact.cause, ended_at=fact.at, wait=None)


def _reported(story: StoryState, fact: f.StoryReported) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return replace(story, reported=True)


type _Handler = Callable[[StoryState, Any], StoryState | None]

_HANDLERS: Final[dict[type[f.Fact], _Handler]] = {
    f.StoryStarted: _started,
    f.StoryReopened: reopening.reopened,
    f.StoryReverted: reopening.reverted,
    f.StoryPaused: reopening.paused,
    f.StoryUnpaused: reopening.unpaused,
    f.WorkspacePrepared: _workspace_prepared,
    f.WorkspaceLost: _workspace_lost,
    f.WorkspaceReleased: _workspace_released,
    f.StepStarted: _step_started,
    f.StepCompleted: _step_completed,
    f.StepFailed: _step_failed,
    f.StepCancelled: _step_cancelled,
    f.StepInterrupted: _step_interrupted,
    f.StepYielded: _step_yielded,
    w.StepDeferred: waiting.deferred,
    w.WaitEnded: waiting.wait_ended,
    f.StepRetried: _step_retried,
    f.StepRouted: routed,
    f.WorkflowEdited: _workflow_edited,
    f.WorkflowEditRejected: _edit_rejected,
    f.NoteWritten: note_written,
    f.EvidenceReported: _evidence_reported,
    f.StoriesPlanned: looping.planned,
    f.LoopBegun: looping.begun,
    f.LoopEnded: looping.ended,
    f.WorkRenewed: looping.renewed,
    f.StoryHeld: asking.held,
    f.StoryReleased: asking.released,
    f.QuestionAsked: asking.question_asked,
    f.WaitingTold: asking.waiting_told,
    NoticeTried: noticing.story_noticed,
    f.MessagesRead: _messages_read,
    f.StoryCancelRequested: _cancel_requested,
    f.LandingRequested: _landing_requested,
    f.LandingAccepted: _landing_accepted,
    f.LandingRefused: _landing_refused,
    t.LandingWithdrawalAsked: withdrawing.asked,
    t.LandingWithdrawn: withdrawing.withdrawn,
    f.WorkRefused: repairing.work_refused,
    f.MendingPlanned: _mending_planned,
    f.BaseMerged: _base_merged,
    StoryCertified: certifying.certified,
    f.StoryCompleted: _completed,
    f.StoryFailed: _failed,
    f.StoryReported: _reported,
    **allowing.STORY_HANDLERS,
}

_OUTSIDE_WORK: Final = (f.StoryStarted, f.WorkspaceReleased, f.StoryReported, f.StoryReopened, f.StoryReverted)
"""Facts that come when the story is not in progress, and only then."""


type _Ending = f.StepCompleted | f.StepFailed | f.StepCancelled | f.StepInterrupted


def _end(story: StoryState, fact: _Ending, trigger: Trigger, **changes: Any) -> StoryState | None:
    """The end of the attempt that runs now: a fact about any other attempt is not about this state."""
    step = story.pipeline.find(fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    return turn_step_of(story, step, trigger, ended_at=fact.at, **changes)
