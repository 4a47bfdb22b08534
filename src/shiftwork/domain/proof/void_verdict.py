"""Reasons against a green gate, given how the same gate ended on the base.

A gate's verdict is about one commit. It is void where a file of that commit changed while the gate ran, unless the gate
changes the same file on the base, and where the gate's own test runner contradicts it.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import only_reads
from shiftwork.domain.proof.test_count import contradicts, fewer
from shiftwork.records import replace

_PATHS: Final = 5
_WRITTEN: Final = (
    "Its result for the commit is unknown. Tests must not write to files of the repository; if a tool of the gate "
    "rewrites them (a formatter, a lock file), commit what it writes"
)


def is_uncertain(report: GateReport) -> bool:
    """Whether tracked files changed while a gate ran: then its result counts only beside its result on the base."""
    return any(result.changed for result in report.results)


def held_against(report: GateReport, base: Iterable[GateResult]) -> GateReport:
    """The report with void verdicts turned red, and with a note where fewer tests passed than on the base. Gates
    without a result on the base stay as they are.
    """
    known = {(result.name, result.command): result for result in base}
    judged = (_judged(result, known.get((result.name, result.command))) for result in report.results)
    return replace(report, results=tuple(judged))


def _judged(result: GateResult, base: GateResult | None) -> GateResult:
    if base is None or not result.passed:
        return result
    if why := _written(result.changed, base.changed) or contradicts(result.output, base.output):
        return replace(result, passed=False, output=f"void: {why}\n{result.output}")
    return replace(result, fewer=fewer(result.output, base.output))


def _written(paths: Sequence[str], allowed: Sequence[str]) -> str:
    named = [path for path in paths if path not in allowed]
    if not named:
        return ""
    listed = ", ".join(named[:_PATHS]) + (" and more" if len(named) > _PATHS else "")
    return f"{listed} changed while the gate ran, and on the base the gate does not change that. {_WRITTEN}"


_ASKED: Final = (
    "The gate's result then proves nothing. Remove this from the change; if the task itself asks for it, the path "
    "must be in the story's `touches`, which only a person may edit"
)


def objected(report: GateReport, objections: Sequence[str], gates: Sequence[Gate]) -> GateReport:
    """The report with every gate turned red that runs code of the change, where there are objections to that code."""
    if not objections:
        return report
    reading = {gate.name for gate in gates if only_reads(gate)}
    why = "\n".join(("void:", *objections, _ASKED))

    def judged(result: GateResult) -> GateResult:
        if result.restored or result.name in reading:
            return result
        return replace(result, passed=False, output=f"{why}\n{result.output}")

    return replace(report, results=tuple(map(judged, report.results)))


def fewer_shown(report: GateReport | None) -> str:
    """One line with the names of the gates; empty where no gate passed fewer tests than on the base."""
    found = {result.name: result.fewer for result in report.results if result.fewer} if report else {}
    return f"fewer tests passed ({', '.join(f'{name}: {message}' for name, message in found.items())})" if found else ""
