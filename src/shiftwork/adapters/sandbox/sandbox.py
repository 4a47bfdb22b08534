"""What separates a program from the rest of the machine: nothing, or a tier of the sandbox."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from shiftwork.adapters.processes.supervisor.supervise import Spawn
from shiftwork.records import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What one program may access beyond what every program may.

    It works in `tree`. Paths in `writable` and `readable` that do not exist are skipped, and a readable path inside a
    writable path stays read-only. `programs` are files that it starts, visible with what they need beside them. `house`
    is its own folder in place of the user's home; without it, what is written there is lost when the program ends.
    `stand_ins` are more folders of its own, by the paths that they replace. `files` are given to it by their content,
    in its home, where no other file of the user is visible. For a command of the project, `command` is the line by
    which the user knows it. `attaches` and `has_namespaces` are granted to a gate: see `Gate`.
    """

    tree: Path
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    programs: tuple[str, ...] = ()
    house: Path | None = None
    stand_ins: Mapping[Path, Path] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)
    command: str = ""
    attaches: bool = False
    has_namespaces: bool = False


class Sandbox(Protocol):
    """One tier, for one kind of program."""

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:
        """Returns the same program in the sandbox; raises OSError if the program is missing, as starting it would."""
        ...

    def shares_network(self, command: str) -> bool:
        """Whether a command of the project that the sandbox keeps apart otherwise has the machine's network: then what
        one run of it starts could answer for another at the same time.
        """
        ...


class Unconfined:
    """The tier `none`: everything runs with the rights of the user."""

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:  # noqa: ARG002 - the protocol's signature
        return spawn

    def shares_network(self, command: str) -> bool:  # noqa: ARG002 - the protocol's signature
        return False


OPEN: Final = Unconfined()
