"""Everything the application may touch, in one value: the ports, and how this process is to conduct itself."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shiftwork.app.alarm import Alarm
from shiftwork.domain.model.facts import Fact
from shiftwork.domain.model.gate import Gate
from shiftwork.domain.model.ids import RunId, StoryId, Stream, in_go
from shiftwork.domain.model.queue import LandingPolicy
from shiftwork.ports.agent import Agent, AgentEvent
from shiftwork.ports.clock import Clock
from shiftwork.ports.desk import Desks
from shiftwork.ports.engine import Engine, Job
from shiftwork.ports.notebook import Notebook
from shiftwork.ports.processes import Reaper
from shiftwork.ports.specs import Specs
from shiftwork.ports.store import EventStore, Inbox, Leases
from shiftwork.ports.views import Owner
from shiftwork.ports.workspace import Gates, Repository, Workspaces


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What the settings say about how work is done; read once, when the process starts. `models` are those of profiles
    that name one, `toolless` the agents that are offered no tools.
    """

    gates: tuple[Gate, ...] = ()
    silence_seconds: float = 600
    time_factor: float = 1.0
    output_bytes: int = 32 * 1024 * 1024
    model: str = ""
    models: Mapping[str, str] = field(default_factory=dict)
    toolless: frozenset[str] = frozenset()
    landing: LandingPolicy = LandingPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Something that front ends may show while it happens: a fact as it is recorded, or an agent's event."""

    stream: Stream
    what: Fact | AgentEvent


def nobody(sighting: Sighting) -> None:
    """The observer where nobody looks."""


def nobody_knows(owner: Owner) -> bool | None:  # noqa: ARG001 - one shape for all
    """Whether a process lives, where that cannot be told."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The ports. `owner` is this process; `locks` keep a stream to one job at a time within it, `folded` has the last
    known state of streams that outlive their jobs, by version, and `runs` the job of each run that is worked on here.
    """

    events: EventStore
    inbox: Inbox
    leases: Leases
    engine: Engine
    agents: Mapping[str, Agent]
    desks: Desks
    notebook: Notebook
    workspaces: Workspaces
    repository: Repository
    gates: Gates
    specs: Specs
    reaper: Reaper
    clock: Clock
    conduct: Conduct
    owner: Owner
    observe: Callable[[Sighting], None] = nobody
    alive: Callable[[Owner], bool | None] = nobody_knows
    alarm: Alarm = field(default_factory=Alarm)
    folded: dict[Stream, tuple[int, Any]] = field(default_factory=dict)
    locks: defaultdict[Stream, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    waiting: Counter[Stream] = field(default_factory=Counter)
    runs: dict[RunId, Job] = field(default_factory=dict)

    def run_job(self, run: RunId, stream: Stream, endings: int = 0) -> Job:
        """One that was over and goes on has another job than the one that ended."""
        return Job(id=f"{in_go(f'run/{run}', endings + 1)}#{self.owner.executor}", kind="run", stream=stream)

    def story_job(self, run: RunId, story: StoryId, stream: Stream, go: int = 1) -> Job:
        return Job(id=f"{in_go(f'story/{run}/{story}', go)}#{self.owner.executor}", kind="story", stream=stream)

    def landing_job(self, stream: Stream, request: str) -> Job:
        """Each drains the queue; see `turns.call`."""
        return Job(id=f"landing/{request}#{self.owner.executor}", kind="landing", stream=stream)
