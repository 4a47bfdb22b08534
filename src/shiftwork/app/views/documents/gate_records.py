"""Gates, specs and settings as parts of several documents."""

from collections.abc import Sequence
from typing import Any

from shiftwork.domain.core.first_error import FirstError
from shiftwork.domain.gates.gate import GateResult
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCommand:
    """A gate, and the command that decides."""

    name: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPlace:
    """An error that a gate reports. The file is empty and the line 0 if its output names none."""

    file: str
    line: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """How a gate ended; see the how-to on gates for `flaky`, `restored` and `blind`. Of a red gate, `log` is the path
    of its whole output.
    """

    name: str
    passed: bool
    duration_seconds: float
    output: str
    flaky: bool
    restored: bool
    change: str | None
    command: str
    blind: bool
    origin: str
    changed: Sequence[str]
    fewer: str
    first_error: ErrorPlace | None
    failed_tests: Sequence[str]
    log: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedField:
    """An entry of the user's file that was not used: `known` to be irrelevant, or not understood."""

    path: str
    known: bool
    meant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartOrder:
    """`ordered`: one after the other; `starting`: the stories in that order, of which `at_once` start immediately.
    `stating` counts the stories that state a dependency; `planned`: an agent plans the stories first.
    """

    ordered: bool
    planned: bool
    starting: Sequence[str]
    stating: int
    at_once: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingChange:
    """A setting before and after, and the value in force; `kept`: the run keeps its own."""

    setting: str
    before: Any
    after: Any
    in_force: Any
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedGateLine:
    """A gate that has not run on the branch since the commit `since`, because landings skipped it. Once it has run, and
    is `red`, `story` of `run` made it so, if any story did.
    """

    gate: str
    branch: str
    since: str
    red: bool
    run: str
    story: str
    note: str


def outcome(result: GateResult) -> GateOutcome:
    return GateOutcome(
        name=result.name,
        passed=result.passed,
        duration_seconds=result.seconds,
        output=result.output,
        flaky=result.flaky,
        restored=result.restored,
        change=result.change,
        command=result.command,
        blind=result.blind,
        origin=result.origin,
        changed=result.changed,
        fewer=result.fewer,
        first_error=_place(result.error) if result.error else None,
        failed_tests=result.failed_tests,
        log=result.log,
    )


def _place(error: FirstError) -> ErrorPlace:
    return ErrorPlace(file=error.file, line=error.line, message=error.message)
