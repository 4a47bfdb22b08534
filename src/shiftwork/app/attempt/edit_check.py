"""Checks one edit request of an agent: at once for the agent's tool, and when its attempt has ended.

Imports little, because an agent waits for it at its first tool call.
"""

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.workflow import guardrails
from shiftwork.domain.workflow.edit_request import Edit
from shiftwork.domain.workflow.pipeline import Pipeline
from shiftwork.prompts.answer import contract
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The pipeline after the edits of a request; as before, with the `problem`, if the request is refused."""

    pipeline: Pipeline
    edits: tuple[Edit, ...] = ()
    problem: str = ""

    @property
    def restarts(self) -> bool:
        return guardrails.restarts(self.edits)


def checked(pipeline: Pipeline, step: StepId, request: str) -> Checked:
    """What becomes of the request of the running step."""
    edits = contract.edits(request)
    if isinstance(edits, contract.Problem):
        return Checked(pipeline=pipeline, problem=edits.text)
    changed = guardrails.apply_edits(pipeline, step, edits)
    if isinstance(changed, guardrails.Rejected):
        return Checked(pipeline=pipeline, edits=edits, problem=changed.reason)
    return Checked(pipeline=changed, edits=edits)


def steps_of(pipeline: Pipeline) -> tuple[str, ...]:
    """The steps, a line each."""
    return guardrails.outline(pipeline)
