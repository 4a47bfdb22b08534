"""The work of a server, turn by turn: reads requests, starts workers, and notices what became of them."""

from collections.abc import Callable

from shiftwork.app.commands.intents import at_rest, is_over
from shiftwork.app.commands.runs import forecast
from shiftwork.app.commands.steering import NOTHING
from shiftwork.app.hosting import schedule
from shiftwork.app.hosting.handover import HandedOverRun, merged
from shiftwork.app.hosting.schedule import GONE, Condition, Hosted, Phase
from shiftwork.app.views.queries import Liveness, run_view
from shiftwork.app.views.run_views import Activity, RunView
from shiftwork.domain.core.ids import RunId, run_of, server_stream
from shiftwork.errors import CodecError, UnknownRunError
from shiftwork.ports.clock import Clock
from shiftwork.ports.processes import Ending, Workers
from shiftwork.ports.store import Arrivals, History, MessageBox
from shiftwork.ports.views import Queries
from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPorts:
    """What a server of a project needs; `observe` is called with each run whose phase has changed."""

    project: str
    history: History
    inbox: MessageBox
    arrivals: Arrivals
    queries: Queries
    workers: Workers
    clock: Clock
    alive: Liveness
    observe: Callable[[Hosted], None]


class Server:
    """Knows only what it can find out again: after a restart, the first turn finds the same runs."""

    def __init__(self, ports: ServerPorts, *, max_runs: int) -> None:
        self._ports = ports
        self._max_runs = max_runs
        self._cursor = 0
        self._handed: dict[RunId, HandedOverRun] = {}
        self._hosted: dict[RunId, Hosted] = {}
        self._arrived: set[RunId | None] = set()
        self._endings: list[Ending] = []

    @property
    def hosted(self) -> tuple[Hosted, ...]:
        return tuple(self._hosted.values())

    async def turn(self) -> None:
        """Raises StoreError if the database does not answer: nothing is lost, and the next turn does the same."""
        self._arrived |= {run_of(stream) for stream in await self._ports.arrivals.arrived()}
        await self._receive()
        self._endings.extend(self._ports.workers.ended())
        while self._endings:
            await self._end(self._endings[0])
            del self._endings[0]
        for hosted in self.hosted:
            if hosted.phase is Phase.ELSEWHERE or (hosted.run in self._arrived and hosted.phase is not Phase.WORKING):
                await self._look(hosted)
        self._arrived.clear()
        for hosted in schedule.due(self.hosted, self._max_runs, self._ports.clock.elapsed()):
            await self._start(hosted)

    async def _receive(self) -> None:
        """Reads the requests since the last turn. A run that is handed over again starts again, if it had failed."""
        messages = await self._ports.inbox.receive(server_stream(self._ports.project), after=self._cursor)
        if not messages:
            return
        handed = merged(self._handed, messages)
        for hosted in [hosted for hosted in self.hosted if hosted.run not in handed]:
            self._keep(replace(hosted, phase=Phase.LEFT))
        for run, request in handed.items():
            known = self._hosted.get(run)
            if known and known.phase is Phase.WORKING:
                self._hosted[run] = replace(known, handed=request)
            elif request != self._handed.get(run):
                await self._look(Hosted(handed=request))
        self._handed, self._cursor = handed, messages[-1].position

    async def _end(self, ending: Ending) -> None:
        if before := self._hosted.get(ending.run):
            now = self._ports.clock.elapsed()
            self._keep(schedule.ended(before, ending, await self._condition(ending.run), now))

    async def _look(self, hosted: Hosted) -> None:
        self._keep(schedule.found(hosted, await self._condition(hosted.run)))

    async def _start(self, hosted: Hosted) -> None:
        """Looks again first: a person may have continued or paused the run in the meantime."""
        condition = await self._condition(hosted.run)
        if condition is not Condition.READY:
            self._keep(schedule.found(hosted, condition))
            return
        self._ports.workers.start(hosted.run, hosted.handed.folder)
        self._keep(replace(hosted, phase=Phase.WORKING, reason=""))

    def _keep(self, hosted: Hosted) -> None:
        before = self._hosted.pop(hosted.run, None)
        if hosted.phase not in GONE:
            self._hosted[hosted.run] = hosted
        if before != hosted and (before or hosted.phase not in GONE):
            self._ports.observe(hosted)

    async def _condition(self, run: RunId) -> Condition:
        """Where the run stands. A worker of an earlier server continues, and is watched like an own one."""
        ports = self._ports
        try:
            view = await run_view(ports.queries, run, ports.alive, every_step=False)
            if view.activity is Activity.OVER:
                over = await is_over(ports.history, ports.inbox, run, NOTHING)
                return Condition.OVER if over else Condition.READY
            if view.worker:
                return Condition.ADOPTED if ports.workers.adopt(run, view.worker) else Condition.ELSEWHERE
            return await self._without_worker(view)
        except UnknownRunError:  # archived, or recorded in another database
            return Condition.OVER
        except CodecError:
            return Condition.UNREADABLE

    async def _without_worker(self, view: RunView) -> Condition:
        """Whether the run is paused or waits for an answer; requests that no process has read yet count."""
        history, inbox, run = self._ports.history, self._ports.inbox, RunId(view.run.run)
        if (await forecast(history, inbox, run)).requests.paused:
            return Condition.PAUSED
        waits = view.activity is Activity.WAITING and await at_rest(history, inbox, run)
        return Condition.RESTS if waits else Condition.READY
