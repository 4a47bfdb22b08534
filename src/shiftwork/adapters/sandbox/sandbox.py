"""What stands between a program and the rest of the machine: nothing, or what a tier of the sandbox puts there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from shiftwork.adapters.processes.supervisor.supervise import Spawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What one program may touch beyond what everybody may.

    It works in `tree`. Of `writable` and `readable` what is not there is passed over, and what is readable stays so
    inside of what is writable. `programs` are files that it starts, seen with what they need beside them. `house` is a
    folder of its own that stands where the user's home is; without one, what is written there is gone with the program.
    `stand_ins` are folders of its own, too, by the places where they stand. `files` are lent to it by their content, in
    its home, where nothing else of the user's is shown. Of a command of the project's own,
    `command` is the line by which the user knows it.
    """

    tree: Path
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    programs: tuple[str, ...] = ()
    house: Path | None = None
    stand_ins: Mapping[Path, Path] = field(default_factory=dict)
    files: Mapping[Path, str] = field(default_factory=dict)
    command: str = ""


class Sandbox(Protocol):
    """One tier, for one kind of program."""

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:
        """The same program, within the walls; raises OSError where there is no such program, as starting it would."""
        ...


class NoWalls:
    """The tier `none`: everything runs with the rights of the user."""

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:  # noqa: ARG002 - the protocol's signature
        return spawn


OPEN: Final = NoWalls()
