"""A coding agent: one attempt at one step, in one fresh session."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from shiftwork.domain.usage.usage import NOTHING_USED, Usage


class Ending(StrEnum):
    """How an attempt's session ended."""

    FINISHED = "finished"
    CRASHED = "crashed"
    API_ERROR = "api_error"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    TIMED_OUT = "timed_out"
    SILENT = "silent"
    FLOODED = "flooded"
    LOOPING = "looping"
    SPENT = "spent"
    CANCELLED = "cancelled"


class EventKind(StrEnum):
    """What an agent tells while it works, the same for every agent."""

    STARTED = "started"
    TEXT = "text"
    TOOL_START = "tool_start"
    TOOL_END = "tool_end"
    RETRY = "retry"
    RATE_LIMIT = "rate_limit"
    USAGE = "usage"
    FINAL = "final"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentEvent:
    """One normalized event; `text` is the agent's own and must never be shown unescaped.

    `call` stands for a tool call with all its input, the same for the same call; empty where the input is not known.
    """

    kind: EventKind
    text: str = ""
    tool: str = ""
    call: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """Bounds that hold whatever the agent does; `cost_usd` only where the agent can be told of it."""

    wall_seconds: float
    silence_seconds: float
    output_bytes: int = 32 * 1024 * 1024
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTask:
    """Everything one attempt gets. `marker` is found again in the environment of every process it spawns.

    `home` is a folder of the attempt's own for temporary and configuration files; `toolbox` is the command of the MCP
    server that offers the harness's tools, empty where the agent gets none; `log` receives the raw event stream.
    `readable` and `writable` are what it needs to see of the harness besides, where it is confined.
    """

    prompt: str
    workdir: Path
    home: Path
    log: Path
    marker: str
    limits: AgentLimits
    toolbox: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    model: str = ""
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """How the attempt ended. `answer` is the agent's last message; `resets_at` tells when a rate limit ends. `said` is
    the last thing that it said, where it was ended before it gave an answer.
    """

    ending: Ending
    answer: str = ""
    detail: str = ""
    usage: Usage = NOTHING_USED
    resets_at: float | None = None
    model: str = ""
    denials: tuple[str, ...] = ()
    said: str = ""


type Listener = Callable[[AgentEvent], None]


class Agent(Protocol):
    """Something that can make one attempt."""

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        """Run a fresh session to its end and report it; never raises for what the agent does.

        When it returns or is cancelled, no process that the attempt started is alive. Calling again with the same task
        is a new session. Raises AgentMissingError where the agent's program cannot be started at all.
        """
        ...

    async def probe(self) -> str:
        """The agent's version and login, as `doctor` shows them. Quick, and nothing is paid for.

        Raises AgentMissingError with the way to install it, and AgentLoginError where the user is not logged in.
        """
        ...
