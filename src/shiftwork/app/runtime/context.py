"""Everything the application may use, in one value: the ports, and the policy of this process."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from shiftwork.app.runtime.failure_signal import FailureSignal
from shiftwork.app.runtime.heartbeat import Heartbeat
from shiftwork.domain.agents.rate_limit import Patience
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Stream
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.landing.commit_style import CommitStyle
from shiftwork.domain.landing.state import LandingPolicy, QueueState
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.tampering.findings import LaterPolicy, Protection
from shiftwork.domain.usage.usage import Usage
from shiftwork.ports.agent import Agent, AgentEvent
from shiftwork.ports.attempt_folder import AttemptFolders
from shiftwork.ports.canary import Canary
from shiftwork.ports.changes import Changes, CommitInspector
from shiftwork.ports.clock import Clock
from shiftwork.ports.commit_hooks import CommitHooks, NoCommitHooks
from shiftwork.ports.engine import Engine, Job
from shiftwork.ports.notebook import Notebook
from shiftwork.ports.notify import Notifier
from shiftwork.ports.processes import Reaper
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.specs import Specs
from shiftwork.ports.store import EventStore, Inbox, Leases
from shiftwork.ports.views import Owner, ProfileRow
from shiftwork.ports.workspace import Gates, Repository, Workspaces
from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPolicy:
    """The settings for how work is done; read once, when the process starts."""

    gates: tuple[Gate, ...] = ()
    silence_seconds: float = 600
    time_factor: float = 1.0
    output_bytes: int = 32 * 1024 * 1024
    agent: str = ""  # the run's own profile, which works where no other is named
    model: str = ""
    models: Mapping[str, str] = field(default_factory=dict)  # by profile, if it names a model
    toolless: frozenset[str] = frozenset()  # profiles without tools
    fallbacks: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict
    )  # profiles that take over when a profile is rate-limited
    patience: Patience = Patience()
    identical_calls: int = 12  # an attempt is ended after this many identical tool calls in a row
    thrifty: frozenset[str] = frozenset()  # profiles that can stop at an amount of money
    landing: LandingPolicy = LandingPolicy()
    protection: Protection = Protection()
    later_files: LaterPolicy = LaterPolicy.LEAVE_OUT
    large_file_mb: int = 50  # a story with a larger file waits for a person
    fence_seconds: float = 25.0  # if the database does not answer for so long, this process ends its agents and stops
    linger_seconds: float = 1.0  # a job waits for a message that long before it ends
    sweep_seconds: float = 60.0  # so often it is checked whether a stream that waits has unread messages
    project: str = ""  # its name, for prompts
    commit: CommitStyle = CommitStyle()
    candidates: tuple[str, ...] = ()  # profiles from which each role's profile is chosen by past results


@dataclass(frozen=True, slots=True, kw_only=True)
class GateBegun:
    """A gate has started on the work that a story will land, or `where` that says."""

    at: float
    gate: str
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Something that front ends may show as it happens: a recorded fact, an agent's event, or the gate that a story
    waits for.
    """

    stream: Stream
    what: Fact | AgentEvent | GateBegun


def ignore(sighting: Sighting) -> None:
    """An observer that ignores everything."""


def is_unknown(owner: Owner) -> bool | None:  # noqa: ARG001 - one shape for all
    """Whether a process lives, if that cannot be known."""
    return None


def unpriced(model: str, usage: Usage) -> float | None:  # noqa: ARG001 - one shape for all
    """The price of a model's usage, if prices are unknown."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The ports, and what the jobs of this process share."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    engine: Engine
    agents: Mapping[str, Agent]  # by profile
    attempt_folders: AttemptFolders
    notebook: Notebook
    workspaces: Workspaces
    repository: Repository
    gates: Gates
    canary: Canary
    protecting: Protecting
    inspector: CommitInspector
    changes: Changes
    specs: Specs
    reaper: Reaper
    clock: Clock
    work_policy: WorkPolicy
    owner: Owner  # this process
    commit_hooks: CommitHooks = NoCommitHooks()
    project: str = ""  # new runs belong to it, and this process works only on its runs
    worktree: str = ""  # the checkout of the project that has the spec files
    observe: Callable[[Sighting], None] = ignore
    alive: Callable[[Owner], bool | None] = is_unknown
    price: Callable[[str, Usage], float | None] = unpriced
    notifiers: Mapping[str, Notifier] = field(default_factory=dict)
    record: Callable[[], Awaitable[Sequence[ProfileRow]]]  # which profile had which role in past stories

    failure: FailureSignal = field(default_factory=FailureSignal)
    heartbeat: Heartbeat = field(default_factory=Heartbeat)
    folded_runs: dict[Stream, tuple[int, RunState]] = field(
        default_factory=dict
    )  # the last known state, with its version
    folded_stories: dict[Stream, tuple[int, StoryState]] = field(default_factory=dict)
    folded_queues: dict[Stream, tuple[int, QueueState]] = field(default_factory=dict)
    locks: defaultdict[Stream, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    checks: defaultdict[Stream, dict[str, asyncio.Task[Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )  # of landing queues, while they are in progress
    started: set[Stream] = field(default_factory=set)  # the runs and stories that this process works on
    longest_waits: dict[tuple[Stream, int], float] = field(default_factory=dict)  # by story and deferral

    async def begin(self, stream: Stream) -> None:
        """Starts the job of a stream that this process works on from now on, until the stream ends."""
        self.started.add(stream)
        await self.engine.start(job_of(stream))


def job_of(stream: Stream) -> Job:
    return Job(kind=stream.split("/", 1)[0], stream=stream)
