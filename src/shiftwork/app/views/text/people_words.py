"""What people, agents and Shiftwork did to a story, in words: answers, and edits of its steps."""

from collections.abc import Callable, Sequence
from typing import Final

from shiftwork.domain.core.ids import StepId
from shiftwork.domain.story.state import HoldCause
from shiftwork.domain.workflow.edit_request import Edit, Operation
from shiftwork.domain.workflow.guardrails import HARNESS, PERSON
from shiftwork.domain.workflow.pipeline import Pipeline

_WITH_A_TEXT: Final = frozenset({HoldCause.QUESTION, HoldCause.EXHAUSTED, HoldCause.MESSAGE, None})
"""What a person answers; everything else is approved. None: unknown."""

_AUTHORS: Final = {PERSON: "a person", HARNESS: "Shiftwork"}


def answer_word(cause: HoldCause | None, *, granted: bool) -> str:
    """The verb for a reply to a story that waits for this."""
    if not granted:
        return "rejected"
    return "answered" if cause in _WITH_A_TEXT else "approved"


def author(by: str) -> str:
    """Who made an edit: a person, Shiftwork, or the agent of a step."""
    return _AUTHORS.get(by, by)


def edited(by: str, edits: Sequence[Edit], pipeline: Pipeline) -> str:
    """Who changed which steps, by their names; a step that is gone is named by its id."""
    who = _AUTHORS.get(by) or f"the agent of {_name(StepId(by), pipeline)}"
    return f"{who} {'; '.join(change(edit, lambda step: _name(step, pipeline)) for edit in edits)}"


def change(edit: Edit, name: Callable[[StepId], str] = str) -> str:
    """What an edit did to which steps."""
    target = name(edit.target)
    steps = " and ".join(step.type for step in edit.steps)
    match edit.operation:
        case Operation.ADD_AFTER:
            return f"added {steps} after {target}"
        case Operation.SPLIT:
            return f"split {target} into {steps}"
        case Operation.SKIP:
            return f"skipped {target}"
        case Operation.RESTART:
            return f"restarted {target}"
        case Operation.EDIT_DESCRIPTION:
            return f"changed the description of {target}"
        case _:  # it puts steps in another order
            return f"put the steps in order: {', '.join(map(name, edit.order))}"


def _name(step: StepId, pipeline: Pipeline) -> str:
    found = pipeline.find(step)
    return found.plan.name if found else step
