"""What an attempt compares its work with: branches in the agent's repository, and whether a user interface changed."""

import contextlib
from pathlib import Path

from shiftwork.app.runtime.locations import place_of
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.domain.core.ids import StepId
from shiftwork.domain.text.file_types import is_frontend
from shiftwork.domain.workflow.template_values import HAS_FRONTEND
from shiftwork.errors import RepositoryError
from shiftwork.prompts.render import names


async def renewed_tree(recorder: StoryRecorder) -> Path:
    """The workspace with a fresh repository. It has the branch that the work lands on, as it was when the work began,
    and the branch that the run was started from.
    """
    context, story = recorder.context, recorder.state
    given, branches = story.given, {story.given.branch: story.since}
    if given.base:
        with contextlib.suppress(RepositoryError):  # it may be gone by now
            branches[given.base] = await context.repository.tip(given.base)
    return await context.workspaces.renew(place_of(story), story.work.head, branches)


async def changes_frontend(step: StepId, recorder: StoryRecorder) -> bool:
    """Whether the work so far changes a user interface, by its files; looked up only for a prompt that says so."""
    story = recorder.state
    if HAS_FRONTEND not in names(story.pipeline.step(step).plan.input):
        return False
    changed = await recorder.context.changes.between(story.since, story.work.head)
    return any(is_frontend(file.path) for file in changed.files)
