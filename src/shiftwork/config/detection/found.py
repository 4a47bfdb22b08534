"""The result of detection: gates, each with the file that it comes from, and the setup command."""

from shiftwork.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGate:
    """A gate, its command, and the file that it comes from. `kind` is "other" if the name suggests tests but the
    command runs none.
    """

    name: str
    command: str
    source: str
    kind: str = ""

    @property
    def table(self) -> dict[str, str]:
        """As the settings write a gate with more than a command."""
        return {"command": self.command, "kind": self.kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """The gates, and the command that must run in a fresh tree before them (`setup`, may be empty)."""

    gates: tuple[FoundGate, ...] = ()
    setup: str = ""

    @property
    def tested(self) -> bool:
        return any(gate.name == "test" for gate in self.gates)


def inside(place: str, found: Detected) -> Detected:
    """The same for a project in a folder of the repository: its commands start there."""
    gates = tuple(
        replace(gate, command=f"cd {place} && {gate.command}", source=f"{place}/{gate.source}") for gate in found.gates
    )
    return Detected(gates=gates, setup=f"(cd {place} && {found.setup})" if found.setup else "")
