"""Shared parts of the engine suites: jobs, acts that count their calls, and processes that die."""

# ruff: noqa: S101 - suites use assert

import asyncio
import functools
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from shiftwork.ports.engine import Bodies, Body, Checkpoints, Engine, Job, Json

type Opening = Callable[[str, Bodies], Awaitable[Engine]]
"""Opens an engine under an executor's name; all engines of a test share their storage."""

_fresh = itertools.count(1)
PATIENCE = 45.0

json_values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


FEW = settings(
    max_examples=6,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)
"""Each example opens a durable engine several times; names are never reused, so examples may share a database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A checkpoint of a generated job: the result of its act, and how often the process dies inside it first."""

    gives: Json
    deaths: int


plans = st.lists(st.builds(Planned, gives=json_values, deaths=st.sampled_from((0, 0, 1, 2))), min_size=1, max_size=4)


def job(kind: str = "run") -> Job:
    name = f"{kind}-{next(_fresh)}"
    return Job(id=name, kind=kind, stream=f"stream/{name}")


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
    """Acts that count their calls, can be made to block, and record interruptions."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.blocked: set[str] = set()
        self.entered = asyncio.Event()
        self.cleaned: list[str] = []

    def act(self, name: str, gives: Json = None) -> Callable[[], Awaitable[Json]]:
        async def act() -> Json:
            self.done[name] += 1
            if name in self.blocked:
                self.entered.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0.05)
                    self.cleaned.append(name)
            return gives

        return act

    def body(self, *names: str, preemptible: bool = False) -> Body:
        async def body(_: Job, checkpoints: Checkpoints) -> None:
            for name in names:
                await checkpoints.once(name, self.act(name), preemptible=preemptible)

        return body


async def survive(opening: Opening, plan: list[Planned]) -> None:
    """Go through every planned death; after each, a new process recovers the job of the dead process."""
    tried: Counter[int] = Counter()
    lives: list[list[Json]] = []
    died = asyncio.Event()

    async def body(_: Job, checkpoints: Checkpoints) -> None:
        lives.append([])
        for place, planned in enumerate(plan):

            async def act(place: int = place, planned: Planned = planned) -> Json:
                tried[place] += 1
                if tried[place] <= planned.deaths:
                    died.set()
                    await asyncio.Event().wait()
                return planned.gives

            lives[-1].append(await checkpoints.once(f"place-{place}", act))

    deaths = sum(planned.deaths for planned in plan)
    work = job()
    executors = [f"{work.id}-life-{number}" for number in range(deaths + 1)]
    for number, executor in enumerate(executors):
        died.clear()
        async with opened(opening, executor, run=body) as engine:
            await (engine.recover(executors[number - 1]) if number else engine.start(work))
            await (engine.join(work) if number == deaths else died.wait())

    assert lives[-1] == [planned.gives for planned in plan]
    assert len(lives) == deaths + 1
    assert tried == {place: planned.deaths + 1 for place, planned in enumerate(plan)}
