"""When a process has nothing more to do: not while an answer is being delivered to the story that waits for it."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from shiftwork.app.commands.intents import ask
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.commands.steering import pauses_now, rests_now
from shiftwork.app.runtime.context import Context, Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.ids import RunId, StoryId, Stream, story_stream
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.ports.store import Inbox, Message
from tests.app.attempt.test_questions import BLOCKED, FIRST, asking, held
from tests.app.rig import SHORT, Rig, done, honest


@dataclass(frozen=True, kw_only=True)
class TakenMeanwhile:
    """An inbox from which the story takes its answer while another process reads it."""

    real: Inbox
    board: Board

    async def posted(self, target: Stream, key: str) -> bool:
        return await self.real.posted(target, key)

    async def receive(self, target: Stream, *, after: int) -> Sequence[Message]:
        for stream in self.board.stories:
            released = story_facts.StoryReleased(at=1.0, granted=True, answer="blanks")
            self.board.see(Sighting(stream=stream, what=released))
        return await self.real.receive(target, after=after)

    async def wait(self, target: Stream, *, after: int, seconds: float | None = None) -> Sequence[Message]:
        return await self.real.wait(target, after=after, seconds=seconds)

    async def unread(self, cursors: Mapping[Stream, int]) -> frozenset[Stream]:
        return await self.real.unread(cursors)

    def listen(self, woken: Callable[[Stream], None]) -> AbstractContextManager[None]:
        return self.real.listen(woken)

    async def post(self, target: Stream, key: str, body: dict[str, object], *, after: int | None = None) -> bool:
        return await self.real.post(target, key, body, after=after)


def test_a_run_rests_while_its_story_waits_and_not_once_the_answer_is_taken(rig: Rig) -> None:
    rig.script, _ = asking(BLOCKED)

    async def looked(context: Context, run: RunId) -> bool:
        assert not await rests_now(Board(), context, run), "nothing is known to wait"
        story = await held(rig, run)
        board = Board(stories={story_stream(run, StoryId(FIRST)): story})
        async with asyncio.timeout(60):
            while not await rests_now(board, context, run):  # the run has not received it yet
                await asyncio.sleep(0.01)
        inbox = TakenMeanwhile(real=context.inbox, board=board)
        return await rests_now(board, replace(context, inbox=inbox), run)

    async def scenario() -> bool:
        async with rig.open() as context:
            return await looked(context, await rig.start(context, workflow=SHORT))

    assert not asyncio.run(scenario())


def test_a_paused_run_has_nothing_to_do_when_its_attempts_have_ended_until_the_pause_ends(rig: Rig) -> None:
    rig.script = honest(coding=[done(pause=0.5)])
    board = Board()

    def watch(sighting: Sighting) -> None:
        board.see(sighting)

    rig.watch = watch

    async def until(wanted: bool, context: Context, run: RunId) -> None:  # noqa: FBT001 - what is waited for
        async with asyncio.timeout(60):
            while await pauses_now(board, context, run) is not wanted:
                await asyncio.sleep(0.01)

    async def scenario() -> None:
        async with rig.open() as context:
            run = await rig.start(context, workflow=SHORT)
            stream = story_stream(run, StoryId(FIRST))
            while stream not in board.stories or board.idle:
                await asyncio.sleep(0.01)
            assert not await pauses_now(board, context, run), "nobody has paused it"
            await ask(rig.store.events, rig.store.inbox, run, run_facts.RunPaused(at=0), "p")
            assert not await pauses_now(board, context, run), "an attempt is in progress"
            await until(True, context, run)
            assert board.stories[stream].control.paused
            await ask(rig.store.events, rig.store.inbox, run, run_facts.RunUnpaused(at=0), "u")
            assert not await pauses_now(board, context, run), "the end of the pause is unread, or was read"
            assert (await wait_for(context, run)).status is RunStatus.COMPLETED

    asyncio.run(scenario())
