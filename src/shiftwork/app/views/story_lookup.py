"""Finds a story of a run by the id that the user has typed."""

from shiftwork.app.views.run_views import RunView
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.errors import UsageError


def check_story(view: RunView, typed: str) -> None:
    """Raises UsageError if the run has no such story."""
    if typed not in stories_of(view):
        message = f"run {view.run.run} has no story {typed}{did_you_mean(view, typed)}"
        raise UsageError(message, hint=f"shiftwork stories {view.run.run}")


def did_you_mean(view: RunView, typed: str) -> str:
    """Text for the end of an error: the story that the user probably means; empty if that is unclear."""
    return guess(typed, stories_of(view))


def stories_of(view: RunView) -> list[str]:
    return [item.story.story for item in view.stories]
