"""Which workspace and which attempt folder belong to a state."""

from shiftwork.domain.story.state import StoryState
from shiftwork.ports.attempt_folder import AttemptName
from shiftwork.ports.workspace import Place


def place_of(story: StoryState, number: int = 0) -> Place:
    """The story's workspace, by default the current workspace."""
    given = story.given
    return Place(run=given.run, story=given.story.id, number=number or story.work.workspace, slot=given.slot)


def attempt_folder_of(story: StoryState, step: str, attempt: int) -> AttemptName:
    return AttemptName(run=story.given.run, story=story.given.story.id, step=step, attempt=attempt)
