"""Everything the application may touch, in one value: the ports, and how this process is to conduct itself."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from shiftwork.app.runtime.failure_signal import Alarm
from shiftwork.app.runtime.heartbeat import Beat
from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import RunId, StoryId, Stream, in_go, run_stream, story_stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.state import LandingPolicy, QueueState
from shiftwork.domain.run.state import RunState
from shiftwork.domain.tampering.findings import LaterPolicy, Protection
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import Agent, AgentEvent
from shiftwork.ports.canary import Canary
from shiftwork.ports.changes import Witness
from shiftwork.ports.clock import Clock
from shiftwork.ports.desk import Desks
from shiftwork.ports.engine import Engine, Job
from shiftwork.ports.notebook import Notebook
from shiftwork.ports.notify import Notifier
from shiftwork.ports.processes import Reaper
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.specs import Specs
from shiftwork.ports.store import EventStore, Inbox, Leases
from shiftwork.ports.views import Owner, PlayedRow
from shiftwork.ports.workspace import Gates, Repository, Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What the settings say about how work is done; read once, when the process starts."""

    gates: tuple[Gate, ...] = ()
    silence_seconds: float = 600
    time_factor: float = 1.0
    output_bytes: int = 32 * 1024 * 1024
    agent: str = ""  # the profile that works where no other is named: the run's own
    model: str = ""
    models: Mapping[str, str] = field(default_factory=dict)  # by profile, where it names one
    toolless: frozenset[str] = frozenset()  # profiles that are offered no tools
    fallbacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # who goes on where a profile is limited
    patience: Patience = Patience()
    identical_calls: int = 12  # an attempt that calls a tool so often in the same way, one after the other, is ended
    thrifty: frozenset[str] = frozenset()  # profiles that can be told to stop at an amount of money
    landing: LandingPolicy = LandingPolicy()
    protection: Protection = Protection()
    later_files: LaterPolicy = LaterPolicy.LEAVE_OUT
    fence_seconds: float = 25.0  # how long the database may not answer before this process stops and ends its agents
    candidates: tuple[str, ...] = ()  # profiles among which roles are given by what they have landed


@dataclass(frozen=True, slots=True, kw_only=True)
class GateBegun:
    """A gate runs from now on, on what a story is to land, or `where` that is told."""

    at: float
    gate: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Something that front ends may show while it happens: a fact as it is recorded, an agent's event, or in a story's
    stream the gate that it waits for.
    """

    stream: Stream
    what: Fact | AgentEvent | GateBegun


def nobody(sighting: Sighting) -> None:
    """The observer where nobody looks."""


def nobody_knows(owner: Owner) -> bool | None:  # noqa: ARG001 - one shape for all
    """Whether a process lives, where that cannot be told."""
    return None


def unpriced(model: str, usage: Usage) -> float | None:  # noqa: ARG001 - one shape for all
    """The price of what a model was used for, where nobody knows any."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The ports, and what the jobs of this process share."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    engine: Engine
    agents: Mapping[str, Agent]  # by profile
    desks: Desks
    notebook: Notebook
    workspaces: Workspaces
    repository: Repository
    gates: Gates
    canary: Canary
    protecting: Protecting
    witness: Witness
    specs: Specs
    reaper: Reaper
    clock: Clock
    conduct: Conduct
    owner: Owner  # this process
    project: str = ""  # what runs are begun in, and whose alone are worked on
    worktree: str = ""  # in which checkout of it this is: where the files of specs lie
    observe: Callable[[Sighting], None] = nobody
    alive: Callable[[Owner], bool | None] = nobody_knows
    price: Callable[[str, Usage], float | None] = unpriced
    notifiers: Mapping[str, Notifier] = field(default_factory=dict)
    record: Callable[[], Awaitable[Sequence[PlayedRow]]]  # who played which role in past stories

    alarm: Alarm = field(default_factory=Alarm)
    beat: Beat = field(default_factory=Beat)
    folded_runs: dict[Stream, tuple[int, RunState]] = field(
        default_factory=dict
    )  # the last known state, with its version
    folded_queues: dict[Stream, tuple[int, QueueState]] = field(default_factory=dict)
    locks: defaultdict[Stream, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    waiting: Counter[Stream] = field(default_factory=Counter)  # jobs that wait for a stream's lock
    runs: dict[RunId, Job] = field(default_factory=dict)  # the job of each run that is worked on here

    def run_job(self, run: RunId, endings: int) -> Job:
        """One that was over and goes on has another job than the one that ended."""
        stream = run_stream(run)
        return Job(id=f"{in_go(stream, endings + 1)}#{self.owner.executor}", kind="run", stream=stream)

    def story_job(self, run: RunId, story: StoryId, go: int) -> Job:
        stream = story_stream(run, story)
        return Job(id=f"{in_go(stream, go)}#{self.owner.executor}", kind="story", stream=stream)

    def landing_job(self, stream: Stream, request: str) -> Job:
        """Each drains the queue; see `landing_lock.call`."""
        return Job(id=f"landing/{request}#{self.owner.executor}", kind="landing", stream=stream)
