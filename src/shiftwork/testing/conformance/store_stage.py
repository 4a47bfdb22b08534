"""Shared parts of the store suites: handles on a database, and really concurrent work."""

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from shiftwork.ports.rows.row_parts import LandingPart, UsedPart
from shiftwork.ports.store import EventStore, Inbox, Leases, MessageBox
from shiftwork.ports.views import AttemptRow, ProfileRow, Queries, RunRow, SpentRow, StepRow, StoryRow, WaitedRow


class Handle(Protocol):
    """The four ports of a database."""

    @property
    def events(self) -> EventStore: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def leases(self) -> Leases: ...
    @property
    def queries(self) -> Queries: ...
    @property
    def confined(self) -> Callable[[str], Queries]: ...


type Handles = Callable[[], Handle]
"""The fixture `handles` that every suite needs: each call opens the test's database again, as another process would.
Only the test writes to that database; the fixture closes all handles.
"""


class InboxHandle(Protocol):
    """A database of which a suite uses only the inbox, without waiting."""

    @property
    def inbox(self) -> MessageBox: ...


type InboxHandles = Callable[[], InboxHandle]

QUICK = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
"""Examples of a property share a database, so each uses its own names."""

# What Python makes of an agent's output: any text, NUL, and invalid UTF-8 as lone surrogates.
texts = st.text(st.characters() | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]))


def awaited[**P](test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Runs a test in its own event loop."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


async def together[T](acts: Sequence[Callable[[], Awaitable[T]]]) -> list[T | Exception]:
    """Run all at the same moment, each in its own thread and loop; an exception becomes the act's result."""
    start = threading.Barrier(len(acts))

    async def one(act: Callable[[], Awaitable[T]]) -> T | Exception:
        start.wait()
        try:
            return await act()
        except Exception as error:  # noqa: BLE001 - the test checks it
            return error

    with ThreadPoolExecutor(len(acts)) as threads:
        loop = asyncio.get_running_loop()
        return await asyncio.gather(*(loop.run_in_executor(threads, asyncio.run, one(act)) for act in acts))


def run_row(run: str, *, title: str = "", started_at: float | None = 1.0, project: str = "") -> RunRow:
    return RunRow(
        run=run,
        title=title,
        status="running",
        workflow="dynamic",
        agent="scripted",
        branch="main",
        stories=2,
        completed=1,
        failed=0,
        cost_usd=0.25,
        started_at=started_at,
        ended_at=None,
        project=project,
    )


def profile_row(run: str, *, started_at: float) -> ProfileRow:
    return ProfileRow(
        run=run, story="s", role="work", profile="p", verdict="open", cost_usd=None, started_at=started_at
    )


def spent_row(run: str, story: str, agent: str, *, model: str = "", cost_usd: float | None = None) -> SpentRow:
    return SpentRow(
        run=run,
        story=story,
        agent=agent,
        model=model,
        used=UsedPart(
            tries=2,
            unpriced=1,
            cost_usd=cost_usd,
            estimated=True,
            input_tokens=2**40,
            cached_tokens=3,
            output_tokens=7,
        ),
    )


def waited_row(run: str, story: str, number: int) -> WaitedRow:
    return WaitedRow(run=run, story=story, number=number, awaited="person", since=1.5, until=None)


def attempt_row(run: str, story: str, step: str, number: int, *, position: int = 1) -> AttemptRow:
    return AttemptRow(
        run=run,
        story=story,
        step=step,
        number=number,
        position=position,
        agent="claude",
        model="",
        ending="completed",
        started_at=None,
        ended_at=2.5,
        seconds=None,
        used=UsedPart(tries=1, cost_usd=0.25, estimated=True, input_tokens=2**40),
        claim=3,
        log="logs/1.log",
    )


def story_row(run: str, story: str, *, position: int = 1, title: str = "") -> StoryRow:
    return StoryRow(
        run=run,
        story=story,
        position=position,
        title=title,
        status="in_progress",
        step="step-002",
        failure="",
        cause="",
        started_at=1.5,
        ended_at=None,
        landing=LandingPart(commit="c0ffee", ref="main"),
        used=UsedPart(input_tokens=2**40, output_tokens=7),
    )


def step_row(run: str, story: str, step: str, *, position: int = 1, notes: str = "") -> StepRow:
    return StepRow(
        run=run,
        story=story,
        step=step,
        position=position,
        name="coding",
        type="coding",
        kind="agent",
        status="pending",
        description="",
        attempts=0,
        restarts=0,
        notes=notes,
        error="",
        skip_reason="",
        started_at=None,
        ended_at=None,
        log="",
        used=UsedPart(cost_usd=0.5, input_tokens=1, output_tokens=2),
    )
