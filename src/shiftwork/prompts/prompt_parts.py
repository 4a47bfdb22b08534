"""Composes prompts: which parts a step is shown, and in which order."""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.domain.workflow.step_types import Section
from shiftwork.prompts import memory_parts, prompt_sections, proof, workflow_parts
from shiftwork.prompts.prompt_sections import Surroundings, View

__all__ = ["Surroundings", "compose"]

type _Test = Callable[[View], bool]


def compose(state: StoryState, step: Step, given: Surroundings) -> str:
    """Returns the prompt of one attempt: only the parts for the step's type, and at most `lengths.PROMPT` bytes."""
    view = View(state=state, step=step, given=given)
    texts = (part(view) for shown, part in (_OWN_PARTS if step.plan.input else _PARTS) if shown(view))
    # Escaped JSON can contain half of a surrogate pair, which cannot be sent, so it is replaced here.
    return "\n\n".join(text for text in texts if text).encode(errors="replace").decode() + "\n"


def _always(_: View) -> bool:
    return True


def _sees(section: Section) -> _Test:
    return lambda view: section in view.sees


def _edits(view: View) -> bool:
    return view.step.may_edit and not view.step.plan.sizes and (view.given.tools or view.given.output_folder != "")


# A refusal is shown to the steps that see the checks: those that fix its cause, and those that review the fix.
_PARTS: Final[tuple[tuple[_Test, Callable[[View], str]], ...]] = (
    (_always, workflow_parts.persona),
    (_always, prompt_sections.house),
    (_sees(Section.STORY), prompt_sections.story),
    (_sees(Section.CRITERIA), prompt_sections.criteria),
    (_sees(Section.GATES), prompt_sections.gates),
    (_always, proof.wanted),
    (_always, prompt_sections.this_step),
    (_sees(Section.NOTES), prompt_sections.notes),
    (_sees(Section.SCRATCH), memory_parts.scratch),
    (_sees(Section.PROGRESS), memory_parts.progress),
    (_sees(Section.PROJECT), memory_parts.project),
    (_sees(Section.PATTERNS), memory_parts.patterns),
    (_always, prompt_sections.feedback),
    (_always, prompt_sections.answers),
    (_always, prompt_sections.harness_messages),
    (_sees(Section.GATES), prompt_sections.refused),
    (_always, prompt_sections.tools),
    (_edits, prompt_sections.remaining),
    (_edits, prompt_sections.editing),
    (_always, prompt_sections.answer),
)

# A step with its own prompt is shown what that prompt names, and what only the harness knows.
_OWN_PARTS: Final[tuple[tuple[_Test, Callable[[View], str]], ...]] = (
    (_always, workflow_parts.persona),
    (_always, prompt_sections.house),
    (_always, workflow_parts.task),
    (_always, workflow_parts.own_feedback),
    (_always, prompt_sections.answers),
    (_always, prompt_sections.harness_messages),
    (_always, prompt_sections.refused),
    (_always, proof.wanted),
    (_always, prompt_sections.tools),
    (_edits, prompt_sections.remaining),
    (_edits, prompt_sections.editing),
    (_always, workflow_parts.answer),
)
