"""A coding agent: one attempt at one step, in one fresh session."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.records import dataclass, field


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
    RESTARTED = "restarted"


class EventKind(StrEnum):
    """The events that an agent reports while it works, the same for every agent."""

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
    """A normalized event; `text` comes from the agent and must never be shown unescaped.

    `call` identifies a tool call with all its input: equal calls have equal values; empty if the input is unknown.
    """

    kind: EventKind
    text: str = ""
    tool: str = ""
    call: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLimits:
    """Limits that hold whatever the agent does; `cost_usd` only applies to agents that accept a cost limit."""

    wall_seconds: float
    silence_seconds: float
    output_bytes: int = 32 * 1024 * 1024
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session that ended and can be continued: its id for the agent, and what it had used until then, because some
    agents report the sum.
    """

    id: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTask:
    """The input of an attempt. `marker` is in the environment of every process that the attempt starts.

    `home` is the attempt's own folder for temporary and configuration files; `toolbox` is the command of the MCP server
    that offers the harness's tools, empty if the agent gets none; `log` receives the raw event stream. `readable` and
    `writable` are further folders that a sandboxed agent needs. If there is a session to `resume`, the prompt is its
    next message, and `home` and `workdir` are those of its first attempt; an agent that cannot resume ignores it.
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
    resume: Session | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """How the attempt ended. `answer` is the agent's last message; `resets_at` is when a rate limit ends. `said` is the
    agent's last text if it was stopped before it gave an answer. `session` is the id to resume it by; empty if the
    agent cannot do that. A limit that was `guessed` from what it printed may be none: it is waited for less often.
    """

    ending: Ending
    answer: str = ""
    detail: str = ""
    usage: Usage = NOTHING_USED
    resets_at: float | None = None
    model: str = ""
    denials: tuple[str, ...] = ()
    said: str = ""
    session: str = ""
    guessed: bool = False


type Listener = Callable[[AgentEvent], None]


class Agent(Protocol):
    """Runs attempts."""

    async def attempt(self, task: AgentTask, listener: Listener) -> AgentReport:
        """Run a fresh session to its end and report it; never raises because of what the agent does.

        When it returns or is cancelled, no process that the attempt started is alive. Calling again with the same task
        starts a new session. Raises AgentMissingError if the agent's program cannot be started at all.
        """
        ...

    async def probe(self) -> str:
        """The agent's version and login, as `doctor` shows them. Quick, and free of charge.

        Raises AgentMissingError with install instructions, and AgentLoginError if the user is not logged in.
        """
        ...
