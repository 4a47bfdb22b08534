"""Fail-to-pass on a candidate: runs its test gates without its product change, and checks tests named as evidence."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from shiftwork.app.landing.gate_choice import gates_for
from shiftwork.app.runtime.recorder import QueueRecorder
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.landing.batching import landed_base, spoken_for
from shiftwork.domain.landing.state import FEATURE, Entry
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.evidence import sought, tests_named
from shiftwork.domain.proof.fail_to_pass import (
    AT_ITS_TIP,
    Seen,
    WithoutChange,
    named_tests,
    not_applicable,
    outcome_of,
    planned,
)
from shiftwork.domain.tampering.findings import Protection
from shiftwork.errors import PassingGitError, RepositoryError
from shiftwork.ports.changes import CommitInspector
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.workspace import Begun, Gates, unwatched
from shiftwork.records import dataclass, replace

_LINES: Final = 1000
_LINE: Final = 500


class Ports(Protocol):
    """The ports that running the gates on a candidate without its change needs."""

    @property
    def protecting(self) -> Protecting: ...

    @property
    def inspector(self) -> CommitInspector: ...

    @property
    def gates(self) -> Gates: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The change from `base` to `commit`, the gates that judge it, those of them that are `broken` on the base, and the
    evidence in its `case`. Gates have the environment of the `landed` commit, also if the change needs another and is
    `borrowing` that.
    """

    base: Commit
    commit: Commit
    gates: tuple[Gate, ...]
    protection: Protection
    case: Case
    marker: str
    landed: Commit
    borrowing: bool = False
    broken: tuple[str, ...] = ()
    begun: Begun = unwatched


async def of_candidate(recorder: QueueRecorder, entry: Entry, marker: str, begun: Begun) -> FailToPass | None:
    """Reuses the result of the first try. None for a revert, which has no tests of its own."""
    request, work_policy = entry.request, recorder.context.work_policy
    if entry.report and entry.report.fail_to_pass:
        return entry.report.fail_to_pass
    if request.type != FEATURE:
        return None
    if len(spoken_for(recorder.state, entry)) > 1:
        return not_applicable(AT_ITS_TIP)
    trial = Trial(
        base=entry.base,
        commit=entry.candidate,
        gates=(await gates_for(recorder, entry)).gates,
        protection=work_policy.protection,
        case=request.case,
        marker=marker,
        landed=landed_base(recorder.state, entry),
        borrowing=request.borrowing,
        broken=request.broken,
        begun=begun,
    )
    return await tried(trial, recorder.context)


async def tried(trial: Trial, ports: Ports, said: FailToPass | None = None) -> FailToPass:
    """The result. If it is given as `said`, no gate runs: only the tests named as evidence are checked again."""
    touched = await ports.protecting.touched(trial.base, trial.commit)
    protection = replace(trial.protection, commands=tuple(gate.command for gate in trial.gates))
    plan = planned(touched, protection, trial.gates, trial.broken)
    seen = Seen(changed=frozenset(change.path for change in touched))
    if isinstance(plan, WithoutChange):
        seen = replace(seen, untried=frozenset((*plan.back, *plan.out)))
        return await (_judged(trial, ports, said, seen) if said else _run(trial, ports, plan, seen))
    if plan.outcome is FailToPassOutcome.NOT_APPLICABLE:
        return said or plan
    return await _judged(trial, ports, said or plan, replace(seen, untried=seen.changed))


async def _run(trial: Trial, ports: Ports, plan: WithoutChange, seen: Seen) -> FailToPass:
    listener = Listener(sought(trial.case).names)
    try:
        commit = await ports.protecting.restored(trial.base, trial.commit, plan.back, plan.out)
        report = await ports.gates.check(
            commit,
            plan.gates,
            f"{trial.marker}.without",
            base=trial.landed,
            borrowing=trial.borrowing,
            begun=trial.begun,
            on_output=listener.feed,
        )
    except PassingGitError:
        raise
    except RepositoryError as error:
        return not_applicable(f"no tree without the change could be prepared: {error.message.partition('\n')[0]}")
    results = tuple(listener.received(result) for result in report.results)
    return await _judged(trial, ports, outcome_of(report.results), replace(seen, results=results))


async def _judged(trial: Trial, ports: Ports, result: FailToPass, seen: Seen) -> FailToPass:
    references = tests_named(trial.case)
    if not references:
        return result
    found = await ports.inspector.look(trial.base, trial.commit, (), sought(trial.case).names)
    return replace(result, tests=named_tests(references, replace(seen, found=found)))


class Listener:
    """Keeps the lines that contain one of the names, each with the line after it, where a runner may put its verdict.
    It also receives the lines that a report leaves out of a long output.
    """

    def __init__(self, names: Sequence[str]) -> None:
        whole = "|".join(re.escape(name) for name in names) or r"(?!)"
        self._sought = re.compile(rf"(?<!\w)(?:{whole})(?!\w)")
        self._lines: dict[str, list[str]] = {}
        self._next: set[str] = set()

    def feed(self, gate: str, line: str) -> None:
        found = self._sought.search(line) is not None
        kept = self._lines.setdefault(gate, [])
        if (found or gate in self._next) and len(kept) < _LINES:
            kept.append(line[:_LINE])
        (self._next.add if found else self._next.discard)(gate)

    def received(self, result: GateResult) -> GateResult:
        """The result, with those lines after its output."""
        return replace(result, output="\n".join((result.output, *self._lines.get(result.name, ()))))
