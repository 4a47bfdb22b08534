"""Applies the edit requests of an attempt: each is applied or rejected as a whole, and recorded as a fact."""

from collections.abc import Sequence
from typing import Final

from shiftwork.app.attempt.edit_check import checked, steps_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.workflow.pipeline import Pipeline, StepStatus
from shiftwork.records import dataclass, replace

REQUEST_LIMIT: Final = 4_000
"""How much of a rejected request the history keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """The result of the requests. `put_back`: the step is now after steps that it has added, and runs again.

    `refused_restart` is the reason why a step could not restart as it asked: its work must not be used.
    """

    pipeline: Pipeline
    facts: tuple[Fact, ...] = ()
    restarted: bool = False
    refused_restart: str = ""
    put_back: bool = False


def apply_requests(pipeline: Pipeline, step: StepId, requests: Sequence[str], at: float) -> Edited:
    """Apply all requests of one attempt, in order."""
    edited = Edited(pipeline=pipeline)
    for request in requests:
        edited = _apply(edited, step, request, at)
    now = edited.pipeline.find(step)
    waiting = now is not None and now.status is StepStatus.PENDING
    return replace(edited, put_back=waiting and not edited.restarted)


def _apply(edited: Edited, step: StepId, request: str, at: float) -> Edited:
    found = checked(edited.pipeline, step, request)
    if found.problem:
        rejected = _rejected(edited, step, request, found.problem, at)
        return replace(rejected, refused_restart=found.problem) if found.restarts else rejected
    before, after = steps_of(edited.pipeline), steps_of(found.pipeline)
    fact = story_facts.WorkflowEdited(at=at, by=step, edits=found.edits, before=before, after=after)
    return replace(
        edited,
        pipeline=found.pipeline,
        facts=(*edited.facts, fact),
        restarted=edited.restarted or found.restarts,
    )


def _rejected(edited: Edited, step: StepId, request: str, reason: str, at: float) -> Edited:
    fact = story_facts.WorkflowEditRejected(at=at, by=step, request=request[:REQUEST_LIMIT], reason=reason)
    return replace(edited, facts=(*edited.facts, fact))
