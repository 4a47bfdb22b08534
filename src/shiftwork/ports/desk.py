"""An attempt's desk: where it finds its task, and where it leaves what it has to say to the harness."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from shiftwork.domain.memory.notes import Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskName:
    """Whose desk it is. One attempt, one desk."""

    run: str
    story: str
    step: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where things lie. `home` and `outbox` are the agent's to write to; `log` is the harness's own."""

    folder: Path
    home: Path
    outbox: Path
    log: Path
    edit_request: Path
    toolbox: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an agent asks a person, with what they may choose from, where it offers a choice."""

    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """What an attempt left: claims and requests, all of them still to be checked."""

    edits: tuple[str, ...] = ()
    notes: tuple[Remark, ...] = ()
    evidence: tuple[dict[str, str], ...] = ()
    questions: tuple[Question, ...] = ()


class Desks(Protocol):
    """Lays and clears desks."""

    async def lay(self, name: DeskName) -> Desk:
        """An empty desk; what an earlier attempt of the same name left is set aside, never mixed in."""
        ...

    async def brief(self, desk: Desk, prompt: str, task: dict[str, Any]) -> None:
        """Write down the prompt, for people, and the task, for the tools that the agent is offered."""
        ...

    async def collect(self, desk: Desk) -> Mail:
        """What lies in the outbox; anything unreadable there is handed on as it is, bounded, never an error."""
        ...

    async def clear(self, desk: Desk) -> None:
        """Remove the agent's home; prompt, mail and log stay for inspection. Calling again is harmless."""
        ...

    def keep_path(self, name: DeskName, why: str) -> Path:
        """Where an abandoned diff of this attempt is kept."""
        ...
