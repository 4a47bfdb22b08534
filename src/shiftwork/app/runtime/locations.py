"""Which workspace and which desk belong to a state."""

from shiftwork.domain.story.state import StoryState
from shiftwork.ports.desk import DeskName
from shiftwork.ports.workspace import Place


def place_of(story: StoryState, number: int = 0) -> Place:
    """The story's workspace, by default the one it works in now."""
    given = story.given
    return Place(run=given.run, story=given.story.id, number=number or story.work.workspace, slot=given.slot)


def desk_of(story: StoryState, step: str, attempt: int) -> DeskName:
    return DeskName(run=story.given.run, story=story.given.story.id, step=step, attempt=attempt)
