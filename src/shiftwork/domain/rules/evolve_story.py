"""How facts change a story. A fact that does not fit the state changes nothing at all."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from shiftwork.domain.model import facts as f
from shiftwork.domain.model.catalogue import CATALOGUE
from shiftwork.domain.model.ids import StepId
from shiftwork.domain.model.pipeline import Pipeline, Step, StepStatus, pipeline_of, planned_step
from shiftwork.domain.model.story import (
    Hold,
    HoldCause,
    LandingStage,
    Refusal,
    Refused,
    StoryState,
    StoryStatus,
)
from shiftwork.domain.model.usage import NOTHING_USED, Usage
from shiftwork.domain.model.workflow import StepKind, catalogue_step
from shiftwork.domain.rules.editing import Rejected, apply_edits
from shiftwork.domain.rules.machine import Trigger, turn_step, turn_story

PROTECTED_KEYS: Final = frozenset({"task", "repo", "branch", "run_id"})


def evolve_story(story: StoryState, fact: f.Fact) -> StoryState:
    handler = _HANDLERS.get(type(fact))
    if handler is None:
        return story
    begun = story.status is not StoryStatus.UNCLAIMED
    if begun == isinstance(fact, f.StoryStarted):
        return story
    if (story.status is StoryStatus.IN_PROGRESS) == isinstance(fact, _OUTSIDE_WORK):
        return story
    return handler(story, fact) or story


def _started(story: StoryState, fact: f.StoryStarted) -> StoryState | None:
    return turn_story(
        story,
        Trigger.START,
        assignment=fact.assignment,
        pipeline=pipeline_of(fact.steps),
        limit_usd=fact.assignment.limits.story_usd,
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
    if step is None or step.id != fact.step or fact.attempt != step.attempts + 1 or story.hold:
        return None
    hearing = replace(story, heard=len(story.told) if step.kind is StepKind.AGENT else 0)
    return _turn(
        hearing,
        step,
        Trigger.START,
        attempts=fact.attempt,
        start_commit=fact.commit,
        started_at=fact.at,
        ended_at=None,
        log=fact.log,
        error="",
    )


def _step_completed(story: StoryState, fact: f.StepCompleted) -> StoryState | None:
    ended = _end(story, fact, Trigger.COMPLETE, notes=fact.notes, feedback="", error="")
    if ended is None:
        return None
    kept = {key: value for key, value in fact.outputs if key not in PROTECTED_KEYS}
    context = tuple({**dict(story.context), **kept}.items())
    return replace(ended, head=fact.commit or ended.head, context=context, told=story.told[story.heard :], heard=0)


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
    spent = replace(step, usage=step.usage + fact.usage, ended_at=fact.at)
    return replace(
        story,
        pipeline=story.pipeline.with_step(spent),
        usage=story.usage + fact.usage,
        head=fact.commit or story.head,
        told=story.told[story.heard :],
        heard=0,
    )


def _step_retried(story: StoryState, fact: f.StepRetried) -> StoryState | None:
    step = _step(story, fact.step)
    if step is None:
        return None
    return _turn(story, step, Trigger.RETRY, retries=step.retries + 1, feedback=fact.feedback)


def _workflow_edited(story: StoryState, fact: f.WorkflowEdited) -> StoryState | None:
    edited = apply_edits(story.pipeline, fact.by, fact.edits)
    return None if isinstance(edited, Rejected) else replace(story, pipeline=edited)


def _edit_rejected(story: StoryState, fact: f.WorkflowEditRejected) -> StoryState | None:
    return replace(story, told=(*story.told, f"Your workflow edit was rejected: {fact.reason}"))


def _note_written(story: StoryState, fact: f.NoteWritten) -> StoryState | None:
    return replace(story, scratch=(*story.scratch, fact.text))


def _evidence_reported(story: StoryState, fact: f.EvidenceReported) -> StoryState | None:
    others = tuple(known for known in story.evidence if known.criterion != fact.evidence.criterion)
    return replace(story, evidence=(*others, fact.evidence))


def _held(story: StoryState, fact: f.StoryHeld) -> StoryState | None:
    if story.hold:
        return None
    return replace(story, hold=Hold(cause=fact.cause, detail=fact.detail), holds=story.holds + 1)


def _released(story: StoryState, fact: f.StoryReleased) -> StoryState | None:
    """What an answer does depends on what was asked; an answer to nothing does nothing."""
    read = replace(story, hold=None)
    step = story.pipeline.current
    if story.hold is None:
        return None
    if story.hold.cause is HoldCause.LIMIT:
        return replace(read, limit_usd=fact.limit_usd) if fact.granted else replace(read, cancelled=True)
    if step is None:
        return read
    if story.hold.cause is HoldCause.APPROVAL:
        trigger = Trigger.COMPLETE if fact.granted else Trigger.FAIL
        return _turn(read, step, trigger, notes=fact.answer, error=fact.answer, ended_at=fact.at)
    if fact.granted:
        return _turn(read, step, Trigger.RETRY, retries=0, feedback=fact.answer)
    return replace(read, cancelled=True)


def _messages_read(story: StoryState, fact: f.MessagesRead) -> StoryState | None:
    return replace(story, cursor=max(story.cursor, fact.upto))


def _cancel_requested(story: StoryState, fact: f.StoryCancelRequested) -> StoryState | None:  # noqa: ARG001
    return replace(story, cancelled=True)


def _landing_requested(story: StoryState, fact: f.LandingRequested) -> StoryState | None:
    if fact.number != story.landings + 1 or story.pipeline.current or story.landing is not LandingStage.NONE:
        return None
    return replace(story, landing=LandingStage.REQUESTED, landings=fact.number, refused=None)


def _landing_accepted(story: StoryState, fact: f.LandingAccepted) -> StoryState | None:
    if story.landing is not LandingStage.REQUESTED:
        return None
    return replace(story, landing=LandingStage.LANDED, landed=fact.commit, landed_ref=fact.ref)


def _landing_refused(story: StoryState, fact: f.LandingRefused) -> StoryState | None:
    if story.landing is not LandingStage.REQUESTED:
        return None
    refused = Refused(cause=fact.cause, detail=fact.detail, files=fact.files, base=fact.base)
    return replace(story, landing=LandingStage.REFUSED, refused=refused)


def _mending_planned(story: StoryState, fact: f.MendingPlanned) -> StoryState | None:
    if story.landing is not LandingStage.REFUSED or fact.type not in CATALOGUE:
        return None
    plan = replace(catalogue_step(fact.type), description=fact.description)
    step = replace(planned_step(story.pipeline.next_number, plan), feedback=fact.feedback)
    conflict = fact.cause is Refusal.CONFLICT
    return replace(
        story,
        pipeline=_before_last(story.pipeline, step),
        landing=LandingStage.NONE,
        repairs=story.repairs + (not conflict),
        conflicts=story.conflicts + conflict,
    )


def _before_last(pipeline: Pipeline, step: Step) -> Pipeline:
    """A step in front of the one that must be last, which runs again; at the end where there is none."""
    if not pipeline.steps or not pipeline.steps[-1].last:
        return Pipeline(steps=(*pipeline.steps, step), next_number=pipeline.next_number + 1)
    *rest, last = pipeline.steps
    rewound = turn_step(last, Trigger.REWIND, retries=0) or last
    return Pipeline(steps=(*rest, step, rewound), next_number=pipeline.next_number + 1)


def _base_merged(story: StoryState, fact: f.BaseMerged) -> StoryState | None:
    return None if not story.ready else replace(story, head=fact.commit, base=fact.base)


def _completed(story: StoryState, fact: f.StoryCompleted) -> StoryState | None:
    if story.landing is not LandingStage.LANDED or story.landed != fact.commit:
        return None
    return turn_story(story, Trigger.COMPLETE, ended_at=fact.at)


def _failed(story: StoryState, fact: f.StoryFailed) -> StoryState | None:
    if story.landing is LandingStage.LANDED:
        return None
    return turn_story(story, Trigger.FAIL, failure=fact.reason, cause=fact.cause, ended_at=fact.at)


def _reported(story: StoryState, fact: f.StoryReported) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return replace(story, reported=True)


type _Handler = Callable[[StoryState, Any], StoryState | None]

_HANDLERS: Final[dict[type[f.Fact], _Handler]] = {
    f.StoryStarted: _started,
    f.WorkspacePrepared: _workspace_prepared,
    f.WorkspaceLost: _workspace_lost,
    f.WorkspaceReleased: _workspace_released,
    f.StepStarted: _step_started,
    f.StepCompleted: _step_completed,
    f.StepFailed: _step_failed,
    f.StepCancelled: _step_cancelled,
    f.StepInterrupted: _step_interrupted,
    f.StepYielded: _step_yielded,
    f.StepRetried: _step_retried,
    f.WorkflowEdited: _workflow_edited,
    f.WorkflowEditRejected: _edit_rejected,
    f.NoteWritten: _note_written,
    f.EvidenceReported: _evidence_reported,
    f.StoryHeld: _held,
    f.StoryReleased: _released,
    f.MessagesRead: _messages_read,
    f.StoryCancelRequested: _cancel_requested,
    f.LandingRequested: _landing_requested,
    f.LandingAccepted: _landing_accepted,
    f.LandingRefused: _landing_refused,
    f.MendingPlanned: _mending_planned,
    f.BaseMerged: _base_merged,
    f.StoryCompleted: _completed,
    f.StoryFailed: _failed,
    f.StoryReported: _reported,
}

_OUTSIDE_WORK: Final = (f.StoryStarted, f.WorkspaceReleased, f.StoryReported)
"""Facts that come when the story is not in progress, and only then."""


type _Ending = f.StepCompleted | f.StepFailed | f.StepCancelled | f.StepInterrupted


def _step(story: StoryState, wanted: StepId) -> Step | None:
    return story.pipeline.find(wanted)


def _turn(story: StoryState, step: Step, trigger: Trigger, **changes: Any) -> StoryState | None:
    turned = turn_step(step, trigger, **changes)
    return None if turned is None else replace(story, pipeline=story.pipeline.with_step(turned))


def _end(story: StoryState, fact: _Ending, trigger: Trigger, **changes: Any) -> StoryState | None:
    """The end of the attempt that runs now: a fact about any other attempt is not about this state."""
    step = _step(story, fact.step)
    if step is None or step.attempts != fact.attempt:
        return None
    usage: Usage = getattr(fact, "usage", NOTHING_USED)
    turned = _turn(story, step, trigger, usage=step.usage + usage, ended_at=fact.at, **changes)
    return None if turned is None else replace(turned, usage=story.usage + usage)
