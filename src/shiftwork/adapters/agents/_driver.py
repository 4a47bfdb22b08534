"""What one agent's file tells: how to start it, how to read what it prints, how to judge its end, how to stop it."""

import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from shiftwork.adapters.agents.login.lender import Login
from shiftwork.ports.agent import AgentEvent, AgentReport, AgentTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongings:
    """What an agent has in the user's home, for where it is confined and sees nothing else of it: a copy of its
    `login`, and what it only `reads`.
    """

    login: Login | None = None
    reads: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A program to start: its whole environment, its prompt on standard input (never in argv), files to lay first."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    stdin: bytes
    files: Mapping[str, str] = field(default_factory=dict)
    belongings: Belongings = Belongings()


class Transcript(Protocol):
    """Reads one session: fed line by line, asked once at the end. Never raises on anything an agent may print."""

    def feed(self, line: bytes) -> Iterable[AgentEvent]:
        """The events that one line of standard output stands for; none for lines it does not know."""
        ...

    def verdict(self, exit_code: int, stderr: str) -> AgentReport:
        """What the session came to, from its final event and its exit code together."""
        ...


class Driver(Protocol):
    """One agent's ways."""

    stop_signals: tuple[tuple[signal.Signals, float], ...]
    """How to ask it to stop: signals in order, each with the seconds to wait, before everything is killed."""

    def launch(self, task: AgentTask) -> Launch: ...

    def transcript(self, task: AgentTask, /) -> Transcript: ...

    def version_argv(self) -> tuple[str, ...]:
        """The command that prints its version; its missing is what AgentMissingError tells."""
        ...

    def install_hint(self) -> str: ...

    def login_argv(self) -> tuple[str, ...]:
        """The command that reports the user's login, without a network; empty where a key is in force, or where the
        agent has no such command.
        """
        ...

    def login(self, printed: str) -> str:
        """What that command has printed, in words; empty where it cannot be read. `printed` is empty where nothing was
        asked. Raises AgentLoginError where it says that the user is not logged in.
        """
        ...
