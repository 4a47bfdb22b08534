"""Replies from people to a waiting story: checked, then posted to its inbox, once for each wait."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from shiftwork.app.messaging import messages
from shiftwork.app.runtime.state_labels import APPROVALS
from shiftwork.app.runtime.streams import RUN, STORY, load
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.core.patch import Patch
from shiftwork.domain.spec.story_lookup import guess
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.approval import asked_about
from shiftwork.domain.story.state import Hold, HoldCause, StoryState
from shiftwork.errors import IntentError
from shiftwork.ports.store import History, MessageBox
from shiftwork.ports.views import Queries, StoryRow
from shiftwork.records import dataclass

_YES_OR_NO: Final = APPROVALS | {HoldCause.EVIDENCE, HoldCause.DEPENDENCIES}
"""Holds that accept only a yes or a no: any other text would count as a yes."""

_LOOKED_THROUGH: Final = 200


class Word(StrEnum):
    """The kinds of replies."""

    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply to a story. `text` is the answer, or the reason for a yes or a no."""

    run: RunId
    story: StoryId
    word: Word
    text: str = ""


async def reply(events: History, inbox: MessageBox, said: Reply) -> Hold:
    """Posts the reply to the story; returns the question that it answers.

    Raises IntentError if the story, after all earlier replies, has no question or needs another kind of reply.
    """
    state = await _expected(events, inbox, said)
    hold = state.asks
    if hold is None:
        raise await _asks_nothing(events, said, begun=state.assignment is not None)
    _check(said, hold)
    await _post(inbox, said, hold, state.waiting.holds)
    return hold


async def approve_all(events: History, inbox: MessageBox, replies: Sequence[Reply]) -> Mapping[StoryId, Hold]:
    """Approves those of the stories that wait for approval now; returns their questions. Skips a patch that has changed
    since it was approved: the user must name its story.
    """
    approved = dict[StoryId, Hold]()
    for said in replies:
        state = await _expected(events, inbox, said)
        if state.asks and state.asks.cause is HoldCause.APPROVAL:
            await _post(inbox, said, state.asks, state.waiting.holds)
            approved[said.story] = state.asks
    return approved


async def _expected(events: History, inbox: MessageBox, said: Reply) -> StoryState:
    """Returns the story as it will be after all earlier replies."""
    stream = story_stream(said.run, said.story)
    state = await load(events, STORY, stream)
    outputs = await inbox.receive(stream, after=state.cursor)
    return STORY.fold(state, messages.facts_of(stream, outputs, 0.0))


async def _post(inbox: MessageBox, said: Reply, hold: Hold, number: int) -> None:
    released = story_facts.StoryReleased(
        at=messages.UNREAD, granted=said.word is not Word.REJECT, answer=_chosen(said, hold), hold=number
    )
    await messages.send(inbox, story_stream(said.run, said.story), f"release/{number}", released)


async def _asks_nothing(events: History, said: Reply, *, begun: bool) -> IntentError:
    stories = (await load(events, RUN, run_stream(said.run))).stories
    message = f"{said.story} {'is not waiting for an answer' if begun else 'has not started'}"
    unknown = f"there is no story {said.story} in the run{guess(said.story, stories)}"
    return IntentError(message if begun or said.story in stories else unknown, hint=f"shiftwork stories {said.run}")


async def patch_asked_about(events: History, said: Reply) -> Patch | None:
    """Returns the patch that the story's question is about, if any; it does not change until it is answered."""
    return asked_about(await load(events, STORY, story_stream(said.run, said.story)))


def patch_of(story: StoryState) -> Patch:
    """Returns what has landed; else the patch that a person is asked about; else the work so far."""
    if story.landed:
        return Patch(base=story.landed.base, commit=story.landed.commit)
    return asked_about(story) or Patch(base=story.work.base, commit=story.work.head)


async def waiting_in(queries: Queries, story: str) -> list[str]:
    """Returns the runs in which this story waits for a person, newest first."""
    rows = await _unended(queries)
    return [row.run for row in rows if row.story == story and row.waiting.needs_person]


async def approvals_in(queries: Queries) -> list[str]:
    """Returns the runs in which a story waits for approval, newest first."""
    return list(dict.fromkeys(row.run for row in await _unended(queries) if row.waiting.cause in APPROVALS))


async def _unended(queries: Queries) -> list[StoryRow]:
    """Returns the stories of all unfinished runs."""
    runs = await queries.runs(limit=_LOOKED_THROUGH, unended=True)
    return [row for run in runs for row in await queries.stories(run.run)]


def _check(said: Reply, hold: Hold) -> None:
    if hold.cause is HoldCause.LIMIT and said.word is not Word.REJECT:
        raise IntentError(
            f"{said.story} has reached its limit: {hold.detail}", hint=f"shiftwork status {said.run} shows what to type"
        )
    if hold.cause in _YES_OR_NO and said.word is Word.ANSWER:
        named = f"{said.story} --run {said.run}"
        raise IntentError(
            f"{said.story} needs a yes or a no: {hold.detail}",
            hint=f"shiftwork diff {named}, then: shiftwork approve {named}, or: shiftwork reject {named} --because …",
        )


def _chosen(said: Reply, hold: Hold) -> str:
    """Returns the text; the number of an option becomes that option."""
    number = int(said.text) if said.text.strip().isdecimal() else 0
    return hold.options[number - 1] if 1 <= number <= len(hold.options) else said.text.strip()
