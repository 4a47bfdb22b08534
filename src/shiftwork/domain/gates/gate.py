"""Gates: commands whose exit code decides, and what came of running them on one commit."""

from dataclasses import dataclass
from enum import StrEnum

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A check that the harness runs itself, by a shell, at the root of the candidate's tree. Where it is a `step` of a
    story's verification, that says what is done instead. `kind` is "test" where the settings say so; `blind` where they
    allow the gate not to see the tree: then it proves nothing. `origin` is the spec that names the gate, as a path;
    empty where the settings do.
    """

    name: str
    command: str
    minutes: float = 15
    step: Verification | None = None
    kind: str = ""
    blind: bool = False
    origin: str = ""


def gate_name(story: str, step: str) -> str:
    """What the gate is called that is a verification step of a story."""
    return f"{story} {step}"


class Standing(StrEnum):
    """What a gate says of a change, given what it says of the base that the change stands on."""

    CLEAN = "clean"
    REGRESSED = "regressed"
    BROKEN_BEFORE = "broken before"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """How one gate ended; `output` holds the two ends of what it printed, bounded. A `flaky` one was red the first
    time. A `restored` one ran with the tests and the gate configuration of the base. Without a `standing` it is not
    known what the gate says of the base. `command` is what was run; verification steps say that themselves. A `blind`
    one is known not to notice a broken product, and the settings allow that: it proves nothing. `origin` is the gate's.
    `changed` are files of the commit that were written while it ran; `fewer` says how many tests passed, where more did
    on the base.
    """

    name: str
    passed: bool
    seconds: float
    output: str = ""
    flaky: bool = False
    restored: bool = False
    standing: Standing | None = None
    command: str = ""
    blind: bool = False
    origin: str = ""
    changed: tuple[str, ...] = ()
    fewer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """All gates on one commit; `cached` where they had run on another commit with the very same tree. `fail_to_pass` is
    about the tests that the change brings, and has no say in whether the gates have passed.
    """

    commit: Commit
    results: tuple[GateResult, ...] = ()
    cached: bool = False
    fail_to_pass: FailToPass | None = None

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)

    @property
    def broken_before(self) -> tuple[str, ...]:
        """The gates that are red without the change too."""
        names = (result.name for result in self.results if result.standing is Standing.BROKEN_BEFORE)
        return tuple(dict.fromkeys(names))

    @property
    def seconds(self) -> float:
        return sum(result.seconds for result in self.results)
