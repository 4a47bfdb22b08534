"""What a person approves is what lands: gates first, then the person, who is asked about the very patch.

A story whose workflow ends with an approval, or whose run is under review, asks to land like any other. The landing
queue runs the gates. Where they are green and the patch is not approved, the queue gives the story back instead of
landing it, and others land meanwhile. An approval holds for the patch: where only the base has moved, the queue runs
the gates again and lands it; a patch that has changed is asked about again. A rejection ends an earlier approval.

What a patch is, git decides (`ports.workspace.Repository.departed`): a candidate is the approved patch where it has the
very tree that the approved commit comes to when it is merged onto the candidate's base, and no change of it was carried
to another path because git took a file for renamed. Not taken: `git patch-id`,
which leaves out white space, knows nothing of the place of a line among equal ones, and changes with lines beside the
change; and a digest of the diff without line numbers, which takes a line that was moved for the same one.
"""

from dataclasses import replace
from typing import Final

from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal
from shiftwork.domain.landing.state import Entry
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story import loop_step
from shiftwork.domain.story.state import Hold, HoldCause, LandingStage, StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.tampering.findings import Meddling
from shiftwork.domain.workflow.pipeline import FINISHED, Pipeline, Step, StepStatus
from shiftwork.domain.workflow.workflow import StepKind

MAY_IT_LAND: Final = "the gates are green: may it land?"
"""What is asked where no step of the workflow has words of its own."""

_NAMED: Final = 5


# What is approved -------------------------------------------------------------------------------------------------


def signing_step(pipeline: Pipeline) -> StepId:
    """The approval with which a workflow ends; empty where it ends otherwise. It is looked for when the story begins:
    a step that is added behind it later does not make the approval unnecessary.
    """
    last = pipeline.steps[-1] if pipeline.steps else None
    return last.id if last and last.plan.kind is StepKind.APPROVAL else StepId("")


def due(story: StoryState) -> Step | None:
    """The approval that comes next, where nothing but approvals is left to be done."""
    left = [step for step in story.pipeline.steps if step.status not in FINISHED]
    asked = {StepStatus.PENDING, StepStatus.IN_PROGRESS}
    only = all(step.plan.kind is StepKind.APPROVAL and step.status in asked for step in left)
    return story.pipeline.current if only else None


def after_gates(story: StoryState) -> bool:
    """Whether the next approval is about work that is to land, whose gates are run first."""
    return due(story) is not None and not loop_step.nothing_to_land(story)


def may_land(story: StoryState) -> bool:
    return loop_step.may_land(story) or due(story) is not None


def reviewed(story: StoryState) -> bool:
    """Whether nothing of the story lands now that a person has not approved. An approval at the end of the run's own
    steps is none of what they land before the stories begin.
    """
    if story.given.review or loop_step.loop_of(story):
        return story.given.review
    return bool(story.landing.signing) or due(story) is not None or story.landing.approved is not None


def approved(story: StoryState) -> Patch | None:
    """What may land unasked: nothing while an approval is still due."""
    return story.landing.approved if due(story) is None else None


# What is asked ----------------------------------------------------------------------------------------------------


def lacking(entry: Entry) -> str:
    """What a candidate lacks that a person is to be asked about."""
    if not entry.differs:
        return "no person has approved it yet"
    more = f" and {len(entry.differs) - _NAMED} more" if len(entry.differs) > _NAMED else ""
    return f"the patch has changed since it was approved, in {', '.join(entry.differs[:_NAMED])}{more}"


def asked_about(story: StoryState) -> Patch | None:
    """The patch that was given back because a person is to be asked about it, and has not answered."""
    refused = story.landing.refused
    if story.landing.progress is not LandingStage.REFUSED or refused is None or refused.cause is not Refusal.APPROVAL:
        return None
    return Patch(base=refused.base, commit=refused.candidate) if refused.candidate else None


def hold_for(story: StoryState, question: str) -> Hold:
    """What a person is asked; of a patch that has changed since they approved it, that is said."""
    refused = story.landing.refused
    if asked_about(story) and refused and refused.files:
        return Hold(cause=HoldCause.CHANGED, detail=f"{refused.detail}: {question}")
    return Hold(cause=HoldCause.APPROVAL, detail=question)


def given_back(story: StoryState, fact: story_facts.LandingRefused) -> StoryState:
    """The approval with which the workflow ends is asked for once more where it was given to another patch."""
    step = story.pipeline.find(story.landing.signing)
    if fact.cause is not Refusal.APPROVAL or step is None:
        return story
    return turn_step_of(story, step, Trigger.REWIND) or story


def may_it_land(story: StoryState) -> str:
    """The question where no step of the workflow has one; it names the files that the story is held for."""
    if not story.landing.inspection.held:
        return MAY_IT_LAND
    files = [one.path for one in story.landing.inspection.findings if one.kind is Meddling.LATER]
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f"it changes files that run on your machine later ({', '.join(files[:_NAMED])}{more}); {MAY_IT_LAND}"


# What is answered -------------------------------------------------------------------------------------------------


def answered(story: StoryState, patch: Patch, fact: story_facts.StoryReleased, *, by_step: bool) -> StoryState:
    """A "yes" is to this patch. After a "no" the workflow says what comes; where it has no step for that, the reason is
    what the work is repaired by, and without a reason the story ends.
    """
    if fact.granted:
        signed = patch if due(story) is None else story.landing.approved
        return replace(story, landing=replace(story.landing, approved=signed, progress=LandingStage.NONE, refused=None))
    unapproved = replace(story, landing=replace(story.landing, approved=None))
    if not by_step and not fact.answer:
        return replace(unapproved, control=replace(unapproved.control, cancelled=True))
    said = fact.answer or "rejected"
    refused = story.landing.refused and replace(story.landing.refused, detail=said, candidate=Commit(""), files=())
    return replace(
        unapproved,
        landing=replace(
            unapproved.landing, progress=LandingStage.NONE if by_step else LandingStage.REFUSED, refused=refused
        ),
    )
