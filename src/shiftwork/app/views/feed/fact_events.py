"""Turns the recorded facts of a project, in their order, into the events that a stream of --json has."""

from collections import OrderedDict
from typing import Final

from shiftwork.app.folds import STORY, load
from shiftwork.app.views.documents.event_documents import change_event
from shiftwork.app.views.documents.event_records import ChangeEvent
from shiftwork.app.views.live.board import Change, change_of
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.story.state import StoryState
from shiftwork.errors import CodecError
from shiftwork.ports.store import History, Recorded

UPDATED: Final = "updated"
"""The kind of an event without a line of its own: something of the run or of the story has changed."""

_KNOWN: Final = 256


class FactEvents:
    """Makes one event of each fact. The text of an event depends on the state of its story, of which the last `known`
    are remembered; the state of any other is read when its next fact comes.
    """

    def __init__(self, history: History, *, known: int = _KNOWN) -> None:
        self._history = history
        self._most = known
        self._known: OrderedDict[Stream, tuple[int, StoryState]] = OrderedDict()

    async def event(self, recorded: Recorded) -> ChangeEvent:
        kind, _, rest = recorded.stream.partition("/")
        run, _, story = rest.partition("/")
        state = await self._story(recorded) if kind == "story" else STORY.start
        change = change_of(recorded.fact, state) if state is not None else None
        return change_event(change or Change(at=recorded.fact.at, event=UPDATED, story=story), run)

    async def _story(self, recorded: Recorded) -> StoryState | None:
        """The story after the fact; None if a newer release has written facts that cannot be read."""
        stream, version = recorded.stream, recorded.version
        known, state = self._known.pop(stream, (0, STORY.start))
        try:
            if known == version - 1 and type(recorded.fact) is not Fact:
                state = STORY.evolve(state, recorded.fact)
            else:
                state = await load(self._history, STORY, stream, version)
        except CodecError:
            return None
        self._known[stream] = (version, state)
        if len(self._known) > self._most:
            self._known.popitem(last=False)
        return state
