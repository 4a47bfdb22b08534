"""The server of a repository as documents."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from shiftwork.app.views.documents.document import Document, Time
from shiftwork.app.views.documents.event_records import Event
from shiftwork.app.views.documents.usage_records import State
from shiftwork.ports.views import Owner
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerProcess:
    """The process of the server, and the address at which it answers; empty if it does not."""

    pid: int
    host: str
    address: str


def server_process(owner: Owner, address: str) -> ServerProcess:
    return ServerProcess(pid=owner.pid, host=owner.host, address=address)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedRun:
    """A run that was handed over to the server: where it stands, what the server does with it, and why."""

    run: str
    state: State
    phase: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStatus(Document):
    """The server, if one works here, and the unfinished runs that were handed over."""

    SCHEMA: ClassVar[str] = "server"

    server: ServerProcess | None
    runs: Sequence[HandedRun]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerStop(Document):
    """Whether a server was stopped; `unfinished` are the runs that wait for the next one."""

    SCHEMA: ClassVar[str] = "server-stop"

    stopped: bool
    pid: int | None
    unfinished: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLink(Document):
    """A link that opens the web board, once."""

    SCHEMA: ClassVar[str] = "board"

    address: str
    link: str
    expires_at: Time


@dataclass(frozen=True, slots=True, kw_only=True)
class Detached(Document):
    """The last line of a command that hands its run over: the server that works on it from now on."""

    SCHEMA: ClassVar[str] = "result"

    kind: Literal["result"] = "result"
    run: str
    stop: str
    exit_code: int
    server: ServerProcess


@dataclass(frozen=True, slots=True, kw_only=True)
class McpTool:
    """A tool for other agents."""

    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServer(Document):
    """The tools for other agents, the command that an agent program starts for them, and the skill about them."""

    SCHEMA: ClassVar[str] = "mcp"

    command: str
    transport: str
    tools: Sequence[McpTool]
    skill: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEvent(Event):
    """Something that the server reports about itself."""

    kind: Literal["server"] = "server"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedEvent(Event):
    """What the server does with a run."""

    kind: Literal["hosted"] = "hosted"
    phase: str
    reason: str
