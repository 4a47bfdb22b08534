"""The interface of an agent's driver: how to start the agent, read its output, judge its end and stop it."""

import signal
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from shiftwork.adapters.agents.login.lender import Login
from shiftwork.ports.agent import AgentEvent, AgentReport, AgentTask
from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFiles:
    """What a confined agent gets of the user's home, of which it sees nothing else: a copy of its `login`, and files
    that it only `reads`.
    """

    login: Login | None = None
    reads: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A program to start: its environment, its prompt on standard input (never in argv), and files to create first."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    stdin: bytes
    files: Mapping[str, str] = field(default_factory=dict)
    home_files: HomeFiles = HomeFiles()


class Transcript(Protocol):
    """Reads one session: `feed` gets each line, `verdict` is called once at the end. No output makes it raise."""

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        """Returns the events in one line of standard output; none for unknown lines."""
        ...

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        """Returns the session's report, from its final event and its exit code together."""
        ...


class Driver(Protocol):
    """What is specific to one agent."""

    stop_signals: tuple[tuple[signal.Signals, float], ...]
    """How to ask it to stop: signals in order, each with the seconds to wait, before everything is killed."""

    def launch(self, task: AgentTask) -> Launch: ...

    def transcript(self, task: AgentTask, /) -> Transcript: ...

    def version_argv(self) -> tuple[str, ...]:
        """Returns the command that prints its version; if it fails, the agent counts as missing."""
        ...

    def install_hint(self) -> str: ...

    def login_argv(self) -> tuple[str, ...]:
        """Returns the command that reports the user's login without a network; empty if an API key is used, or if the
        agent has no such command.
        """
        ...

    def login(self, printed: str) -> str:
        """Describes the login from what that command `printed`, which is empty if no command was run. Returns an empty
        text if it cannot be read. Raises AgentLoginError if the user is not logged in.
        """
        ...
