"""Composes prompts: which parts a step is shown, and in which order.

Parts that are the same in all steps of a story come first, then parts that only grow, and the step's own parts last. So
the prompts of a story begin with the same text, which helps an agent that caches the beginning of its input.
"""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.core.ids import FRAME
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.pipeline import Step
from shiftwork.prompts import memory_parts, prompt_sections, proof, workflow_parts
from shiftwork.prompts.prompt_sections import Surroundings, View
from shiftwork.prompts.templates import template

__all__ = ["Surroundings", "compose", "summary_follow_up"]

type _Test = Callable[[View], bool]


def compose(state: StoryState, step: Step, given: Surroundings) -> str:
    """Returns the prompt of one attempt, at most `lengths.PROMPT` bytes. A part that the step's own prompt places by
    its name is not repeated.
    """
    view = View(state=state, step=step, given=given)
    texts = (part(view) for shown, part in _PARTS if shown(view))
    # Escaped JSON can contain half of a surrogate pair, which cannot be sent, so it is replaced here.
    return "\n\n".join(text for text in texts if text).encode(errors="replace").decode() + "\n"


def summary_follow_up() -> str:
    """Returns the message to a session whose answer lacks only the summary."""
    return f"{template('follow_up')}\n"


def _always(_: View) -> bool:
    return True


def _unless_placed(*names: str) -> _Test:
    return lambda view: view.placed.isdisjoint(names)


def _story(view: View) -> bool:
    """For a step of the run itself, and for a step that plans, the story is the task."""
    of_task = view.step.plan.plans or view.state.given.story.id == FRAME
    return view.placed.isdisjoint({"current_story", "task"} if of_task else {"current_story"})


def _own(view: View) -> bool:
    return view.step.plan.input != ""


def _of_catalogue(view: View) -> bool:
    return not _own(view)


def _edits(view: View) -> bool:
    return view.edits


_PARTS: Final[tuple[tuple[_Test, Callable[[View], str]], ...]] = (
    (_always, prompt_sections.house),
    (_always, prompt_sections.tools),
    (_story, prompt_sections.story),
    (_story, prompt_sections.criteria),
    (_always, workflow_parts.context),
    (_unless_placed("checks"), memory_parts.checks),
    (_unless_placed("patterns", "progress"), memory_parts.patterns),
    (_unless_placed("progress"), memory_parts.progress),
    (_unless_placed("learnings"), memory_parts.learnings),
    (_always, prompt_sections.answers),
    (_unless_placed("notes"), memory_parts.notes),
    (_unless_placed("scratch"), memory_parts.scratch),
    (_always, workflow_parts.persona),
    (_of_catalogue, prompt_sections.this_step),
    (_own, workflow_parts.task),
    (_unless_placed("verify_feedback", "retry_feedback"), prompt_sections.feedback),
    (_always, prompt_sections.harness_messages),
    (_always, prompt_sections.refused),
    (_always, proof.wanted),
    (_edits, prompt_sections.remaining),
    (_edits, prompt_sections.editing),
    (_of_catalogue, prompt_sections.answer),
    (_own, workflow_parts.answer),
)
