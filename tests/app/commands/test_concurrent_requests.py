"""A request that another message overtakes, after it was checked and before it is stored."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.commands import step_edits
from shiftwork.app.commands.intents import Sent, ask, ask_for, unpause
from shiftwork.app.commands.replies import Reply, Word, approve_all, reply
from shiftwork.app.commands.runs import forecast
from shiftwork.app.commands.steering import NewStory, new_story
from shiftwork.app.commands.step_edits import StepRequest
from shiftwork.app.messaging import messages
from shiftwork.app.messaging.checked_post import MOST_CHECKS
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import HoldCause
from shiftwork.errors import IntentError
from shiftwork.ports.store import Message
from shiftwork.records import replace
from shiftwork.testing.builders import asked, assignment, planned, run_plan, workflow

RUN_ID, STORY_ID = RunId("r1"), StoryId("US-001")
RUN, STORY = run_stream(RUN_ID), story_stream(RUN_ID, STORY_ID)

type Act = Callable[[], Awaitable[object]]


class Overtaken:
    """An inbox in which others act just before each of the first posts; a `lost` answer makes a post repeat itself."""

    def __init__(self, store: MemoryStore, *acts: Act, lost: bool = False) -> None:
        self._real = store.inbox
        self._acts = list(acts)
        self._lost = lost

    async def post(self, target: Stream, key: str, body: dict[str, Any], *, after: int | None = None) -> bool:
        if self._acts:
            await self._acts.pop(0)()
        if self._lost:
            await self._real.post(target, key, body, after=after)
        return await self._real.post(target, key, body, after=after)

    async def posted(self, target: Stream, key: str) -> bool:
        return await self._real.posted(target, key)

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        return await self._real.receive(target, after=after)


async def write(store: MemoryStore, stream: Stream, *facts: Fact) -> None:
    version = await store.events.version(stream)
    await store.events.append(stream, facts, expected=version, key=f"k{version}")


@pytest.fixture
def store() -> MemoryStore:
    """A run of two stories; the first is in progress."""
    opened, steps = MemoryStore(), (planned("coding"), planned("final_review"))
    plan = replace(run_plan(asked(1), asked(2), steps=workflow(*steps)), run=RUN_ID)
    given = replace(assignment(asked(1)), run=RUN_ID)
    begun = run_facts.StoryDispatched(at=2, story=STORY_ID, slot=0)
    asyncio.run(write(opened, RUN, run_facts.RunStarted(at=1, plan=plan), begun))
    asyncio.run(write(opened, STORY, story_facts.StoryStarted(at=2, assignment=given, steps=steps)))
    return opened


def holding(store: MemoryStore, cause: HoldCause) -> None:
    asyncio.run(write(store, STORY, story_facts.StoryHeld(at=3, cause=cause, detail="well?")))


def said(word: Word, text: str = "") -> Reply:
    return Reply(run=RUN_ID, story=STORY_ID, word=word, text=text)


def replying(store: MemoryStore, word: Word, text: str = "") -> Act:
    return lambda: reply(store.events, store.inbox, said(word, text))


def stored(store: MemoryStore, target: Stream) -> list[Fact]:
    return [messages.read(target, message) for message in asyncio.run(store.inbox.receive(target, after=0))]


def adding(store: MemoryStore, title: str, *acts: Act, key: str = "", lost: bool = False) -> Act:
    def wanted(state: RunState) -> Fact:
        return run_facts.StoryAdded(at=0, story=new_story(state, NewStory(title=title)))

    return lambda: ask_for(store.events, Overtaken(store, *acts, lost=lost), RUN_ID, wanted, key or title)


def titles(store: MemoryStore) -> list[str]:
    return [each.title for each in asyncio.run(forecast(store.events, store.inbox, RUN_ID)).given.spec.stories][2:]


# Replies -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cause", "first", "second"),
    [
        (HoldCause.APPROVAL, (Word.APPROVE, ""), (Word.REJECT, "")),
        (HoldCause.APPROVAL, (Word.REJECT, "no"), (Word.REJECT, "never")),
        (HoldCause.EXHAUSTED, (Word.ANSWER, "tabs"), (Word.ANSWER, "blanks")),
    ],
)
def test_a_reply_that_another_reply_overtakes_is_refused(
    store: MemoryStore, cause: HoldCause, first: tuple[Word, str], second: tuple[Word, str]
) -> None:
    holding(store, cause)
    inbox = Overtaken(store, replying(store, *first))
    with pytest.raises(IntentError, match="US-001 asks something else now"):
        asyncio.run(reply(store.events, inbox, said(*second)))
    (released,) = stored(store, STORY)
    assert isinstance(released, story_facts.StoryReleased)
    assert (released.granted, released.answer) == (first[0] is not Word.REJECT, first[1])


@pytest.mark.parametrize("lost", [False, True])
def test_the_same_reply_at_the_same_time_is_accepted_and_stored_once(store: MemoryStore, *, lost: bool) -> None:
    holding(store, HoldCause.EXHAUSTED)
    acts = () if lost else (replying(store, Word.ANSWER, "tabs"),)
    inbox = Overtaken(store, *acts, lost=lost)
    assert asyncio.run(reply(store.events, inbox, said(Word.ANSWER, "tabs"))).detail == "well?"
    assert len(stored(store, STORY)) == 1


def test_a_reply_that_another_message_overtakes_is_checked_again(store: MemoryStore) -> None:
    holding(store, HoldCause.EXHAUSTED)
    paused = story_facts.StoryPaused(at=messages.UNREAD)
    inbox = Overtaken(store, lambda: messages.send(store.inbox, STORY, "pause", paused))
    asyncio.run(reply(store.events, inbox, said(Word.ANSWER, "tabs")))
    assert [type(fact) for fact in stored(store, STORY)] == [story_facts.StoryPaused, story_facts.StoryReleased]


def test_a_reply_to_a_question_that_another_message_has_settled_is_refused(store: MemoryStore) -> None:
    holding(store, HoldCause.EXHAUSTED)
    settled = story_facts.StoryReleased(at=messages.UNREAD, granted=True, answer="", hold=1)
    inbox = Overtaken(store, lambda: messages.send(store.inbox, STORY, "settled", settled))
    with pytest.raises(IntentError, match="US-001 is not waiting for an answer"):
        asyncio.run(reply(store.events, inbox, said(Word.ANSWER, "tabs")))
    assert stored(store, STORY) == [settled]


def test_an_approval_of_all_leaves_out_what_is_rejected_at_the_same_time(store: MemoryStore) -> None:
    holding(store, HoldCause.APPROVAL)
    inbox = Overtaken(store, replying(store, Word.REJECT, "no"))
    assert not asyncio.run(approve_all(store.events, inbox, [said(Word.APPROVE)]))
    (released,) = stored(store, STORY)
    assert isinstance(released, story_facts.StoryReleased)
    assert not released.granted


# Requests to a run ---------------------------------------------------------------------------------------------------


def test_a_story_that_another_one_overtakes_gets_the_next_id(store: MemoryStore) -> None:
    sent = asyncio.run(_sent(adding(store, "late", adding(store, "first"), adding(store, "second"))))
    assert isinstance(sent.intent, run_facts.StoryAdded)
    assert sent.intent.story.id == "US-005"
    assert [story.id for story in sent.before.given.spec.stories[2:]] == ["US-003", "US-004"]
    assert titles(store) == ["first", "second", "late"]


@pytest.mark.parametrize("lost", [False, True])
def test_a_request_with_a_key_that_is_known_is_the_earlier_request(store: MemoryStore, *, lost: bool) -> None:
    earlier = asyncio.run(_sent(adding(store, "once", key="k", lost=lost)))
    again = asyncio.run(_sent(adding(store, "twice", key="k")))
    assert earlier.intent == again.intent
    assert titles(store) == ["once"]


async def _sent(act: Act) -> Sent:
    sent = await act()
    assert isinstance(sent, Sent)
    return sent


def test_a_request_that_is_overtaken_too_often_is_refused(store: MemoryStore) -> None:
    others = [adding(store, f"other {number}") for number in range(MOST_CHECKS)]
    with pytest.raises(IntentError, match="nothing was requested") as caught:
        asyncio.run(_sent(adding(store, "late", *others)))
    assert caught.value.hint == "try again"
    assert len(titles(store)) == MOST_CHECKS
    asyncio.run(_sent(adding(store, "late", *others[1:])))


def test_a_request_is_refused_by_what_overtakes_it(store: MemoryStore) -> None:
    pause = run_facts.RunPaused(at=0)
    inbox = Overtaken(store, lambda: ask(store.events, store.inbox, RUN_ID, pause, "first"))
    with pytest.raises(IntentError, match="it is paused already"):
        asyncio.run(ask(store.events, inbox, RUN_ID, pause, "second"))
    assert stored(store, RUN) == [pause]


def test_a_pause_that_somebody_else_ends_at_the_same_time_has_ended(store: MemoryStore) -> None:
    asyncio.run(ask(store.events, store.inbox, RUN_ID, run_facts.RunPaused(at=0), "pause"))
    inbox = Overtaken(store, lambda: unpause(store.events, store.inbox, RUN_ID, "first"))
    asyncio.run(unpause(store.events, inbox, RUN_ID, "second"))
    assert stored(store, RUN) == [run_facts.RunPaused(at=0), run_facts.RunUnpaused(at=0)]


def test_a_pause_of_a_run_that_is_over_cannot_be_ended(store: MemoryStore) -> None:
    over = run_facts.RunEnded(at=4, status=RunStatus.CANCELLED)
    asyncio.run(write(store, RUN, run_facts.RunPaused(at=3), over))
    with pytest.raises(IntentError, match="run r1 is over"):
        asyncio.run(unpause(store.events, store.inbox, RUN_ID, "k"))


# Steps of a story ----------------------------------------------------------------------------------------------------


def test_an_edit_of_steps_is_refused_by_an_edit_that_overtakes_it(store: MemoryStore) -> None:
    split = StepRequest(run=RUN_ID, story=STORY_ID, wanted=step_edits.split("step-001", ("a", "b")))
    inbox = Overtaken(store, lambda: step_edits.request(store.events, store.inbox, split, "first"))
    with pytest.raises(IntentError, match="US-001 has no step step-001"):
        asyncio.run(step_edits.request(store.events, inbox, split, "second"))
    assert len(stored(store, STORY)) == 1
