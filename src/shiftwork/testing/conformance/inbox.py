"""What every inbox must do."""

# ruff: noqa: S101 - suites use assert

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import pytest

from shiftwork.domain.core.ids import Stream
from shiftwork.ports.store import Inbox, Message
from shiftwork.testing.conformance.store_stage import Handles, InboxHandles, awaited, together

_fresh = itertools.count(1)


def _target() -> Stream:
    return Stream(f"run/{next(_fresh)}")


async def _follow(inbox: Inbox, target: Stream, count: int) -> list[Message]:
    """Read as a job does: always after the last position seen."""
    seen: list[Message] = []
    while len(seen) < count:
        seen += await inbox.wait(target, after=seen[-1].position if seen else 0)
    return seen


async def _until(wanted: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not wanted():  # noqa: ASYNC110 - a listener is a plain function
            await asyncio.sleep(0.01)


BOTH: Final = 2


class MessageBoxConformance:
    """For inboxes without waiting. Subclass it and define a fixture `handles`."""

    @awaited
    async def test_messages_come_in_order_after_a_position(self, handles: InboxHandles) -> None:
        inbox, target = handles().inbox, _target()
        assert not await inbox.receive(target, after=0)
        for number in range(3):
            await inbox.post(target, f"k{number}", {"number": number, "text": "ü\0\udc80"})
        await inbox.post(_target(), "k", {})
        messages = await inbox.receive(target, after=0)
        assert [message.key for message in messages] == ["k0", "k1", "k2"]
        assert [message.body["number"] for message in messages] == [0, 1, 2]
        assert messages[0].body["text"] == "ü\0\udc80"
        assert messages[0].position < messages[1].position < messages[2].position
        assert list(await inbox.receive(target, after=messages[0].position)) == list(messages[1:])
        assert not await inbox.receive(target, after=messages[2].position)

    @awaited
    async def test_a_key_is_posted_once_and_its_first_body_stays(self, handles: InboxHandles) -> None:
        inbox, target = handles().inbox, _target()
        assert await inbox.post(target, "k", {"first": True})
        assert not await inbox.post(target, "k", {"first": False})
        assert await inbox.post(target, "l", {})
        (message, _) = await inbox.receive(target, after=0)
        assert message.body == {"first": True}
        assert [found.key for found in await inbox.receive(target, after=message.position)] == ["l"]

    @awaited
    async def test_whether_a_key_was_posted_is_known_to_all_and_for_each_target_apart(
        self, handles: InboxHandles
    ) -> None:
        inbox, target = handles().inbox, _target()
        assert not await inbox.posted(target, "k")
        await inbox.post(target, "k", {})
        await inbox.receive(target, after=0)
        assert await inbox.posted(target, "k")
        assert await handles().inbox.posted(target, "k")
        assert not await inbox.posted(target, "l")
        assert not await inbox.posted(_target(), "k")

    @awaited
    async def test_a_stored_body_is_private(self, handles: InboxHandles) -> None:
        inbox, target, body = handles().inbox, _target(), {"words": ["a"]}
        await inbox.post(target, "k", body)
        body["words"].append("b")
        (message,) = await inbox.receive(target, after=0)
        assert message.body == {"words": ["a"]}

    @awaited
    async def test_one_message_posted_by_many_at_once_is_there_once(self, handles: InboxHandles) -> None:
        target = _target()
        inboxes = [handles().inbox for _ in range(4)]
        results = await together([partial(inbox.post, target, "k", {}) for inbox in inboxes])
        assert sorted(results, key=bool) == [False, False, False, True]
        assert len(await inboxes[0].receive(target, after=0)) == 1

    @awaited
    async def test_nothing_is_posted_after_a_position_if_the_target_has_a_later_message(
        self, handles: InboxHandles
    ) -> None:
        inbox, target = handles().inbox, _target()
        assert await inbox.post(target, "k", {"text": "100 % 'of' it?; \\ ü\0"}, after=0)
        assert await inbox.post(_target(), "k", {})
        (first,) = await inbox.receive(target, after=0)
        assert first.body == {"text": "100 % 'of' it?; \\ ü\0"}
        assert not await inbox.post(target, "l", {}, after=first.position - 1)
        assert not await inbox.posted(target, "l")
        assert not await inbox.post(target, "k", {}, after=first.position), "it was posted"
        assert await inbox.post(target, "l", {}, after=first.position)
        assert await inbox.post(target, "m", {}, after=first.position + 1000)
        assert [message.key for message in await inbox.receive(target, after=0)] == ["k", "l", "m"]

    @awaited
    async def test_of_many_who_have_seen_the_same_messages_one_posts(self, handles: InboxHandles) -> None:
        target, inboxes, seen = _target(), [handles().inbox for _ in range(4)], 0
        for turn in range(10):
            acts = [
                partial(inbox.post, target, f"{turn}-{number}", {}, after=seen) for number, inbox in enumerate(inboxes)
            ]
            assert sorted(await together(acts), key=bool) == [False, False, False, True]
            (message,) = await inboxes[0].receive(target, after=seen)
            seen = message.position

    @awaited
    async def test_no_message_comes_between_what_was_seen_and_what_was_posted_after_it(
        self, handles: InboxHandles
    ) -> None:
        """Also not the message of somebody who posts without having looked."""
        target, posts = _target(), 12
        inboxes = [handles().inbox for _ in range(4)]

        async def careful(number: int) -> None:
            for post in range(posts):
                while True:
                    known = await inboxes[number].receive(target, after=0)
                    seen = known[-1].position if known else 0
                    if await inboxes[number].post(target, f"{number}-{post}", {"seen": seen}, after=seen):
                        break

        async def careless(number: int) -> None:
            for post in range(posts):
                assert await inboxes[number].post(target, f"{number}-{post}", {})

        acts = [partial(careful, 0), partial(careful, 1), partial(careful, 2), partial(careless, 3)]
        assert await together(acts) == [None] * 4
        messages = await inboxes[0].receive(target, after=0)
        assert len(messages) == posts * len(inboxes)
        before = 0
        for message in messages:
            assert message.body.get("seen", before) == before
            before = message.position


class InboxConformance(MessageBoxConformance):
    """Subclass it and define a fixture `handles`."""

    @awaited
    async def test_waiting_gives_at_once_what_is_there(self, handles: Handles) -> None:
        inbox, target = handles().inbox, _target()
        await inbox.post(target, "k", {})
        assert list(await inbox.wait(target, after=0)) == list(await inbox.receive(target, after=0))

    @awaited
    async def test_waiting_ends_with_a_message_from_this_handle_and_from_another(self, handles: Handles) -> None:
        inbox, target = handles().inbox, _target()
        position = 0
        for key, poster in (("near", inbox), ("far", handles().inbox)):
            waiting = asyncio.create_task(inbox.wait(target, after=position))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            await poster.post(_target(), key, {})
            await poster.post(target, key, {})
            (message,) = await asyncio.wait_for(waiting, 60)
            assert message.key == key
            position = message.position

    @awaited
    async def test_a_wait_with_a_limit_ends_without_a_message_after_it(self, handles: Handles) -> None:
        inbox, target = handles().inbox, _target()
        assert not await inbox.wait(target, after=0, seconds=0.05)
        await inbox.post(target, "k", {})
        (message,) = await inbox.wait(target, after=0, seconds=0.05)
        assert not await inbox.wait(target, after=message.position, seconds=0.05)

    @awaited
    async def test_the_targets_with_messages_after_a_position_are_found_in_one_question(self, handles: Handles) -> None:
        inbox, poster = handles().inbox, handles().inbox
        read, unread, empty, other = (_target() for _ in range(4))
        for target in (read, unread, other):
            await poster.post(target, "k", {})
        (message,) = await inbox.receive(read, after=0)
        assert await inbox.unread({read: message.position, unread: 0, empty: 0}) == {unread}
        await poster.post(read, "l", {})
        assert await inbox.unread({read: message.position, unread: 0, empty: 0}) == {read, unread}
        assert not await inbox.unread({})

    @awaited
    async def test_a_message_from_another_thread_and_loop_wakes(self, handles: Handles) -> None:
        inbox, target = handles().inbox, _target()

        async def wait() -> str:
            return (await inbox.wait(target, after=0))[0].key

        async def post() -> str:
            await asyncio.sleep(0.05)
            await inbox.post(target, "k", {})
            return ""

        assert await together([wait, wait, post]) == ["k", "k", ""]

    @awaited
    async def test_a_wait_can_be_cancelled_and_taken_up_again(self, handles: Handles) -> None:
        inbox, target = handles().inbox, _target()
        for pause in (0.0, 0.01, 0.4):
            waiting = asyncio.create_task(inbox.wait(target, after=0))
            await asyncio.sleep(pause)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await inbox.post(target, "k", {})
        assert [message.key for message in await inbox.wait(target, after=0)] == ["k"]

    @awaited
    async def test_no_message_slips_past_a_reader_that_follows(self, handles: Handles) -> None:
        target, posts = _target(), 25
        reader, *posters = [handles().inbox for _ in range(4)]

        async def post(number: int) -> list[Message]:
            for post in range(posts):
                await posters[number].post(target, f"{number}-{post}", {})
            return []

        async def follow() -> list[Message]:
            return await asyncio.wait_for(_follow(reader, target, posts * len(posters)), 90)

        acts: list[Callable[[], Awaitable[list[Message]]]] = [partial(post, number) for number in range(len(posters))]
        seen, *_ = await together([follow, *acts])
        assert not isinstance(seen, Exception)
        positions = [message.position for message in seen]
        assert positions == sorted(set(positions))
        assert {message.key for message in seen} == {f"{n}-{p}" for n in range(len(posters)) for p in range(posts)}

    @awaited
    async def test_a_listener_is_called_for_every_target_that_this_handle_or_another_posts_to(
        self, handles: Handles
    ) -> None:
        inbox, called = handles().inbox, list[Stream]()
        near, far, again = _target(), _target(), _target()
        with inbox.listen(called.append), inbox.listen(lambda target: called.append(target)):  # noqa: PLW0108 - two
            await inbox.post(near, "k", {})
            await _until(lambda: called.count(near) == BOTH)
            await handles().inbox.post(far, "k", {})
            await _until(lambda: called.count(far) == BOTH)
            await inbox.post(near, "k", {})  # known already: nothing is posted
            await inbox.post(again, "k", {})
            await _until(lambda: called.count(again) == BOTH)
        await inbox.post(_target(), "k", {})
        await asyncio.sleep(0.5)
        assert sorted(called) == sorted([near, far, again] * BOTH)

    @awaited
    async def test_each_listener_is_called_on_its_own_loop(self, handles: Handles) -> None:
        inbox, target = handles().inbox, _target()

        async def listen() -> bool:
            loops = list[asyncio.AbstractEventLoop]()
            with inbox.listen(lambda _: loops.append(asyncio.get_running_loop())):
                await _until(lambda: bool(loops))
            return set(loops) == {asyncio.get_running_loop()}

        async def post() -> bool:
            await asyncio.sleep(0.2)
            await inbox.post(target, "k", {})
            return True

        assert await together([listen, listen, post]) == [True, True, True]

    @awaited
    async def test_nothing_is_lost_however_often_someone_starts_and_stops_listening(self, handles: Handles) -> None:
        inbox, poster, called = handles().inbox, handles().inbox, list[Stream]()
        for _ in range(10):
            with inbox.listen(called.append):
                await poster.post(target := _target(), "k", {})
                await _until(partial(called.__contains__, target))

    @awaited
    async def test_hundreds_who_wait_are_each_woken_by_their_own_message(self, handles: Handles) -> None:
        inbox, poster, targets = handles().inbox, handles().inbox, [_target() for _ in range(200)]
        waiting = [asyncio.create_task(inbox.wait(target, after=0)) for target in targets]
        await asyncio.sleep(0.5)
        for target in targets:
            await poster.post(target, target, {})
        arrived = await asyncio.wait_for(asyncio.gather(*waiting), 60)
        assert [message.key for (message,) in arrived] == targets
