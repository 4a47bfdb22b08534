"""What needs a person in all runs, and what each story holds up, as a document."""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Final

from shiftwork.app.views.documents.document import Document
from shiftwork.app.views.documents.run_documents import stories_document, story_state
from shiftwork.app.views.documents.run_records import StoryLine
from shiftwork.app.views.documents.usage_records import State
from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.ports.rows.row_parts import WaitCause
from shiftwork.records import dataclass

_ENDED: Final = frozenset({State.LANDED, State.PROVED, State.CANCELLED, State.UNDONE, State.DONE})


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldUp:
    """The stories that cannot start before this one lands, or before its run has a higher limit."""

    run: str
    story: str
    holds_up: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsYou(Document):
    """The stories of all unfinished runs that need an answer, an approval or a higher limit; the failed stories of
    these runs and of those that ended not long ago; and what each of them holds up.
    """

    SCHEMA: ClassVar[str] = "needs-you"

    stories: Sequence[StoryLine]
    failed_stories: Sequence[StoryLine]
    held_up: Sequence[HeldUp]


def needs_you_document(views: Iterable[RunView]) -> NeedsYou:
    """`views` are the runs that may need a person."""
    waiting: list[StoryLine] = []
    failed: list[StoryLine] = []
    held: list[HeldUp] = []
    for view in views:
        is_over = view.activity is Activity.OVER
        asking = [each for each in view.stories if each.story.waiting.needs_person and not is_over]
        broken = [each for each in view.stories if story_state(view, each) is State.FAILED]
        waiting += stories_document(view, {}, only={each.story.story for each in asking}).stories
        failed += stories_document(view, {}, only={each.story.story for each in broken}).stories
        held += _held_up(view, (*asking, *broken))
    return NeedsYou(stories=waiting, failed_stories=failed, held_up=held)


def _held_up(view: RunView, holding: Sequence[StoryView]) -> Iterable[HeldUp]:
    if not holding:
        return
    states = {each.story.story: story_state(view, each) for each in view.stories}
    unended = [each for each in view.stories if states[each.story.story] not in _ENDED]
    waiting: dict[str, list[str]] = {}
    for each in unended:
        for other in each.story.depends_on:
            waiting.setdefault(other, []).append(each.story.story)
    for each in holding:
        row = each.story
        if row.waiting.cause is WaitCause.LIMIT and row.limit.whose == "run":
            found = {name for name, state in states.items() if state is State.QUEUED}
        else:
            found = _after(row.story, waiting)
        names = [other.story.story for other in unended if other.story.story in found - {row.story}]
        yield HeldUp(run=row.run, story=row.story, holds_up=names)


def _after(story: str, waiting: Mapping[str, Sequence[str]]) -> set[str]:
    """All that wait for a story, directly or not."""
    found: set[str] = set()
    left = [story]
    while left:
        more = [each for each in waiting.get(left.pop(), ()) if each not in found]
        found.update(more)
        left += more
    return found
