"""Marks landed stories as done in the user's spec file. A file that cannot be written does not stop the run."""

from shiftwork import failpoints
from shiftwork.app.runtime import state_labels
from shiftwork.app.runtime.recorder import RunRecorder
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.proof.proof_words import after_landed
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryStatus
from shiftwork.errors import SpecError
from shiftwork.ports.specs import Mark


async def update(effect: run_effects.UpdateSpec, recorder: RunRecorder) -> tuple[Fact, ...]:
    context, run = recorder.context, recorder.state
    marks = {story: _mark(run, story) for story in effect.stories}
    try:
        _check_here(recorder)
        known = await context.specs.mark(run.given.source, marks)
    except SpecError as error:
        at, final = context.clock.now(), effect.final
        return (run_facts.SpecUpdateFailed(at=at, stories=effect.stories, reason=error.message, final=final),)
    failpoints.reach("spec.updated")
    cleared = tuple(story for story, mark in marks.items() if story in known and not mark.done)
    missing = tuple(story for story in marks if story not in known)
    return (run_facts.SpecUpdated(at=context.clock.now(), stories=effect.stories, cleared=cleared, missing=missing),)


def _check_here(recorder: RunRecorder) -> None:
    """Raises SpecError in another checkout: its file of the same name is a different file."""
    plan = recorder.state.given
    if plan.worktree != recorder.context.worktree:
        where = f"the worktree {plan.worktree}" if plan.worktree else "the main checkout"
        raise SpecError(f"{plan.source.partition(':')[2]} is in {where}, but the run continues elsewhere")


def _mark(run: RunState, story: StoryId) -> Mark:
    outcome = run.stories[story]
    done = outcome.status is StoryStatus.COMPLETED
    without = f", {state_labels.without(run.given.without_gates)}" if run.given.without_gates else ""
    landed = f"Landed as {outcome.commit[:12]} by shiftwork run {run.given.run}{after_landed(outcome.proof)}{without}"
    undone = f"Undone: {outcome.reason} in shiftwork run {run.given.run}"  # only an undo removes a mark
    return Mark(done=done, note=landed if done else undone)
