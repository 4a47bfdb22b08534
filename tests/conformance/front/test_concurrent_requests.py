"""Several processes send requests to one run at the same moment, on a real database: none is lost without notice."""

import asyncio
import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from shiftwork.adapters.store.open import Store, open_store
from shiftwork.adapters.store.plain_store import open_plain_store
from shiftwork.app.commands.intents import ask_for
from shiftwork.app.commands.replies import Reply, Word, reply
from shiftwork.app.commands.runs import forecast
from shiftwork.app.commands.steering import NewStory, new_story
from shiftwork.app.messaging import messages
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, Stream, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import Hold, HoldCause
from shiftwork.errors import IntentError
from shiftwork.records import replace
from shiftwork.testing.builders import asked, assignment, planned, run_plan, workflow
from shiftwork.testing.conformance.store_stage import together

RUN_ID, STORY_ID = RunId("r1"), StoryId("US-001")
RUN, STORY = run_stream(RUN_ID), story_stream(RUN_ID, STORY_ID)
SENDERS, QUESTIONS, ADDED_BY_EACH = 6, 5, 3


async def write(store: Store, stream: Stream, *facts: Fact) -> None:
    version = await store.events.version(stream)
    await store.events.append(stream, facts, expected=version, key=f"k{version}")


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A run of two stories; the first is in progress."""
    steps = (planned("coding"), planned("final_review"))
    plan = replace(run_plan(asked(1), asked(2), steps=workflow(*steps)), run=RUN_ID)
    given = replace(assignment(asked(1)), run=RUN_ID)
    with contextlib.closing(open_store(database_url)) as opened:
        begun = run_facts.StoryDispatched(at=2, story=STORY_ID, slot=0)
        asyncio.run(write(opened, RUN, run_facts.RunStarted(at=1, plan=plan), begun))
        asyncio.run(write(opened, STORY, story_facts.StoryStarted(at=2, assignment=given, steps=steps)))
        yield opened


async def answered(url: str, text: str) -> Hold:
    box = await open_plain_store(url)
    return await reply(box.history, box.inbox, Reply(run=RUN_ID, story=STORY_ID, word=Word.ANSWER, text=text))


async def added(url: str, name: str) -> list[str]:
    """As a command does it, and as a process that works on a run does it."""

    def wanted(state: RunState) -> Fact:
        return run_facts.StoryAdded(at=0, story=new_story(state, NewStory(title=name)))

    box = await open_plain_store(url)
    with contextlib.closing(open_store(url)) as other:
        inboxes = (box.inbox, other.inbox)
        sent = [
            await ask_for(box.history, inboxes[number % 2], RUN_ID, wanted, f"{name}/{number}")
            for number in range(ADDED_BY_EACH)
        ]
    return [str(each.intent.story.id) for each in sent if isinstance(each.intent, run_facts.StoryAdded)]


def test_of_different_answers_at_the_same_time_one_is_accepted(store: Store, database_url: str) -> None:
    async def question(number: int) -> tuple[list[Any], str]:
        await write(store, STORY, story_facts.StoryHeld(at=3, cause=HoldCause.EXHAUSTED, detail="tabs or blanks?"))
        results = await together([partial(answered, database_url, f"answer {each}") for each in range(SENDERS)])
        stored = await messages.stored(store.inbox, STORY, f"release/{number}")
        assert isinstance(stored, story_facts.StoryReleased)
        unread = await store.inbox.receive(STORY, after=0)
        await write(store, STORY, *messages.facts_of(STORY, unread[-1:], 4.0))
        return results, stored.answer

    for number in range(1, QUESTIONS + 1):
        results, stored = asyncio.run(question(number))
        accepted = [f"answer {each}" for each, result in enumerate(results) if isinstance(result, Hold)]
        assert accepted == [stored]
        assert [type(result) for result in results if not isinstance(result, Hold)] == [IntentError] * (SENDERS - 1)


def test_the_same_answer_at_the_same_time_is_accepted_or_refused_and_stored_once(
    store: Store, database_url: str
) -> None:
    asyncio.run(write(store, STORY, story_facts.StoryHeld(at=3, cause=HoldCause.EXHAUSTED, detail="tabs or blanks?")))
    results = asyncio.run(together([partial(answered, database_url, "tabs")] * SENDERS))
    assert {type(result) for result in results} <= {Hold, IntentError}
    assert any(isinstance(result, Hold) for result in results)
    assert len(asyncio.run(store.inbox.receive(STORY, after=0))) == 1


def test_stories_added_at_the_same_time_are_all_in_the_run(store: Store, database_url: str) -> None:
    results = asyncio.run(together([partial(added, database_url, f"story of {each}") for each in range(SENDERS)]))
    after = asyncio.run(forecast(store.events, store.inbox, RUN_ID))
    titles = {str(story.id): story.title for story in after.given.spec.stories}
    assert len(titles) == 2 + SENDERS * ADDED_BY_EACH
    for each, result in enumerate(results):
        assert not isinstance(result, Exception), result
        assert [titles[story] for story in result] == [f"story of {each}"] * ADDED_BY_EACH
