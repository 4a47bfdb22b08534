"""How facts change a story. A fact that does not fit the state changes nothing."""

from typing import Final

from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.handlers import Handlers, handlers, on
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.story import approval, certify, holds, loop_step, notices
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.evolve_steps import (
    edit_rejected,
    evidence_reported,
    step_cancelled,
    step_completed,
    step_failed,
    step_interrupted,
    step_retried,
    step_started,
    step_yielded,
    workflow_edited,
)
from shiftwork.domain.story.facts.certificate import StoryCertified
from shiftwork.domain.story.notes import note_written
from shiftwork.domain.story.recovery import missing_summary, plateau, rate_limits, retry, withdrawal
from shiftwork.domain.story.routing import routed
from shiftwork.domain.story.spending import allowance, attempt_usage, durations
from shiftwork.domain.story.spending.unreserved_usage import opened
from shiftwork.domain.story.state import Landed, LandingStage, Refused, StoryState, StoryStatus
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.story.transitions import turn_story
from shiftwork.domain.workflow.guardrails import HARNESS
from shiftwork.domain.workflow.pipeline import Pipeline, Step, pipeline_of, planned_step
from shiftwork.domain.workflow.step_types import CATALOGUE
from shiftwork.domain.workflow.transitions import turn_step
from shiftwork.domain.workflow.workflow import catalogue_step
from shiftwork.records import replace


def evolve_story(story: StoryState, fact: Fact) -> StoryState:
    handler = _HANDLERS.get(type(fact))
    if handler is None:
        return story
    begun = story.status is not StoryStatus.UNCLAIMED
    if begun == isinstance(fact, story_facts.StoryStarted):
        return story
    if (story.status is StoryStatus.IN_PROGRESS) == isinstance(fact, _OUTSIDE_WORK):
        return story
    evolved = handler(story, fact)
    if evolved is None:
        return story
    return durations.timed(story, attempt_usage.counted(allowance.charged(evolved, fact), fact), fact)


def _started(story: StoryState, fact: story_facts.StoryStarted) -> StoryState | None:
    pipeline = pipeline_of(fact.steps)
    started = replace(
        story,
        assignment=fact.assignment,
        pipeline=pipeline,
        landing=replace(story.landing, signing=approval.signing_step(pipeline)),
        dialogue=replace(story.dialogue, context=fact.assignment.context),
        spending=replace(
            story.spending,
            limits=fact.assignment.limits,
            raises=fact.assignment.raises,
            unreserved=opened(fact.assignment.limits),
        ),
        started_at=fact.at,
    )
    return turn_story(started, Trigger.START)


def _workspace_prepared(story: StoryState, fact: story_facts.WorkspacePrepared) -> StoryState | None:
    if fact.number != story.work.workspace + 1:
        return None
    laid = replace(story.work, workspace=fact.number, ready=True, base=fact.base, head=fact.head)
    return replace(story, work=replace(laid, origin=story.work.origin or fact.base))


def _workspace_lost(story: StoryState, fact: story_facts.WorkspaceLost) -> StoryState | None:
    return replace(story, work=replace(story.work, ready=False)) if fact.number == story.work.workspace else None


def _workspace_released(story: StoryState, fact: story_facts.WorkspaceReleased) -> StoryState | None:
    return (
        replace(story, work=replace(story.work, ready=False, released=True))
        if fact.number == story.work.workspace
        else None
    )


def _messages_read(story: StoryState, fact: MessagesRead) -> StoryState | None:
    return replace(story, cursor=max(story.cursor, fact.upto))


def _cancel_requested(story: StoryState, fact: story_facts.StoryCancelRequested) -> StoryState | None:  # noqa: ARG001
    return replace(story, control=replace(story.control, cancelled=True, unwanted=True))


def _landing_requested(story: StoryState, fact: story_facts.LandingRequested) -> StoryState | None:
    if fact.number != story.landing.requests + 1 or story.routing or not approval.may_land(story):
        return None
    if story.landing.progress is not LandingStage.NONE:
        return None
    return replace(
        story,
        landing=replace(
            story.landing,
            progress=LandingStage.REQUESTED,
            requests=fact.number,
            refused=None,
            inspection=fact.inspection,
        ),
    )


def _landing_accepted(story: StoryState, fact: story_facts.LandingAccepted) -> StoryState | None:
    if story.landing.progress is not LandingStage.REQUESTED:
        return None
    return replace(
        story,
        landing=replace(story.landing, progress=LandingStage.LANDED),
        landed=Landed(commit=fact.commit, base=fact.base, ref=fact.ref, report=fact.report, proof=fact.proof),
    )


def _landing_refused(story: StoryState, fact: story_facts.LandingRefused) -> StoryState | None:
    if story.landing.progress is not LandingStage.REQUESTED:
        return None
    refused = Refused(
        cause=fact.cause,
        text=RefusalText(detail=fact.detail, feedback=fact.feedback),
        files=fact.files,
        base=fact.base,
        broken=fact.broken,
        candidate=fact.candidate,
        message=fact.message,
    )
    judged = replace(story, landing=replace(story.landing, passed=fact.passed))
    return plateau.refused_with(approval.given_back(judged, fact), refused)


_REPAIR: Final = "repair"
_USUAL_REPAIR: Final = "coding"


def _repair_planned(story: StoryState, fact: story_facts.RepairPlanned) -> StoryState | None:
    if story.landing.progress is not LandingStage.REFUSED or fact.type not in CATALOGUE:
        return None
    usual = catalogue_step(fact.type)
    name = _REPAIR if fact.type == _USUAL_REPAIR else usual.name  # a conflict is resolved by a type of its own
    plan = replace(usual, name=name, description=fact.description)
    planned = planned_step(story.pipeline.next_number, plan)
    step = replace(planned, feedback=fact.feedback, profile=fact.profile, added_by=HARNESS)
    conflict = fact.cause is Refusal.CONFLICT
    repair = not conflict and fact.cause is not Refusal.APPROVAL
    return replace(
        story,
        pipeline=_before_last(story.pipeline, step),
        landing=replace(
            story.landing,
            progress=LandingStage.NONE,
            repairs=story.landing.repairs + repair,
            conflicts=story.landing.conflicts + conflict,
            escalated=fact.profile or story.landing.escalated,
        ),
    )


def _before_last(pipeline: Pipeline, step: Step) -> Pipeline:
    """Inserts the step before the step that must be last, which runs again; otherwise before the first pending step."""
    following = pipeline.pending[:1]
    done = pipeline.index(following[0].id) if following else len(pipeline.steps)
    steps, ahead = pipeline.steps[:done], pipeline.steps[done:]
    if steps and steps[-1].last:
        steps, ahead = steps[:-1], (turn_step(replace(steps[-1], retries=0), Trigger.REWIND) or steps[-1],)
    return Pipeline(steps=(*steps, step, *ahead), next_number=pipeline.next_number + 1)


def _base_merged(story: StoryState, fact: story_facts.BaseMerged) -> StoryState | None:
    return None if not story.work.ready else replace(story, work=replace(story.work, head=fact.commit, base=fact.base))


def _completed(story: StoryState, fact: story_facts.StoryCompleted) -> StoryState | None:
    if not loop_step.is_done(story) or story.landed_commit != fact.commit:
        return None
    return turn_story(replace(story, ended_at=fact.at), Trigger.COMPLETE)


def _failed(story: StoryState, fact: story_facts.StoryFailed) -> StoryState | None:
    if story.landing.progress is LandingStage.LANDED:
        return None
    failed = replace(
        story,
        outcome=replace(story.outcome, reason=fact.reason, cause=fact.cause),
        ended_at=fact.at,
        rate_limit=replace(story.rate_limit, wait=None),
    )
    return turn_story(failed, Trigger.CANCEL if story.control.unwanted else Trigger.FAIL)


def _reported(story: StoryState, fact: story_facts.StoryReported) -> StoryState | None:  # noqa: ARG001 - one shape for all
    return replace(story, outcome=replace(story.outcome, reported=True))


_HANDLERS: Final[Handlers[StoryState, StoryState | None]] = (
    handlers(
        on(story_facts.StoryStarted, _started),
        on(story_facts.StoryReopened, retry.reopened),
        on(story_facts.StoryReverted, retry.reverted),
        on(story_facts.StoryMissed, retry.missed),
        on(story_facts.StoryDismissed, retry.dismissed),
        on(story_facts.StoryPaused, retry.paused),
        on(story_facts.StoryUnpaused, retry.unpaused),
        on(story_facts.WorkspacePrepared, _workspace_prepared),
        on(story_facts.WorkspaceLost, _workspace_lost),
        on(story_facts.WorkspaceReleased, _workspace_released),
        on(story_facts.StepStarted, step_started),
        on(story_facts.StepCompleted, step_completed),
        on(story_facts.StepFailed, step_failed),
        on(story_facts.StepCancelled, step_cancelled),
        on(story_facts.StepInterrupted, step_interrupted),
        on(story_facts.StepYielded, step_yielded),
        on(story_facts.StepDeferred, rate_limits.deferred),
        on(story_facts.WaitEnded, rate_limits.wait_ended),
        on(story_facts.SummaryMissed, missing_summary.summary_missed),
        on(story_facts.StepRetried, step_retried),
        on(story_facts.StepRouted, routed),
        on(story_facts.WorkflowEditRequested, step_edits.requested),
        on(story_facts.WorkflowEdited, workflow_edited),
        on(story_facts.WorkflowEditRejected, edit_rejected),
        on(story_facts.NoteWritten, note_written),
        on(story_facts.EvidenceReported, evidence_reported),
        on(story_facts.StoriesPlanned, loop_step.planned),
        on(story_facts.LoopBegun, loop_step.begun),
        on(story_facts.LoopEnded, loop_step.ended),
        on(story_facts.WorkRenewed, loop_step.renewed),
        on(story_facts.StoryHeld, holds.held),
        on(story_facts.StoryReleased, holds.released),
        on(story_facts.QuestionAsked, holds.question_asked),
        on(story_facts.WaitingReported, holds.waiting_reported),
        on(NoticeTried, notices.story_noticed),
        on(MessagesRead, _messages_read),
        on(story_facts.StoryCancelRequested, _cancel_requested),
        on(story_facts.LandingRequested, _landing_requested),
        on(story_facts.LandingAccepted, _landing_accepted),
        on(story_facts.LandingRefused, _landing_refused),
        on(story_facts.LandingWithdrawalAsked, withdrawal.asked),
        on(story_facts.LandingWithdrawn, withdrawal.withdrawn),
        on(story_facts.WorkRefused, plateau.work_refused),
        on(story_facts.RepairPlanned, _repair_planned),
        on(story_facts.BaseMerged, _base_merged),
        on(StoryCertified, certify.certified),
        on(story_facts.StoryCompleted, _completed),
        on(story_facts.StoryFailed, _failed),
        on(story_facts.StoryReported, _reported),
    )
    | allowance.STORY_HANDLERS
)

_OUTSIDE_WORK: Final = (
    story_facts.StoryStarted,
    story_facts.WorkspaceReleased,
    story_facts.StoryReported,
    story_facts.StoryReopened,
    story_facts.StoryReverted,
    story_facts.StoryMissed,
    story_facts.StoryDismissed,
)
"""Facts that are valid only while the story is not in progress."""
