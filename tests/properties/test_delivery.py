"""No message is lost: a story reads every answer, however slow its store is and whenever its process is suspended."""

import asyncio
import random
from dataclasses import replace
from typing import Any, cast

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.adapters.engine.in_process import InProcessEngine
from shiftwork.adapters.store.in_memory import MemoryInbox, MemoryStore
from shiftwork.adapters.store.wakeup import WakeUps
from shiftwork.app.folds import STORY, load
from shiftwork.app.loop import Loop, continued_by_messages
from shiftwork.app.messaging import messages, run_inbox
from shiftwork.app.perform import STORY_PERFORMERS, Performer
from shiftwork.app.runtime.context import Context, WorkPolicy, job_of
from shiftwork.app.runtime.recorder import StoryRecorder
from shiftwork.app.runtime.streams import STORY_KIND
from shiftwork.domain.core.effect import Effect, Receive
from shiftwork.domain.core.fact import Fact, MessagesRead
from shiftwork.domain.core.ids import StoryId, Stream, story_stream
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import ENDED, StoryState
from shiftwork.ports.engine import Job
from shiftwork.ports.store import Message
from shiftwork.ports.views import Owner
from shiftwork.testing.builders import RUN, asked, assignment, planned
from shiftwork.testing.simulation.simulation import Chance
from shiftwork.testing.simulation.story import StorySimulation
from shiftwork.testing.simulation.suspended_process import SUSPENSIONS, LoopClock, SeededChance, run_suspended
from shiftwork.testing.strategies import QUICK

STEPS = (planned("planning"), planned("coding"), planned("final_review"))
DELAYS = (0.0, 0.0, 0.05, 0.3, 1.5, 4.0)
"""How long a read of the store takes, or a person or another process, in seconds."""

HOUR = 3600.0

UNUSED_PORTS = (
    *("agents", "attempt_folders", "notebook", "workspaces", "repository", "gates", "canary"),
    *("protecting", "inspector", "changes", "specs", "reaper", "record"),
)


class DelayedWakeUps(WakeUps):
    """Wake-ups of the watcher's thread: they come a little later; some never come, if they `get_lost`."""

    def __init__(self, chance: Chance, *, get_lost: bool) -> None:
        super().__init__()
        self._chance = chance
        self._fates = (True, True, False) if get_lost else (True,)

    def wake(self, target: str) -> None:
        if self._chance.pick(self._fates):
            asyncio.get_running_loop().call_later(self._chance.pick((0.0, 0.2)), super().wake, target)


class BusyInbox(MemoryInbox):
    """An inbox in a store that other work keeps busy, before the read of the messages and after it."""

    def __init__(self, chance: Chance, *, lost_wake_ups: bool) -> None:
        super().__init__()
        self._chance = chance
        self._wake_ups = DelayedWakeUps(chance, get_lost=lost_wake_ups)

    async def receive(self, target: Stream, *, after: int) -> list[Message]:
        await asyncio.sleep(self._chance.pick(DELAYS))
        found = await super().receive(target, after=after)
        await asyncio.sleep(self._chance.pick(DELAYS))
        return list(found)


class SimulatedStories:
    """A process with a few stories: agents, gates, people and the landing queue are simulated; messages, jobs, wake-ups
    and the loop are real. What people and the queue answer is posted some time after the story begins to wait.
    """

    def __init__(self, chance: Chance, inbox: BusyInbox, *, count: int, sweep_seconds: float) -> None:
        self._chance = chance
        self._stories = {
            story_stream(RUN, StoryId(f"US-{number}")): StorySimulation(chance=chance, mishaps=0)
            for number in range(1, count + 1)
        }
        self._asked = set[tuple[Stream, int]]()
        self._posting = set[asyncio.Task[None]]()
        self._store = MemoryStore()
        loop = asyncio.get_running_loop()
        engine = InProcessEngine({"story": self._work}, clock=LoopClock(loop=loop))
        self._context = Context(
            events=self._store.events,
            inbox=inbox,
            leases=self._store.leases,
            engine=engine,
            clock=LoopClock(loop=loop),
            work_policy=WorkPolicy(sweep_seconds=sweep_seconds),
            owner=Owner(executor="mine", host="here", pid=1, pid_started=0.0),
            **dict.fromkeys(UNUSED_PORTS, cast("Any", None)),
        )
        performers: dict[type[Effect], Performer[StoryState]] = dict.fromkeys(STORY_PERFORMERS, self._answer)
        performers[Receive] = cast("Performer[StoryState]", self._receive)
        performers[story_effects.WaitUntil] = cast("Performer[StoryState]", self._end_wait)
        self._loop = Loop(
            kind=STORY_KIND,
            performers=performers,
            folded=self._context.folded_stories,
        )

    async def run(self) -> list[StoryState]:
        """The stories when all of them have ended."""
        context = self._context
        await context.leases.acquire(RUN, context.owner)
        async with continued_by_messages(context):
            for number, stream in enumerate(self._stories, start=1):
                given = assignment(replace(asked(), id=StoryId(f"US-{number}")))
                start = story_facts.StoryStarted(at=0, assignment=given, steps=STEPS)
                await context.events.append(stream, [start], expected=0, key="start")
                await context.begin(stream)
            await asyncio.gather(*(context.engine.join(job_of(stream)) for stream in self._stories))
        await context.engine.close()
        return [await load(context.events, STORY, stream) for stream in self._stories]

    async def _work(self, job: Job) -> bool:
        stream = Stream(job.stream)
        return stream not in self._context.started or await self._loop.carry_on(stream, self._context)

    async def _answer(self, effect: Effect, recorder: StoryRecorder) -> tuple[Fact, ...]:
        await asyncio.sleep(self._chance.pick(DELAYS))
        return self._stories[recorder.stream].answer(effect, recorder.state)

    @staticmethod
    async def _end_wait(effect: story_effects.WaitUntil, recorder: StoryRecorder) -> tuple[Fact, ...]:
        return (story_facts.WaitEnded(at=recorder.context.clock.now(), number=effect.number),)

    async def _receive(self, effect: Receive, recorder: StoryRecorder) -> tuple[Fact, ...]:
        if (asked_at := (recorder.stream, effect.cursor)) not in self._asked:
            self._asked.add(asked_at)
            answers = self._stories[recorder.stream].receive(effect, recorder.state)
            posting = asyncio.ensure_future(self._post(recorder.stream, effect.cursor, answers))
            self._posting.add(posting)
        return await run_inbox.next_messages(effect, recorder)

    async def _post(self, stream: Stream, cursor: int, answers: tuple[Fact, ...]) -> None:
        await asyncio.sleep(self._chance.pick(DELAYS))
        for number, fact in enumerate(fact for fact in answers if not isinstance(fact, MessagesRead)):
            await messages.send(self._context.inbox, stream, f"{cursor}/{number}", fact)


def run_stories(seed: int, *, lost_wake_ups: bool, sweep_seconds: float, limit: float) -> list[StoryState]:
    chance = SeededChance(random.Random(seed))  # noqa: S311 - a simulation

    async def work() -> list[StoryState]:
        inbox = BusyInbox(chance, lost_wake_ups=lost_wake_ups)
        return await SimulatedStories(chance, inbox, count=3, sweep_seconds=sweep_seconds).run()

    return run_suspended(work, chance, SUSPENSIONS, limit)


@given(seed=st.integers(0, 2**32))
@settings(QUICK, max_examples=60)
def test_every_answer_is_read_although_the_store_is_busy_and_the_process_suspended(seed: int) -> None:
    stories = run_stories(seed, lost_wake_ups=False, sweep_seconds=1000 * HOUR, limit=24 * HOUR)
    assert all(story.status in ENDED for story in stories)


@given(seed=st.integers(0, 2**32))
@settings(QUICK, max_examples=60)
def test_a_story_whose_wake_up_is_lost_is_started_by_the_next_sweep(seed: int) -> None:
    stories = run_stories(seed, lost_wake_ups=True, sweep_seconds=60.0, limit=24 * HOUR)
    assert all(story.status in ENDED for story in stories)
