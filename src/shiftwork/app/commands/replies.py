"""Replies from people to a waiting story: checked, then posted to its inbox, once for each wait."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Final

from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.messaging import messages
from shiftwork.app.messaging.checked_post import Checked, post_checked
from shiftwork.app.runtime.state_labels import APPROVALS
from shiftwork.app.views.queries import LOOKED_THROUGH
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


class Word(StrEnum):
    """The kinds of replies."""

    ANSWER = "answer"
    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply to a story. `text` is the answer, or the reason for a yes or a no. With `commit`, or its first
    characters, it counts only for a question about that commit; with `question`, only for the one with that text. In
    `own_words` a number is a number, and not that of an option.
    """

    run: RunId
    story: StoryId
    word: Word
    text: str = ""
    commit: str = ""
    question: str = ""
    own_words: bool = False


async def reply(events: History, inbox: MessageBox, said: Reply) -> Hold:
    """Posts the reply to the story; returns the question that it answers.

    Raises IntentError if the story, after all earlier replies, has no question or needs another kind of reply, and if
    somebody has given another reply at the same time. The same reply is stored once.
    """
    return await _post(events, inbox, said, partial(_question, events, said))


async def _question(events: History, said: Reply, state: StoryState) -> Hold:
    """Returns what the story asks, if the reply answers that."""
    hold = state.asks
    if hold is None:
        raise await _asks_nothing(events, said, begun=state.assignment is not None)
    if said.question not in {"", hold.detail}:
        raise asks_another(said.run, said.story)
    _check(said, hold)
    patch = asked_about(state)
    if said.commit and (patch is None or not patch.commit.startswith(said.commit)):
        about = f"it is about commit {patch.commit[:10]}" if patch else "it is about no commit"
        raise IntentError(
            f"{said.story} does not ask about commit {said.commit}: {about}",
            hint=f"look at it: shiftwork diff {said.story} --run {said.run}",
        )
    return hold


def asks_another(run: str, story: str) -> IntentError:
    """For a reply to a question that was shown earlier."""
    return IntentError(f"{story} asks something else now", hint=f"shiftwork status {run}")


async def approve_all(events: History, inbox: MessageBox, replies: Sequence[Reply]) -> Mapping[StoryId, Hold]:
    """Approves those of the stories that wait for approval now; returns their questions. Skips a patch that has changed
    since it was approved: the user must name its story. Skips what somebody else rejects at the same time, too.
    """
    approved = dict[StoryId, Hold]()
    for said in replies:
        with contextlib.suppress(IntentError):
            approved[said.story] = await _post(events, inbox, said, partial(_approval, said))
    return approved


async def _approval(said: Reply, state: StoryState) -> Hold:
    if state.asks is None or state.asks.cause is not HoldCause.APPROVAL:
        raise asks_another(said.run, said.story)
    return state.asks


async def _expected(events: History, inbox: MessageBox, said: Reply) -> StoryState:
    """Returns the story as it will be after all earlier replies."""
    stream = story_stream(said.run, said.story)
    state = await load(events, STORY, stream)
    outputs = await inbox.receive(stream, after=state.cursor)
    return STORY.fold(state, messages.facts_of(stream, outputs, 0.0))


async def _post(
    events: History, inbox: MessageBox, said: Reply, question: Callable[[StoryState], Awaitable[Hold]]
) -> Hold:
    async def check() -> Checked[Hold]:
        state = await _expected(events, inbox, said)
        hold, number = await question(state), state.waiting.holds
        released = story_facts.StoryReleased(
            at=messages.UNREAD, granted=said.word is not Word.REJECT, answer=_chosen(said, hold), hold=number
        )
        return Checked(key=f"release/{number}", fact=released, upto=state.cursor, found=hold)

    checked, stored = await post_checked(inbox, story_stream(said.run, said.story), check)
    if stored != checked.fact:
        raise asks_another(said.run, said.story)
    return checked.found


async def _asks_nothing(events: History, said: Reply, *, begun: bool) -> IntentError:
    stories = (await load(events, RUN, run_stream(said.run))).stories
    message = f"{said.story} {'is not waiting for an answer' if begun else 'has not started'}"
    unknown = f"there is no story {said.story} in the run{guess(said.story, stories)}"
    return IntentError(message if begun or said.story in stories else unknown, hint=f"shiftwork stories {said.run}")


async def patch_asked_about(events: History, said: Reply) -> Patch | None:
    """Returns the patch that the story's question is about, if any; it does not change until it is answered."""
    return asked_about(await load(events, STORY, story_stream(said.run, said.story)))


async def waiting_in(queries: Queries, story: str) -> list[str]:
    """Returns the runs in which this story waits for a person, newest first."""
    rows = await _unended(queries)
    return [row.run for row in rows if row.story == story and row.waiting.needs_person]


async def approvals_in(queries: Queries) -> list[str]:
    """Returns the runs in which a story waits for approval, newest first."""
    return list(dict.fromkeys(row.run for row in await _unended(queries) if row.waiting.cause in APPROVALS))


async def _unended(queries: Queries) -> list[StoryRow]:
    """Returns the stories of all unfinished runs."""
    runs = await queries.runs(limit=LOOKED_THROUGH, unended=True)
    return [row for run in runs for row in await queries.stories(run.run)]


def looks_like_story(typed: str, waiting: Sequence[str]) -> bool:
    """Whether the word is the id of a waiting story, typed in another way. A number is that of an option."""
    return not typed.isdecimal() and bool(guess(typed, waiting))


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
    """Returns the text; the number of an option becomes that option, except in own words. The reason for a yes is no
    subject of a commit.
    """
    if hold.cause is HoldCause.MESSAGE and said.word is Word.APPROVE:
        return ""
    text = said.text.strip()
    numbers = {str(number): option for number, option in enumerate(hold.options, 1)}
    return text if said.own_words else numbers.get(text.lstrip("0"), text)
