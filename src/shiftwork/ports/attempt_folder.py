"""An attempt's folder: holds its task, and receives the agent's output for the harness."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from shiftwork.domain.memory.notes import Remark
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptName:
    """Identifies the folder of an attempt. Every attempt has its own."""

    run: str
    story: str
    step: str
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptFolder:
    """The paths. The agent may write to `home` and to its outputs folder; only the harness writes to `log`."""

    folder: Path
    home: Path
    output_folder: Path
    log: Path
    edit_request: Path
    toolbox: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question from an agent to a person, with the options to choose from, if any."""

    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptOutputs:
    """What an attempt produced: claims and requests, all still to be checked."""

    edits: tuple[str, ...] = ()
    notes: tuple[Remark, ...] = ()
    evidence: tuple[dict[str, str], ...] = ()
    questions: tuple[Question, ...] = ()


class AttemptFolders(Protocol):
    """Creates and clears attempt folders."""

    async def lay(self, name: AttemptName) -> AttemptFolder:
        """Create an empty folder; output of an earlier attempt with the same name is moved away, never mixed in."""
        ...

    async def brief(self, attempt_folder: AttemptFolder, prompt: str, task: dict[str, Any]) -> None:
        """Write the prompt, for people, and the task, for the tools that the agent is offered."""
        ...

    async def collect(self, attempt_folder: AttemptFolder) -> AttemptOutputs:
        """The content of the outputs folder; unreadable content is passed on as it is, truncated, and never raises."""
        ...

    async def lay_scratch(self, tree: Path, files: Mapping[str, str]) -> Mapping[str, str]:
        """Create these files in the tree where nothing has their names, unless their text is empty; returns those whose
        names are free, created or not.
        """
        ...

    async def take_scratch(self, tree: Path, files: Mapping[str, str]) -> Mapping[str, str]:
        """Remove these files from the tree; returns what each contains beyond the given text, if anything. A link is
        removed and not followed, and what cannot be read counts as empty.
        """
        ...

    async def clear(self, home: Path) -> None:
        """Remove an agent's home; prompt, outputs and log stay for inspection. Calling again is harmless."""
        ...

    def keep_path(self, name: AttemptName, why: str) -> Path:
        """Where an abandoned diff of this attempt is stored."""
        ...

    def is_kept(self, diff: Path) -> bool:
        """Whether it was stored, by this process or by one that died before it could report that."""
        ...
