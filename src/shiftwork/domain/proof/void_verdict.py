"""What speaks against a green gate, given how the same gate ended on the base.

A gate's verdict is about one commit. It is void where a file of that commit changed while the gate ran, unless the gate
changes the same file on the base, and where the gate's own test runner contradicts it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.test_gate import only_reads
from shiftwork.domain.proof.test_count import contradicts, fewer

_PATHS: Final = 5
_WRITTEN: Final = (
    "What it says of the commit is not known. Let no test write to files of the repository; where a tool of the gate "
    "is to rewrite them (a formatter, a lock file), commit what it writes"
)


def is_in_doubt(report: GateReport) -> bool:
    """Whether files of the commit changed while a gate ran: then the base must be known."""
    return any(result.changed for result in report.results)


def held_against(report: GateReport, base: Iterable[GateResult]) -> GateReport:
    """The report, in which a gate is red whose verdict is void, and each says where fewer tests passed than on the
    base. Of gates that the base's results do not have, nothing is known.
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
    return f"{listed} changed while the gate ran, and on the base the gate leaves that alone. {_WRITTEN}"


_ASKED: Final = (
    "What the gate says of the code then proves nothing. Do without it; where the task itself asks for it, the path "
    "has to be in what the story touches, and that is a person's to write"
)


def objected(report: GateReport, objections: Sequence[str], gates: Sequence[Gate]) -> GateReport:
    """The report, in which the gates are red that run code of the change to which there are objections."""
    if not objections:
        return report
    reading = {gate.name for gate in gates if only_reads(gate)}
    why = "\n".join(("void:", *objections, _ASKED))

    def judged(result: GateResult) -> GateResult:
        if result.restored or result.name in reading:
            return result
        return replace(result, passed=False, output=f"{why}\n{result.output}")

    return replace(report, results=tuple(map(judged, report.results)))


def fewer_told(report: GateReport | None) -> str:
    """On one line, by the names of the gates; empty where no gate passed fewer tests than on the base."""
    found = {result.name: result.fewer for result in report.results if result.fewer} if report else {}
    return f"fewer tests passed ({', '.join(f'{name}: {told}' for name, told in found.items())})" if found else ""
