"""The stream of events: clients that come, go and come back miss nothing, and see nothing twice."""

import asyncio
import contextlib
import random
import sqlite3
import time
from collections.abc import AsyncIterator, Sequence

import pytest

from shiftwork.bootstrap.state.read_only import open_feed, open_queries
from shiftwork.config.access.tokens import Role
from shiftwork.domain.core.ids import RunId, StepId, Stream, run_stream
from shiftwork.domain.story.facts.steps import NoteWritten
from shiftwork.entrypoints.api.events.stream import events
from shiftwork.entrypoints.api.events.window import EventWindow
from shiftwork.errors import StoreError
from shiftwork.ports.store import FeedPart, Recorded
from shiftwork.ports.views import SnapshotRow
from tests.api.api_rig import Received, Stage, events_of, followed, paths, served
from tests.api.event_clients import EventClient
from tests.json_documents import check
from tests.patience import SECONDS, Stopwatch

CLIENTS, NOTES = 20, 120
RUN = run_stream(RunId("r1"))


def note(stage: Stage, stream: Stream, number: int) -> None:
    stage.write(stream, NoteWritten(at=float(number), by=StepId("step-001"), text=f"note {number}"))


def newest(stage: Stage) -> int:
    return asyncio.run(open_feed(stage.site).tail(0))


def test_a_stream_begins_now_and_continues_after_the_last_event_that_a_client_has(stage: Stage) -> None:
    stage.start_run()
    word = stage.words[Role.VIEWER]
    with served(stage) as url:
        with followed(url, word) as stream:
            ready = next(stream)
            assert (ready.event, ready.id) == ("ready", newest(stage))
            check(ready.data)
            first = stage.start_story()
            live = [next(stream), next(stream)]
        for number in range(5):
            note(stage, first, number)
        with followed(url, word, live[0].id) as stream:
            rest = [next(stream) for _ in range(6)]
        for received in (*live, *rest):
            check(received.data)
        assert rest[0] == live[1]
        assert paths(rest) == list(range(live[1].id, live[1].id + 6))
        with followed(url, word, 0) as stream:
            whole = [next(stream) for _ in range(newest(stage))]
        assert [each.data["kind"] for each in whole][:2] == ["run_started", "updated"]
        assert {each.data["run"] for each in whole} == {"r1"}
        with followed(url, word, after=str(rest[-2].id)) as stream:
            assert next(stream) == rest[-1], "the same as a parameter, for a first connection"


def test_a_client_can_follow_one_run(stage: Stage) -> None:
    for run in ("r1", "q2"):
        stage.start_run(run)
    with served(stage) as url, followed(url, stage.words[Role.VIEWER], 0, run="q") as stream:
        assert next(stream).data["run"] == "q2"
        stage.start_story("r1")
        stage.start_story("q2")
        assert next(stream).data["run"] == "q2"


def test_a_stream_ends_when_its_token_is_revoked(stage: Stage) -> None:
    stage.start_run()
    note(stage, stage.start_story(), 1)
    last, allowed = newest(stage), [True]

    async def follow() -> None:
        following = events(window(stage, 1 << 20), last - 2, valid=lambda: allowed[0])
        assert paths(await taken(following, 2)) == [last - 1, last]
        allowed[0] = False
        assert [text async for text in following] == []

    asyncio.run(follow())


@pytest.mark.parametrize("value", ["-1", "x", "1e3", str(1 << 60)])
def test_a_place_that_is_none_is_refused(stage: Stage, value: str) -> None:
    with stage.client() as client:
        headers = {**stage.bearer(Role.VIEWER), "last-event-id": value}
        assert client.get("/api/v1/events", headers=headers).status_code == 422


def test_a_stream_ends_when_the_server_does(stage: Stage) -> None:
    server = contextlib.ExitStack()
    url = server.enter_context(served(stage))
    with followed(url, stage.words[Role.VIEWER]) as stream:
        assert next(stream).event == "ready"
        watch = Stopwatch()
        server.close()
        assert watch.within(3)
        assert list(stream) == []


def test_clients_that_are_cut_off_at_random_all_see_every_event_once(stage: Stage) -> None:
    """The short form of `just follow-events`."""
    stage.start_run()
    streams = [stage.start_story(number=number) for number in (1, 2, 3)]
    final = newest(stage) + NOTES
    clients = [EventClient(last=0, chance=random.Random(seed)) for seed in range(CLIENTS)]  # noqa: S311 - seeded

    def write() -> None:
        for number in range(NOTES):
            note(stage, streams[number % 3], number)
            time.sleep(0.005)

    async def follow(url: str) -> None:
        word = stage.words[Role.VIEWER]
        following = (client.follow(url, word, lambda: final, seconds=0.2) for client in clients)
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(asyncio.to_thread(write), *following)

    with served(stage) as url:
        asyncio.run(follow(url))
    assert [client.faults for client in clients] == [[]] * CLIENTS
    assert {client.last for client in clients} == {final}
    assert len({client.state.digest() for client in clients}) == 1
    assert sum(client.connections for client in clients) > CLIENTS, "some were cut off"


# The window ----------------------------------------------------------------------------------------------------------


async def taken(stream: AsyncIterator[str], count: int) -> list[Received]:
    """The next events of a stream, from its text."""
    lines: list[str] = []
    while sum(line.startswith("data:") for line in lines) < count:
        lines += (await anext(stream)).split("\n")[:-1]
    return list(events_of(iter(lines)))


def window(stage: Stage, size: int) -> EventWindow:
    return EventWindow(open_feed(stage.site), open_queries(stage.site).history, size)


def test_a_client_that_missed_more_than_the_window_is_reset(stage: Stage) -> None:
    stage.start_run()
    stream = stage.start_story()
    for number in range(40):
        note(stage, stream, number)
    last = newest(stage)

    async def follow() -> None:
        small = window(stage, 4000)
        (reset,) = await taken(events(small, 1), 1)
        check(reset.data)
        assert (reset.event, reset.id) == ("reset", last)
        replayed = await taken(events(small, last - 3), 3)
        assert paths(replayed) == [last - 2, last - 1, last]
        assert sum(len(sent.text) for sent in small.after(0, 1 << 30)) <= 4000
        (foreign,) = await taken(events(small, last + 1000), 1)
        assert (foreign.event, foreign.id) == ("reset", last), "a place of another database"

    asyncio.run(follow())


def test_a_client_that_is_too_slow_is_reset_and_then_follows(stage: Stage) -> None:
    stage.start_run()
    stream = stage.start_story()

    async def follow() -> None:
        small = window(stage, 2000)
        slow = events(small, None)
        (ready,) = await taken(slow, 1)
        for number in range(30):
            await asyncio.to_thread(note, stage, stream, number)
        while small.end < ready.id + 30:
            await asyncio.sleep(0.01)
        (reset,) = await taken(slow, 1)
        assert (reset.event, reset.id) == ("reset", ready.id + 30)
        await asyncio.to_thread(note, stage, stream, 30)
        (live,) = await taken(slow, 1)
        assert (live.event, live.id) == ("change", ready.id + 31)

    asyncio.run(follow())


class Unreachable:
    """A feed and a history whose database cannot be read at chosen calls, counted from 1."""

    def __init__(self, stage: Stage, *, parts: tuple[int, ...] = (), streams: tuple[int, ...] = ()) -> None:
        self._feed, self._history = open_feed(stage.site), open_queries(stage.site).history
        self._failing = {"part": parts, "stream": streams}
        self._calls = {"part": 0, "stream": 0}
        self._newest = 0

    def _count(self, call: str) -> None:
        self._calls[call] += 1
        if self._calls[call] in self._failing[call]:
            raise StoreError("the database cannot be reached")

    async def after(self, position: int, *, limit: int) -> FeedPart:
        self._count("part")
        return await self._feed.after(position, limit=limit)

    async def tail(self, size: int) -> int:
        return await self._feed.tail(size)

    async def written(self) -> object:
        return await self._feed.written()

    async def changed(self) -> None:
        seen = self._newest
        while seen == self._newest:
            self._newest = await self._feed.tail(0)
            await asyncio.sleep(0.01)

    async def read(self, stream: Stream, *, after: int = 0, upto: int | None = None, **_: object) -> Sequence[Recorded]:
        self._count("stream")
        return await self._history.read(stream, after=after, upto=upto)

    async def version(self, stream: Stream) -> int:
        return await self._history.version(stream)

    async def snapshot(self, stream: Stream) -> SnapshotRow | None:
        return await self._history.snapshot(stream)


def test_an_event_comes_after_the_database_was_unreachable_without_another_write(stage: Stage) -> None:
    stage.start_run()
    stream = stage.start_story()

    async def follow() -> None:
        broken = Unreachable(stage, parts=(3,))  # caught up, caught up as a follower, then after a change
        following = events(EventWindow(broken, broken, 1 << 20), None)
        (ready,) = await taken(following, 1)
        await asyncio.sleep(0.3)
        await asyncio.to_thread(note, stage, stream, 1)
        async with asyncio.timeout(SECONDS):
            (live,) = await taken(following, 1)
        assert (live.event, live.id) == ("change", ready.id + 1)

    asyncio.run(follow())


def test_events_that_were_read_before_an_error_come_once(stage: Stage) -> None:
    stage.start_run()
    for stream in [stage.start_story(number=number) for number in (1, 2)]:
        note(stage, stream, 1)
    last = newest(stage)

    async def follow() -> None:
        broken = Unreachable(stage, streams=(2,))  # the second of two stories that the window has not seen
        window = EventWindow(broken, broken, 1 << 20)
        window.start = window.end = last - 2
        with pytest.raises(StoreError):
            async with window.listening():
                pass
        assert paths(await taken(events(window, last - 2), 2)) == [last - 1, last]

    asyncio.run(follow())


def test_a_fact_of_a_newer_release_is_an_event_without_text(stage: Stage) -> None:
    stage.start_run()
    stream = stage.start_story()
    note(stage, stream, 1)
    before = newest(stage) - 1
    with contextlib.closing(sqlite3.connect(stage.site.own_store)) as connection, connection:
        connection.execute("UPDATE facts SET kind = 'SomethingNewer' WHERE position = ?", (before + 1,))
    note(stage, stream, 2)

    async def follow() -> None:
        received = await taken(events(window(stage, 1 << 20), before), 2)
        for each in received:
            check(each.data)
        assert [(each.data["kind"], each.data["story"]) for each in received] == [("updated", "US-001")] * 2

    asyncio.run(follow())


def test_the_feed_is_followed_only_while_somebody_listens(stage: Stage) -> None:
    async def follow() -> None:
        one = window(stage, 2000)
        first, second = events(one, None), events(one, None)
        await taken(first, 1)
        await taken(second, 1)
        assert one.clients == 2
        for stream in (first, second):
            await stream.aclose()  # type: ignore[attr-defined]  # a generator
        assert one.clients == 0
        await asyncio.sleep(0)
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []

    asyncio.run(follow())
