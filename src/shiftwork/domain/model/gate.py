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
    """How one gate ended; `output` holds the end of what it printed, bounded. A `flaky` one was red the first time."""

    name: str
    passed: bool
    seconds: float
    output: str = ""
    flaky: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """All gates on one commit; `cached` where they had run on another commit with the very same tree."""

    commit: Commit
    results: tuple[GateResult, ...] = ()
    cached: bool = False

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)

    @property
    def seconds(self) -> float:
        return sum(result.seconds for result in self.results)
