"""Approval of a patch before it lands: the gates run first, then a person approves exactly that patch.

A story whose workflow ends with an approval, or whose run is under review, requests landing like any other. The landing
queue runs the gates. If they are green and the patch is not approved, the queue returns the story instead of landing
it, and other stories land meanwhile. An approval is valid for the patch: if only the base has moved, the queue runs the
gates again and lands it; a changed patch needs a new approval. A rejection ends an earlier approval.

Git compares patches (`ports.workspace.Repository.departed`): a candidate is the approved patch if merging the approved
commit onto the candidate's base gives exactly the candidate's tree, and git moved no change to another path because it
detected a rename. Rejected alternatives: `git patch-id`, which ignores white space and the position of a line among
equal lines, and changes with the lines around the change; and a digest of the diff without line numbers, which does not
notice that a line was moved.
"""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.ids import Commit, StepId
from shiftwork.domain.core.machine import Trigger
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.core.refusal import Refusal, RefusalText
from shiftwork.domain.landing.state import Entry
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story import loop_step
from shiftwork.domain.story.state import Hold, HoldCause, LandingStage, StoryState
from shiftwork.domain.story.transitions import turn_step_of
from shiftwork.domain.tampering.file_size_limit import large_files_named
from shiftwork.domain.tampering.findings import Inspection, Meddling
from shiftwork.domain.workflow.pipeline import FINISHED, Pipeline, Step, StepStatus
from shiftwork.domain.workflow.workflow import StepKind
from shiftwork.records import replace

MAY_IT_LAND: Final = "the gates are green: may it land?"
"""The question when no step of the workflow has its own."""

_NAMED: Final = 5


# What is approved -------------------------------------------------------------------------------------------------


def signing_step(pipeline: Pipeline) -> StepId:
    """The approval step that ends the workflow, or empty. It is determined when the story begins, so a step added after
    it later does not make the approval unnecessary.
    """
    last = pipeline.steps[-1] if pipeline.steps else None
    return last.id if last and last.plan.kind is StepKind.APPROVAL else StepId("")


def due(story: StoryState) -> Step | None:
    """The next approval, if only approvals are left to do."""
    left = [step for step in story.pipeline.steps if step.status not in FINISHED]
    asked = {StepStatus.PENDING, StepStatus.IN_PROGRESS}
    only = all(step.plan.kind is StepKind.APPROVAL and step.status in asked for step in left)
    return story.pipeline.current if only else None


def after_gates(story: StoryState) -> bool:
    """Whether the next approval is about work that must land, so that its gates run first."""
    return due(story) is not None and not loop_step.nothing_to_land(story)


def may_land(story: StoryState) -> bool:
    return loop_step.may_land(story) or due(story) is not None


def reviewed(story: StoryState) -> bool:
    """Whether the story's work now needs a person's approval to land. An approval at the end of the run's own steps
    does not cover what they land before the stories begin.
    """
    if story.given.review or loop_step.loop_of(story):
        return story.given.review
    return bool(story.landing.signing) or due(story) is not None or story.landing.approved is not None


def approved(story: StoryState) -> Patch | None:
    """The patch that may land without a question; None while an approval is due."""
    return story.landing.approved if due(story) is None else None


# What is asked ----------------------------------------------------------------------------------------------------


def lacking(entry: Entry) -> str:
    """Why a candidate needs a person's approval again; empty the first time."""
    if not entry.differs:
        return ""
    return f"the patch has changed since it was approved, in {_named_files(entry.differs)}"


def asked_about(story: StoryState) -> Patch | None:
    """The patch that the queue returned for approval and that a person has not answered yet."""
    refused = story.landing.refused
    if story.landing.progress is not LandingStage.REFUSED or refused is None or refused.cause is not Refusal.APPROVAL:
        return None
    return Patch(base=refused.base, commit=refused.candidate) if refused.candidate else None


def hold_for(story: StoryState, question: str) -> Hold:
    """The question for a person; it says so if the patch has changed since its approval."""
    rejected = f"you rejected it before: {story.landing.rejected}; now " if story.landing.rejected else ""
    question = f"{rejected}{_judging_code(story)}{question}"
    refused = story.landing.refused
    if asked_about(story) and refused and refused.files:
        return Hold(cause=HoldCause.CHANGED, detail=f"{refused.text.detail}: {question}")
    return Hold(cause=HoldCause.APPROVAL, detail=question)


def given_back(story: StoryState, fact: story_facts.LandingRefused) -> StoryState:
    """Requests the workflow's final approval again if it was given to a different patch."""
    step = story.pipeline.find(story.landing.signing)
    if fact.cause is not Refusal.APPROVAL or step is None:
        return story
    return turn_step_of(story, step, Trigger.REWIND) or story


def _judging_code(story: StoryState) -> str:
    """Names the changed code that may judge the story although it is not in a test; empty where there is none."""
    files = _files_found(story.landing.inspection, Meddling.SUPPORT, Meddling.UNNAMED)
    return f"it changes code that tests load ({_named_files(files)}); " if files else ""


def may_it_land(story: StoryState) -> str:
    """The question when no step of the workflow has one; it names the files that need approval."""
    if not story.landing.inspection.held:
        return MAY_IT_LAND
    inspection = story.landing.inspection
    return "; ".join(text for text in (_later_files(inspection), large_files_named(inspection), MAY_IT_LAND) if text)


def _later_files(inspection: Inspection) -> str:
    files = _files_found(inspection, Meddling.LATER)
    return f"it changes files that run on your machine later ({_named_files(files)})" if files else ""


def _files_found(inspection: Inspection, *kinds: Meddling) -> list[str]:
    return [finding.path for finding in inspection.findings if finding.kind in kinds]


def _named_files(files: Sequence[str]) -> str:
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f"{', '.join(files[:_NAMED])}{more}"


# What is answered -------------------------------------------------------------------------------------------------


def answered(story: StoryState, patch: Patch, fact: story_facts.StoryReleased, *, by_step: bool) -> StoryState:
    """A "yes" approves this patch. After a "no" the workflow decides what follows; if it has no step for that, the
    reason becomes the feedback for a repair, and without a reason the story ends.
    """
    if fact.granted:
        signed = patch if due(story) is None else story.landing.approved
        taken = replace(story.landing, approved=signed, rejected="", progress=LandingStage.NONE, refused=None)
        return replace(story, landing=taken)
    unapproved = replace(story, landing=replace(story.landing, approved=None, rejected=fact.answer))
    if not by_step and not fact.answer:
        return replace(unapproved, control=replace(unapproved.control, cancelled=True))
    said = fact.answer or "rejected"
    refused = story.landing.refused and replace(
        story.landing.refused, text=RefusalText(detail=said), candidate=Commit(""), files=()
    )
    return replace(
        unapproved,
        landing=replace(
            unapproved.landing, progress=LandingStage.NONE if by_step else LandingStage.REFUSED, refused=refused
        ),
    )
