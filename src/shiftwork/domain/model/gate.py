"""Gates: commands whose exit code decides, and what came of running them on one commit."""

from dataclasses import dataclass

from shiftwork.domain.model.ids import Commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A check that the harness runs itself, by a shell, at the root of the candidate's tree."""

    name: str
    command: str
    minutes: float = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """How one gate ended; `output` holds the end of what it printed, bounded."""

    name: str
    passed: bool
    seconds: float
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """All gates on one commit."""

    commit: Commit
    results: tuple[GateResult, ...] = ()

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)
