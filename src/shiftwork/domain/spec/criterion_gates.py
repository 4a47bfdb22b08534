"""The gates that come from a story's criteria: a criterion that names a command is verified by running it.

A gate goes with its criterion: another text of the criterion replaces its gate, and without the criterion there is no
gate. Only people and their spec files change criteria: an agent has no request for that.
"""

from collections.abc import Sequence

from shiftwork.domain.gates.gate import Gate, gate_name
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.spec.named_gates import command_in
from shiftwork.domain.spec.spec import Criterion, Spec, Story
from shiftwork.records import dataclass, replace


def with_commands(story: Story) -> Story:
    """The story with a step for each criterion that names a command and has none."""
    known = {step.id for step in story.verification}
    steps = tuple(_step(criterion) for criterion in story.criteria if criterion.id not in known)
    return replace(story, verification=(*story.verification, *(step for step in steps if step)))


def with_criteria(story: Story, criteria: Sequence[Criterion]) -> Story:
    """The story with these criteria in place of its own. A step stays where the text of its criterion does, or where it
    belongs to no criterion.
    """
    if tuple(criteria) == story.criteria:
        return story
    texts = {criterion.id: criterion.text for criterion in story.criteria}
    by_text = {texts[step.id]: step for step in story.verification if step.id in texts}
    free = tuple(step for step in story.verification if step.id not in texts)
    kept = (replace(by_text[criterion.text], id=criterion.id) for criterion in criteria if criterion.text in by_text)
    return with_commands(replace(story, criteria=tuple(criteria), verification=(*free, *kept)))


def _step(criterion: Criterion) -> Verification | None:
    command = command_in(criterion.text)
    return Verification(id=criterion.id, kind=VerificationKind.SHELL, command=command) if command else None


def criterion_gates(spec: Spec) -> tuple[Gate, ...]:
    """All of them by the names that views print, such as `US-003 AC-1`."""
    return tuple(
        Gate(name=gate_name(story.id, step.id), command=step.command, step=step)
        for story in spec.stories
        for step in story.verification
    )


# A changed story -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class GateChanges:
    """The steps that a changed story has and did not have, and those that it no longer has. The user must agree to what
    would run a command or call an address that the story did not name before.
    """

    new: tuple[Verification, ...] = ()
    gone: tuple[Verification, ...] = ()
    to_agree: tuple[Verification, ...] = ()


def gate_changes(before: Story | None, after: Story) -> GateChanges:
    old = before.verification if before else ()
    new = tuple(step for step in after.verification if step not in old)
    known = {step.action for step in old}
    return GateChanges(
        new=new,
        gone=tuple(step for step in old if step not in after.verification),
        to_agree=tuple(step for step in new if (step.command or step.url) and step.action not in known),
    )
