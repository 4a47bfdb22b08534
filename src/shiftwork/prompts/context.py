"""What a prompt is made of: which parts a step is shown, and in which order."""

from collections.abc import Callable
from typing import Final

from shiftwork.domain.model.catalogue import Section
from shiftwork.domain.model.pipeline import Step
from shiftwork.domain.model.story import StoryState
from shiftwork.prompts import own, proof, remembered, sections
from shiftwork.prompts.sections import Surroundings, View

__all__ = ["Surroundings", "compose"]

type _Test = Callable[[View], bool]


def compose(state: StoryState, step: Step, given: Surroundings) -> str:
    """The whole prompt of one attempt: only what the step's type is to see, and never longer than `limits.PROMPT`."""
    view = View(state=state, step=step, given=given)
    texts = (part(view) for shown, part in (_OWN_PARTS if step.input else _PARTS) if shown(view))
    # Half of a surrogate pair can reach us through escaped JSON; it cannot be sent, so it does not leave here.
    return "\n\n".join(text for text in texts if text).encode(errors="replace").decode() + "\n"


def _always(_: View) -> bool:
    return True


def _sees(section: Section) -> _Test:
    return lambda view: section in view.sees


def _edits(view: View) -> bool:
    return view.step.may_edit and (view.given.tools or view.given.outbox != "")


# A refusal is shown to the steps that see the checks: those that mend it, and those that look at it again afterwards.
_PARTS: Final[tuple[tuple[_Test, Callable[[View], str]], ...]] = (
    (_always, own.persona),
    (_always, sections.house),
    (_sees(Section.STORY), sections.story),
    (_sees(Section.CRITERIA), sections.criteria),
    (_sees(Section.GATES), sections.gates),
    (_always, proof.wanted),
    (_always, sections.this_step),
    (_sees(Section.NOTES), sections.notes),
    (_sees(Section.SCRATCH), remembered.scratch),
    (_sees(Section.PROGRESS), remembered.progress),
    (_sees(Section.PROJECT), remembered.project),
    (_sees(Section.PATTERNS), remembered.patterns),
    (_always, sections.feedback),
    (_always, sections.answers),
    (_always, sections.told),
    (_sees(Section.GATES), sections.refused),
    (_always, sections.tools),
    (_edits, sections.remaining),
    (_edits, sections.editing),
    (_always, sections.answer),
)

# A step with a prompt of its own is shown what that names, and what the harness alone can tell it.
_OWN_PARTS: Final[tuple[tuple[_Test, Callable[[View], str]], ...]] = (
    (_always, own.persona),
    (_always, sections.house),
    (_always, own.task),
    (_always, own.own_feedback),
    (_always, sections.answers),
    (_always, sections.told),
    (_always, sections.refused),
    (_always, proof.wanted),
    (_always, sections.tools),
    (_edits, sections.remaining),
    (_edits, sections.editing),
    (_always, own.answer),
)
