"""Gates: commands whose exit code decides, and their results on a commit."""

from collections.abc import Iterable
from enum import StrEnum
from itertools import chain

from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass
from shiftwork.domain.gates.verification import Verification
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A check that the harness runs itself, in a shell, at the root of the candidate's tree; its command changes to the
    folder `cwd` itself, which must be in the tree. If it is a `step` of a
    story's verification, the step says what runs instead. `kind` is "test" where the settings say so. `blind` is set
    where the settings allow the gate not to see the tree: then it proves nothing. `origin` is the path of the spec that
    names the gate; empty where the settings do. If the settings name `paths`, only changes there need the gate.
    They may let what the gate runs `attach` to other processes, or make `namespaces` of its own: then it can forge the
    result.
    """

    name: str
    command: str
    minutes: float = 15
    step: Verification | None = None
    kind: str = ""
    blind: bool = False
    origin: str = ""
    cwd: str = ""
    paths: tuple[str, ...] = ()
    attach: bool = False
    namespaces: bool = False

    @property
    def forgeable(self) -> str:
        """The settings that let what the gate runs forge its result; empty without them."""
        granted = {"attach = true": self.attach, "namespaces = true": self.namespaces}
        return " and ".join(setting for setting, is_granted in granted.items() if is_granted)


def gate_name(story: str, step: str) -> str:
    """The gate name of a story's verification step."""
    return f"{story} {step}"


class GateChange(StrEnum):
    """What a gate's result says about a change, compared with its result on the base below the change."""

    CLEAN = "clean"
    REGRESSED = "regressed"
    BROKEN_BEFORE = "broken before"
    FIXED = "fixed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """How a gate ended; `output` holds the beginning and the end of its output, bounded. `flaky`: it was red the first
    time. `restored`: it ran with the tests and the gate configuration of the base. If the comparison with the base is
    None, the gate's result on the base is unknown. `command` is what ran; it is empty for verification steps. `blind`:
    it is known not to notice a broken product, and the settings allow that, so it proves nothing. `origin` is the
    gate's. `changed` are files of the commit that were written during the run; `fewer` says how many tests passed,
    where more did on the base. If what the gate ran could have forged the result, `forgeable` says why. `exit_code` is
    None where no command ended by itself, and in early facts. Of a red gate, `error` is the first error that it
    reports, `failed_tests` are the tests that it names as failed, and `log` is the file with all of its output; these
    are empty in early facts.
    """

    name: str
    passed: bool
    seconds: float
    output: str = ""
    flaky: bool = False
    restored: bool = False
    change: GateChange | None = None
    command: str = ""
    blind: bool = False
    origin: str = ""
    changed: tuple[str, ...] = ()
    fewer: str = ""
    forgeable: str = ""
    exit_code: int | None = None
    error: FirstError | None = None
    failed_tests: tuple[str, ...] = ()
    log: str = ""


def verified_by(story: str, step: Verification, results: Iterable[GateResult]) -> GateResult | None:
    """The result that verifies a story's step on a commit: its own, or that of the gate that is the same command. None
    if neither has passed, or if the gate sees nothing.
    """
    name, command = gate_name(story, step.id), step.gate_command
    found = [result for result in results if result.passed and not result.restored and not result.blind]
    own = (result for result in found if result.name == name)
    return next(chain(own, (result for result in found if command and result.command == command)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotNeeded:
    """A gate that did not run, because the change is not about its paths."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcusedGate:
    """A gate that was red with the story's new tests left out, and why that says nothing about the story."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """All gates on one commit, except those `not_needed` by the change; `cached` where they had run on another commit
    with the same tree. `fail_to_pass` is about the tests that the change adds, and does not affect whether the gates
    have passed. `excused` are red results of the second run that do not count.
    """

    commit: Commit
    results: tuple[GateResult, ...] = ()
    cached: bool = False
    fail_to_pass: FailToPass | None = None
    not_needed: tuple[NotNeeded, ...] = ()
    excused: tuple[ExcusedGate, ...] = ()

    @property
    def passed(self) -> bool:
        return all(result.passed for result in self.results)

    @property
    def red(self) -> tuple[str, ...]:
        """The gates that failed, by name."""
        return tuple(dict.fromkeys(result.name for result in self.results if not result.passed))

    @property
    def broken_before(self) -> tuple[str, ...]:
        """The gates that are red without the change too."""
        names = (result.name for result in self.results if result.change is GateChange.BROKEN_BEFORE)
        return tuple(dict.fromkeys(names))

    @property
    def seconds(self) -> float:
        return sum(result.seconds for result in self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedGates:
    """A green report, and a digest of everything in the repository and the settings that it depends on."""

    report: GateReport
    key: str
