"""No message between streams is skipped: what cannot be read stays unread."""

import asyncio

import pytest

from shiftwork.app.messaging import messages
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import RunId, StoryId, run_stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.story import facts as story_facts
from shiftwork.errors import CodecError
from shiftwork.ports.store import Message
from tests.app.rig import Rig

RUN = RunId("r1")
STORY = story_stream(RUN, StoryId("US-001"))


def test_a_message_is_read_as_the_fact_that_was_sent(rig: Rig) -> None:
    async def scenario() -> None:
        released = story_facts.StoryReleased(at=messages.UNREAD, granted=True, answer="yes")
        await messages.send(rig.store.inbox, STORY, "answer", released)
        await messages.send(rig.store.inbox, STORY, "cancel", story_facts.StoryCancelRequested(at=messages.UNREAD))
        received = await rig.store.inbox.receive(STORY, after=0)
        assert messages.holds(received, story_facts.StoryCancelRequested)
        assert not messages.holds(received[:1], story_facts.StoryCancelRequested)
        assert messages.facts_of(STORY, received, at=7.0) == (
            story_facts.StoryReleased(at=7.0, granted=True, answer="yes"),
            story_facts.StoryCancelRequested(at=7.0),
            MessagesRead(at=7.0, upto=received[-1].position),
        )

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"kind": "StoryPostponed", "version": 1, "body": {"at": 0.0}}, "does not know"),
        ({"kind": "StoryPaused", "version": 2, "body": {"at": 0.0}}, "does not know"),
        ({"kind": "StoryReleased", "version": 1, "body": {"at": 0.0}}, "cannot be read"),
        ({"type": "cancel"}, "cannot be read"),
        ({"kind": "CancelRequested", "version": 1, "body": {"at": 0.0}}, "which a run reads"),
    ],
    ids=["unknown", "newer", "incomplete", "no fact", "of another stream"],
)
def test_what_cannot_be_read_is_an_error(body: dict[str, object], why: str) -> None:
    known = Message(position=1, key="cancel", body={"kind": "StoryPaused", "version": 1, "body": {"at": 0.0}})
    unknown = Message(position=2, key="other", body=body)
    with pytest.raises(CodecError, match=why):
        messages.facts_of(STORY, [known, unknown], at=1.0)


def test_a_run_stops_at_a_message_that_it_cannot_read_and_leaves_it_unread(rig: Rig) -> None:
    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context)
            stream = run_stream(run)
            await context.inbox.post(stream, "later", {"kind": "RunMoved", "version": 1, "body": {"at": 0.0}})
            error = await asyncio.wait_for(context.failure.wait(), timeout=60)
            assert isinstance(error, CodecError)
            assert "RunMoved" in error.message
            received = await context.inbox.receive(stream, after=0)
            read = [fact for fact in await rig.facts(run, "") if isinstance(fact, MessagesRead)]
            assert all(fact.upto < received[-1].position for fact in read)
            assert [fact for fact in await rig.facts(run, "") if isinstance(fact, run_facts.RunEnded)] == []

    asyncio.run(scenario())
