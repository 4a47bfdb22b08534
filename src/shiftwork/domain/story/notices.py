"""When people are notified that a story needs them."""

from shiftwork.domain.core.decision import Effects
from shiftwork.domain.notices.delivery import due_notice, tried
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.notices.notice import Occasion
from shiftwork.domain.story.state import HoldCause, StoryState
from shiftwork.records import replace


def notice_of_hold(story: StoryState) -> Effects:
    """A story at its spending limit sends a budget notice if that is enabled, otherwise the usual notice of a wait."""
    if story.waiting.hold is None:
        return ()
    spent = story.waiting.hold.cause is HoldCause.LIMIT
    occasions = (Occasion.BUDGET, Occasion.NEEDS_YOU) if spent else (Occasion.NEEDS_YOU,)
    return due_notice(story.given.notices, story.waiting.noticing, occasions, story.waiting.holds)


def story_noticed(story: StoryState, fact: NoticeTried) -> StoryState | None:
    noticing = tried(story.waiting.noticing, fact)
    return replace(story, waiting=replace(story.waiting, noticing=noticing)) if noticing else None
