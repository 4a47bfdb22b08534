"""How facts about steps change a story."""

from typing import Final

from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.memory.notes import Note
from shiftwork.domain.proof.claim import NOT_UNDERSTOOD
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.routing import decides, with_turn
from shiftwork.domain.story.spending import allowance
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.story.steering import step_edits
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.workflow.guardrails import PERSON, Rejected, apply_edits
from shiftwork.domain.workflow.pipeline import Step, StepStatus
from shiftwork.domain.workflow.template_values import merged
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.records import replace

REJECTED_KEPT: Final = 20
"""How many rejected edits a story's notes show; the history keeps all."""


def step_started(story: StoryState, fact: story_facts.StepStarted) -> StoryState | None:
    step = story.pipeline.current
    if step is None or step.id != fact.step or fact.attempt != step.attempts + 1:
        return None
    if story.waiting.hold or story.routing or story.rate_limit.wait:
        return None
    delivered = len(story.dialogue.messages) if step.plan.kind is StepKind.AGENT else 0
    same = delivered == story.dialogue.delivered
    informed = story if same else replace(story, dialogue=replace(story.dialogue, delivered=delivered))
    started = replace(
        step,
        attempts=fact.attempt,
        start_commit=fact.commit,
        started_at=fact.at,
        ended_at=None,
        log=fact.log,
        assigned_profile=fact.agent,
        model=fact.model,
        error="",
        decision="",
        verdict="",
    )
    return turn_step_of(informed, started, Trigger.START)


def step_completed(story: StoryState, fact: story_facts.StepCompleted) -> StoryState | None:
    step = _ended(story, fact)
    if step is None:
        return None
    done = replace(
        step,
        ended_at=fact.at,
        notes=fact.notes,
        feedback="",
        error="",
        decision=fact.decision,
        verdict=fact.verdict,
        unsummarised=None,
    )
    done = with_turn(story.pipeline, done, fact.outputs, fact.notes)
    ended = turn_step_of(story, done, Trigger.COMPLETE)
    if ended is None:
        return None
    return replace(
        ended,
        work=replace(ended.work, head=fact.commit or ended.work.head),
        dialogue=replace(
            ended.dialogue,
            context=merged(story.dialogue.context, fact.outputs),
            messages=story.dialogue.messages[story.dialogue.delivered :],
            delivered=0,
        ),
        routing=step.id if decides(story.pipeline, done, fact.decision) else ended.routing,
    )


def step_failed(story: StoryState, fact: story_facts.StepFailed) -> StoryState | None:
    return _stopped(story, fact, Trigger.FAIL)


def step_cancelled(story: StoryState, fact: story_facts.StepCancelled) -> StoryState | None:
    return _stopped(story, fact, Trigger.CANCEL)


def _stopped(
    story: StoryState, fact: story_facts.StepFailed | story_facts.StepCancelled, trigger: Trigger
) -> StoryState | None:
    step = _ended(story, fact)
    if step is None:
        return None
    return turn_step_of(story, replace(step, ended_at=fact.at, error=fact.error, unsummarised=None), trigger)


def step_interrupted(story: StoryState, fact: story_facts.StepInterrupted) -> StoryState | None:
    step = _ended(story, fact)
    ended = turn_step_of(story, replace(step, ended_at=fact.at), Trigger.INTERRUPT) if step else None
    return None if ended is None else replace(ended, work=replace(ended.work, ready=False))


def step_yielded(story: StoryState, fact: story_facts.StepYielded) -> StoryState | None:
    """The edit before this fact has already reset the step to pending; this fact adds the result of the attempt."""
    step = story.pipeline.find(fact.step)
    if step is None or step.status is not StepStatus.PENDING or step.attempts != fact.attempt:
        return None
    return replace(
        story,
        pipeline=story.pipeline.with_step(replace(step, ended_at=fact.at)),
        work=replace(story.work, head=fact.commit or story.work.head),
        dialogue=replace(story.dialogue, messages=story.dialogue.messages[story.dialogue.delivered :], delivered=0),
    )


def step_retried(story: StoryState, fact: story_facts.StepRetried) -> StoryState | None:
    step = story.pipeline.find(fact.step)
    if step is None:
        return None
    return turn_step_of(story, replace(step, retries=step.retries + 1, feedback=fact.feedback), Trigger.RETRY)


def workflow_edited(story: StoryState, fact: story_facts.WorkflowEdited) -> StoryState | None:
    edited = apply_edits(story.pipeline, fact.by, fact.edits)
    if isinstance(edited, Rejected):
        return None
    return allowance.reconsidered(step_edits.answered(replace(story, pipeline=edited), fact))


def edit_rejected(story: StoryState, fact: story_facts.WorkflowEditRejected) -> StoryState | None:
    rejected = step_edits.answered(story, fact)
    said = rejected.dialogue
    kept = (*said.rejected, Note(at=fact.at, by=fact.by, text=fact.reason))[-REJECTED_KEPT:]
    messages = () if fact.by == PERSON else (f"Your workflow edit was rejected: {fact.reason}",)
    return replace(rejected, dialogue=replace(said, rejected=kept, messages=(*said.messages, *messages)))


def evidence_reported(story: StoryState, fact: story_facts.EvidenceReported) -> StoryState | None:
    others = tuple(known for known in story.dialogue.evidence if known.criterion != fact.evidence.criterion)
    if fact.evidence.kind == NOT_UNDERSTOOD and len(others) < len(story.dialogue.evidence):
        return None  # nothing that can be checked replaces nothing that can
    return replace(story, dialogue=replace(story.dialogue, evidence=(*others, fact.evidence)))


type _Ending = (
    story_facts.StepCompleted | story_facts.StepFailed | story_facts.StepCancelled | story_facts.StepInterrupted
)


def _ended(story: StoryState, fact: _Ending) -> Step | None:
    """The step whose current attempt has ended; None for a fact about another attempt, which changes nothing."""
    step = story.pipeline.find(fact.step)
    return None if step is None or step.attempts != fact.attempt else step
