"""The sandboxes of gates, one for each rung, and which gate uses which.

If the settings do not define the network of gates, each gate uses the first rung on which the base is green. The first
two rungs are stored in the state folder. Higher rungs need the user's consent, which that folder cannot give.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.adapters.processes.supervisor.supervise import Spawn
from shiftwork.adapters.sandbox.sandbox import Room, Sandbox
from shiftwork.domain.gates.rung import Rung, rung_of
from shiftwork.records import dataclass, field

_FILE: Final = "rungs.json"
USUAL: Final = Rung.OWN
"""For commands that were never tried on a base, such as the checks of a spec: the highest that needs no consent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """`consented` are the rungs that the user has agreed to, and `found` those that worked on a base, by command.
    `keep` stores the latter in the `folder`.
    """

    rungs: Mapping[Rung, Sandbox]
    folder: Path
    consented: Mapping[str, Rung] = field(default_factory=dict)
    found: dict[str, Rung] = field(default_factory=dict)

    def enclosed(self, spawn: Spawn, room: Room) -> Spawn:
        return self.rungs[self.rung(room.command)].enclosed(spawn, room)

    def shares_network(self, command: str) -> bool:
        rung = self.rung(command)
        return rung.needs_consent or self.rungs[rung].shares_network(command)

    def rung(self, command: str) -> Rung:
        """Returns the rung in force."""
        consented = self.consented.get(command)
        if consented is not None and consented in self.rungs:
            return consented
        return self.found.get(command, USUAL)

    @property
    def tried(self) -> tuple[Rung, ...]:
        """The rungs that are tried on a base without consent, each with more access than the previous."""
        same = self.rungs[Rung.OWN] == self.rungs[Rung.CUT]
        return (Rung.CUT,) if same else (Rung.CUT, Rung.OWN)

    def unknown(self, commands: Iterable[str]) -> tuple[str, ...]:
        """Returns the commands that were never tried on a base, nor consented to."""
        known = {*self.consented, *self.found}
        return tuple(dict.fromkeys(command for command in commands if command and command not in known))

    def put(self, commands: Iterable[str], rung: Rung) -> None:
        """Makes the commands run on a rung that needs no consent."""
        if rung.needs_consent:
            raise ValueError(f"{rung.word} needs the user's consent")
        self.found.update(dict.fromkeys(commands, rung))

    def forget(self, commands: Iterable[str]) -> None:
        for command in commands:
            self.found.pop(command, None)

    def keep(self) -> None:
        """Stores what was found."""
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / f"{_FILE}.new"
        partial.write_text(json.dumps({command: rung.word for command, rung in self.found.items()}), encoding="utf-8")
        partial.replace(self.folder / _FILE)


def recalled(folder: Path) -> dict[str, Rung]:
    """Returns what was stored; empty if it cannot be read, and never a rung that needs consent."""
    try:
        document: Any = json.loads((folder / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    rungs = (
        {str(command): rung_of(str(word)) for command, word in document.items()} if isinstance(document, dict) else {}
    )
    return {command: rung for command, rung in rungs.items() if rung is not None and not rung.needs_consent}
