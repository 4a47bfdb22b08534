"""Works on a run in this process while somebody watches: until it is over, waits for a person, or is interrupted."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Never

from shiftwork.app.attempt.memory import present_run
from shiftwork.app.commands.runs import wait_for
from shiftwork.app.runtime.context import Sighting, World
from shiftwork.app.runtime.streams import STORY, load
from shiftwork.app.views.queries import is_meant
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.ports import leave_nobody, open_world
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.domain.run.decide import rests
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import Hold
from shiftwork.entrypoints.cli.env.signals import ASKING, Hearing
from shiftwork.entrypoints.cli.live.board import Board
from shiftwork.entrypoints.cli.live.cursor import SHOW_CURSOR
from shiftwork.entrypoints.cli.live.progress_lines import JsonView, LineView, View
from shiftwork.errors import EXIT_INTERRUPTED, ShiftworkError
from shiftwork.ports.agent import Agent
from shiftwork.ports.views import Queries

_TICK_SECONDS: Final = 0.2


class Stop(StrEnum):
    """Why this process works on the run no longer."""

    OVER = "over"
    HELD = "held"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What is to be worked on: `begin` starts a run, or goes on with one, and gives its id; `stories` are those that
    may have a history by then. What is done `beside` ends the work by raising an error, and says nothing else.
    """

    site: Site
    settings: Settings
    begin: Callable[[World], Awaitable[RunId]]
    stories: tuple[Stream, ...] = ()
    agents: Mapping[str, Agent] | None = None
    beside: Callable[[], Awaitable[None]] | None = None


def chosen_view(title: str, *, as_json: bool) -> View:
    """A table that redraws itself where there is a terminal that can, lines elsewhere."""
    if as_json:
        return JsonView()
    if not sys.stdout.isatty():
        return LineView()
    from rich.console import Console  # noqa: PLC0415 - slow to import, and lines do not need it

    from shiftwork.entrypoints.cli.live.table import LiveView  # noqa: PLC0415 - as above

    console = Console(highlight=False, markup=False, emoji=False)
    return LineView() if console.is_dumb_terminal else LiveView(title, console)


def carry(shift: Shift, view: View) -> tuple[RunId | None, Stop]:
    """Work until there is nothing more to do here; the run's id is None where none came to be."""
    try:
        return asyncio.run(_Watch(view).carry(shift))
    finally:
        view.close()


async def compare(board: Board, queries: Queries) -> None:
    """Look whether another run is meant by commands that name none: somebody may have begun one beside this."""
    run = next((story.given.run for story in board.stories.values()), "")
    with contextlib.suppress(ShiftworkError):  # it is asked again with the next question
        board.meant = await is_meant(queries, run)


async def rests_now(board: Board, world: World, run: RunId) -> bool:
    """Whether nothing goes on, and no story could start, until a person has answered, who may just have done so."""
    if not board.held:
        return False
    state = await present_run(world, run)
    if not rests(state, board.waiting) or await _mail(board, world, state):
        return False
    # While the inboxes were looked into, a story may have taken its answer out of one.
    return board.held


async def _mail(board: Board, world: World, run: RunState) -> bool:
    """Whether something lies in an inbox that nobody has looked into yet: an answer, or a limit that was raised."""
    stories = {stream: story.cursor for stream, story in board.stories.items()}
    cursors = {run_stream(run.given.run): run.cursor, **stories}
    return any([await world.inbox.receive(stream, after=cursor) for stream, cursor in cursors.items()])


class _Watch:
    """One process's watch over one run."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._held = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._hearing = Hearing()
        self._run: RunId | None = None

    async def carry(self, shift: Shift) -> tuple[RunId | None, Stop]:
        with self._signals():
            async with open_world(
                shift.site, shift.settings, environment(), observe=self._see, agents=shift.agents
            ) as world:
                beside = shift.beside() if shift.beside else asyncio.sleep(0)
                stop = await self._first_of(self._work(shift, world), self._ticking(shift, world), beside)
        # The world is closed: every agent's processes have ended, and whatever was under way can be resumed.
        return self._run, stop

    async def _work(self, shift: Shift, world: World) -> None:
        for stream in shift.stories:
            story = await load(world.events, STORY, stream)
            if story.assignment:  # one that has not begun is not on the board: nothing could be told of it
                self._view.board.stories[stream] = story
        self._run = await shift.begin(world)
        await wait_for(world, self._run)

    async def _ticking(self, shift: Shift, world: World) -> None:
        queries, board = open_queries(shift.site), self._view.board
        asked: Mapping[Stream, Hold] = {}
        while True:
            if asked != board.asked:
                asked = board.asked
                await compare(board, queries)
            self._view.tick(world.clock.now())
            if self._run and await rests_now(board, world, self._run):
                self._held.set()
            await asyncio.sleep(_TICK_SECONDS)

    async def _first_of(self, work: Awaitable[None], ticking: Awaitable[None], beside: Awaitable[None]) -> Stop:
        working, examining = asyncio.ensure_future(work), asyncio.ensure_future(beside)
        stops = {
            working: Stop.OVER,
            asyncio.ensure_future(self._held.wait()): Stop.HELD,
            asyncio.ensure_future(self._interrupted.wait()): Stop.INTERRUPTED,
        }
        ends = [*stops, asyncio.ensure_future(ticking)]
        others = [*ends, examining]
        try:
            await asyncio.wait(others, return_when=asyncio.FIRST_COMPLETED)
            if examining.done():
                examining.result()
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                working.result()
            return next((stop for future, stop in stops.items() if future.done()), Stop.INTERRUPTED)
        finally:
            for future in others:
                future.cancel()
            await asyncio.gather(*others, return_exceptions=True)

    def _see(self, sighting: Sighting) -> None:
        # Whoever watches must not be able to break what is watched.
        with contextlib.suppress(Exception):
            self._view.see(sighting)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """What was ignored when this was started stays so: `nohup` means it. But it is heard, and left at that: agents
        would inherit that it is ignored, and could not be asked to end.
        """
        loop = asyncio.get_running_loop()
        deaf = {number for number in ASKING if signal.getsignal(number) is signal.SIG_IGN}
        for number in ASKING:
            loop.add_signal_handler(number, *((_let_be,) if number in deaf else (self._interrupt, number)))
        try:
            yield
        finally:
            # Nothing may come between: what is not handled for a moment would end this process without a word.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
            for number in ASKING:
                loop.remove_signal_handler(number)
                if number in deaf:
                    signal.signal(number, signal.SIG_IGN)
                elif self._interrupted.is_set():
                    # Who insists while we tidy up and say goodbye still gets the exit code of an interruption.
                    signal.signal(number, self._hear_again)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _interrupt(self, number: int) -> None:
        """Asked once, everything is stopped in order; if somebody insists, this process is gone at once."""
        if self._hearing.insists(number):
            _leave()
        if not self._interrupted.is_set():
            self._interrupted.set()
            with contextlib.suppress(Exception):
                self._view.say("stopping: agents are told to end; Ctrl-C again leaves at once")

    def _hear_again(self, number: int, _: object) -> None:
        if self._hearing.insists(number):
            _leave()


def _let_be() -> None:
    """Nobody has asked for anything."""


def _leave() -> Never:
    with contextlib.suppress(Exception):
        leave_nobody()
    if sys.stdout.isatty():
        with contextlib.suppress(OSError):  # it may be closed
            os.write(sys.stdout.fileno(), SHOW_CURSOR)
    os._exit(EXIT_INTERRUPTED)
