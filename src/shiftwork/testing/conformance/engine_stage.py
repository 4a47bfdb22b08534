"""Shared parts of the engine suites: jobs, bodies that count their runs, and processes that die."""

# ruff: noqa: S101 - suites use assert

import asyncio
import functools
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from shiftwork.ports.engine import Bodies, Body, Engine, Job

type Opening = Callable[[str, Bodies], Awaitable[Engine]]
"""Opens an engine under an executor's name; all engines of a test share their storage."""

_fresh = itertools.count(1)
PATIENCE = 120.0

FEW = settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)
"""Each example opens an engine several times; names are never reused, so examples may share a database."""

plans = st.lists(st.sampled_from((0, 0, 1, 2)), min_size=1, max_size=4)
"""For each effect of a job, how often the process dies before the effect is recorded."""


def job(kind: str = "run") -> Job:
    return Job(kind=kind, stream=f"stream/{kind}-{next(_fresh)}")


@asynccontextmanager
async def opened(opening: Opening, executor: str, **bodies: Body) -> AsyncIterator[Engine]:
    engine = await opening(executor, bodies)
    try:
        yield engine
    finally:
        await engine.close()


def awaited[**P](test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a test in its own event loop, with a timeout."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(asyncio.wait_for(test(*args, **kwargs), 2 * PATIENCE))

    return run


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - a counter sends no event
            await asyncio.sleep(0.01)


class Stage:
    """A body that counts its runs, can be made to block, to wait or to fail, and records interruptions."""

    def __init__(self) -> None:
        self.runs: Counter[Job] = Counter()
        self.blocked = False
        self.waits = False
        self.failure: Exception | None = None
        self.entered = asyncio.Event()
        self.released = asyncio.Event()
        self.cleaned: list[Job] = []

    async def body(self, job: Job) -> bool:
        self.runs[job] += 1
        if self.failure is not None:
            raise self.failure
        if self.blocked:
            self.entered.set()
            try:
                await self.released.wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0.05)
                self.cleaned.append(job)
                raise
        return not self.waits


async def survive(opening: Opening, plan: list[int]) -> None:
    """Go through every planned death; after each, a new process recovers and starts the job. The history is the list of
    recorded effects: each is recorded once, whatever the engine remembers.
    """
    work, deaths = job(), sum(plan)
    history: list[int] = []
    tried: Counter[int] = Counter()
    died = asyncio.Event()

    async def body(started: Job) -> bool:
        if started != work:  # an earlier plan has left it in the queue
            return True
        for effect, times in enumerate(plan):
            if effect not in history:
                tried[effect] += 1
                if tried[effect] <= times:
                    died.set()
                    await asyncio.Event().wait()
                history.append(effect)
        return True

    executors = [f"{work.stream}-life-{number}" for number in range(deaths + 1)]
    for number, executor in enumerate(executors):
        died.clear()
        async with opened(opening, executor, run=body) as engine:
            if number:
                await engine.recover(executors[number - 1])
            await engine.start(work)
            await (engine.join(work) if number == deaths else died.wait())
    assert history == list(range(len(plan)))
    assert tried == {effect: times + 1 for effect, times in enumerate(plan)}
