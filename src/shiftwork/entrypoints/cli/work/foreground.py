"""Works on a run in this process and shows it: until it ends, needs a person, or is interrupted."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from enum import StrEnum
from typing import Final, Never

from shiftwork.app.commands.runs import wait_for
from shiftwork.app.commands.steering import pauses_now, rests_now
from shiftwork.app.folds import RUN, STORY, load
from shiftwork.app.landing.owed_payment import run_owed_gates
from shiftwork.app.runtime.context import Context, Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.app.views.queries import is_meant
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.ports import leave_nothing, open_context
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, environment
from shiftwork.domain.core.ids import RunId, Stream, run_stream
from shiftwork.domain.story.state import Hold
from shiftwork.entrypoints.cli.env.signals import ASKING, StopSignals
from shiftwork.entrypoints.cli.hosting.detach import keep_here
from shiftwork.entrypoints.cli.live.cursor import SHOW_CURSOR
from shiftwork.entrypoints.cli.live.progress_lines import JsonView, LineView, QuietView, View
from shiftwork.entrypoints.cli.live.screen import Screen
from shiftwork.entrypoints.cli.live.table import LiveView
from shiftwork.entrypoints.cli.options.quiet import is_quiet
from shiftwork.errors import EXIT_INTERRUPTED, DependenciesError, RepositoryError, ShiftworkError
from shiftwork.ports.agent import Agent
from shiftwork.ports.views import Queries
from shiftwork.records import dataclass

_REFRESH_SECONDS: Final = 0.2
_DUMB: Final = ("dumb", "unknown")


class Stop(StrEnum):
    """Why this process stopped working on the run."""

    OVER = "over"
    HELD = "held"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """The work: `begin` starts or continues a run, and returns its id; `continues` is the run that has a history, and
    `stories` are those that may have one. The task `beside` stops the work by raising an error, and does nothing else.
    A `hosted` run is worked on for a server.
    """

    site: Site
    settings: Settings
    begin: Callable[[Context], Awaitable[RunId]]
    continues: RunId | None = None
    stories: tuple[Stream, ...] = ()
    agents: Mapping[str, Agent] | None = None
    beside: Callable[[], Awaitable[None]] | None = None
    hosted: bool = False


def chosen_view(title: str, *, as_json: bool) -> View:
    """A table that redraws in place on a capable terminal, else lines; nothing with `--quiet`."""
    if is_quiet():
        return QuietView()
    if as_json:
        return JsonView()
    if not sys.stdout.isatty():
        return LineView()
    env = environment()
    if env.get("TERM", "").lower() in _DUMB:
        return LineView()
    return LiveView(title, Screen(sys.stdout, colors=not env.get("NO_COLOR")))


def carry(shift: Shift, view: View) -> tuple[RunId | None, Stop]:
    """Works until nothing is left to do here; the run's id is None if no run was started."""
    if shift.continues and not shift.hosted:
        keep_here(shift.site, shift.continues)
    try:
        return asyncio.run(_Watch(view).carry(shift))
    finally:
        view.close()


async def compare(board: Board, queries: Queries) -> None:
    """Checks whether commands without a run id now refer to another run, which may have been started meanwhile."""
    run = next((story.given.run for story in board.stories.values()), "")
    with contextlib.suppress(ShiftworkError):  # the next question checks again
        board.meant = await is_meant(queries, run)


class _Watch:
    """Watches one run in one process."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._held = asyncio.Event()
        self._paused = asyncio.Event()
        self._interrupted = asyncio.Event()
        self._stop_signals = StopSignals()
        self._run: RunId | None = None

    async def carry(self, shift: Shift) -> tuple[RunId | None, Stop]:
        with self._signals():
            async with open_context(
                shift.site, shift.settings, environment(), observe=self._see, agents=shift.agents
            ) as context:
                beside = shift.beside() if shift.beside else asyncio.sleep(0)
                stop = await self._first_of(self._work(shift, context), self._refresh(shift, context), beside)
        # Everything is closed: all agent processes have ended, and what was in progress can be resumed.
        return self._run, stop

    async def _work(self, shift: Shift, context: Context) -> None:
        board = self._view.board
        if shift.continues:
            board.run = await load(context.events, RUN, run_stream(shift.continues))
        for stream in shift.stories:
            story = await load(context.events, STORY, stream)
            if story.assignment:  # a story that has not started is not on the board and has nothing to show
                board.stories[stream] = story
        self._run = await shift.begin(context)
        plan = (await load(context.events, RUN, run_stream(self._run))).given
        await self._run_owed(context, plan.landing)
        await wait_for(context, self._run)
        await self._run_owed(context, plan.landing)

    async def _run_owed(self, context: Context, queue: Stream) -> None:
        """Runs gates that landings have skipped: those of earlier runs, and those that no landing of this run pays. If
        they cannot run, they stay owed, which the result says.
        """
        try:
            await run_owed_gates(
                context, queue, lambda gate: self._view.say(f"running {gate}, which landings had skipped")
            )
        except (RepositoryError, DependenciesError) as error:
            self._view.say(f"gates that landings had skipped did not run: {error.message}")

    async def _refresh(self, shift: Shift, context: Context) -> None:
        queries, board = open_queries(shift.site), self._view.board
        asked: Mapping[Stream, Hold] = {}
        while True:
            if asked != board.asked:
                asked = board.asked
                await compare(board, queries)
            self._view.update(context.clock.now())
            if self._run and await rests_now(board, context, self._run):
                self._held.set()
            if self._run and shift.hosted and await pauses_now(board, context, self._run):
                self._paused.set()  # the server starts another process when the pause ends
            await asyncio.sleep(_REFRESH_SECONDS)

    async def _first_of(self, work: Awaitable[None], refreshing: Awaitable[None], beside: Awaitable[None]) -> Stop:
        working, examining = asyncio.ensure_future(work), asyncio.ensure_future(beside)
        stops = {
            working: Stop.OVER,
            asyncio.ensure_future(self._held.wait()): Stop.HELD,
            asyncio.ensure_future(self._paused.wait()): Stop.PAUSED,
            asyncio.ensure_future(self._interrupted.wait()): Stop.INTERRUPTED,
        }
        ends = [*stops, asyncio.ensure_future(refreshing)]
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
        # A view must not break the run.
        with contextlib.suppress(Exception):
            self._view.see(sighting)

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """Signals that were ignored at the start stay without effect, as `nohup` requires. They get an empty handler,
        because agents would inherit an ignored signal, and could not be asked to end.
        """
        loop = asyncio.get_running_loop()
        deaf = {number for number in ASKING if signal.getsignal(number) is signal.SIG_IGN}
        for number in ASKING:
            loop.add_signal_handler(number, *((_let_be,) if number in deaf else (self._interrupt, number)))
        try:
            yield
        finally:
            # No signal may arrive in between: without a handler it would end this process without a message.
            before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKING)
            for number in ASKING:
                loop.remove_signal_handler(number)
                if number in deaf:
                    signal.signal(number, signal.SIG_IGN)
                elif self._interrupted.is_set():
                    # A repeated interrupt during clean-up still gives the exit code of an interruption.
                    signal.signal(number, self._listen_again)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _interrupt(self, number: int) -> None:
        """The first request stops everything in order; a repeated one ends this process at once."""
        if self._stop_signals.insists(number):
            _leave()
        if not self._interrupted.is_set():
            self._interrupted.set()
            with contextlib.suppress(Exception):
                self._view.say("stopping: agents are asked to end; Ctrl-C again exits at once")

    def _listen_again(self, number: int, _: object) -> None:
        if self._stop_signals.insists(number):
            _leave()


def _let_be() -> None:
    """Does nothing: the signal was ignored at the start."""


def _leave() -> Never:
    with contextlib.suppress(Exception):
        leave_nothing()
    if sys.stdout.isatty():
        with contextlib.suppress(OSError):  # it may be closed
            os.write(sys.stdout.fileno(), SHOW_CURSOR)
    os._exit(EXIT_INTERRUPTED)
