"""What a gate report means: flaky or red, which change caused it, and the text of the refusal."""

from collections.abc import Sequence
from typing import Final

from shiftwork.domain.core.first_error import failure_text
from shiftwork.domain.core.refusal import RefusalText
from shiftwork.domain.gates.gate import Gate, GateChange, GateReport, GateResult
from shiftwork.domain.text.excerpt import trimmed
from shiftwork.records import replace

DETAIL_LIMIT: Final = 12_000
"""How much of the red gates' output a refusal carries: enough to act on, small enough for a fact."""

_BETWEEN: Final = "\n\n"
_PATHS: Final = 10


def gates_of(gates: Sequence[Gate], *runs: Sequence[str]) -> tuple[Gate, ...]:
    """The gates that judge work of these runs. Each run is given as the gates that it continues without; a gate is left
    out only where all runs leave it out.
    """
    left_out = set.intersection(*map(set, runs)) if runs else set()
    return tuple(gate for gate in gates if gate.name not in left_out)


def tried_again(first: GateReport | None, second: GateReport) -> GateReport:
    """The second report, with every gate marked flaky that was red in the first and is green now."""
    red = {_which(result) for result in first.results if not result.passed} if first else set()
    results = (replace(result, flaky=result.passed and _which(result) in red) for result in second.results)
    return replace(second, results=tuple(results))


def _which(result: GateResult) -> tuple[str, str, bool]:
    """Includes the command, because checks of two specs may have the same name."""
    return result.name, result.command, result.restored


def with_restored(report: GateReport, restored: GateReport, paths: Sequence[str] = ()) -> GateReport:
    """One report on the candidate: the gates on it as it is, and the gates with these paths restored from the base."""
    names = ", ".join(paths[:_PATHS]) + (" and more" if len(paths) > _PATHS else "")
    note = f"(original versions: {names})\n" if paths else ""
    others = tuple(
        replace(result, restored=True, output=("" if result.passed else note) + result.output)
        for result in restored.results
    )
    cached = report.cached and restored.cached
    return replace(report, results=report.results + others, cached=cached, excused=report.excused + restored.excused)


def attributed(report: GateReport, base: GateReport) -> GateReport:
    """The report, with what each gate's result says about the change, given its result on the base."""
    red = {(result.name, result.command) for result in base.results if not result.passed}
    results = (_with_change(result, before=(result.name, result.command) in red) for result in report.results)
    return replace(report, results=tuple(results))


def fixed(report: GateReport, broken: Sequence[str]) -> GateReport:
    """A green report on a change that was sent back earlier, when these gates were red on the base too."""
    return replace(
        report, results=tuple(_with_change(result, before=result.name in broken) for result in report.results)
    )


def _with_change(result: GateResult, *, before: bool) -> GateResult:
    """`before` says whether the gate was red on the base."""
    if before:
        return replace(result, change=GateChange.FIXED if result.passed else GateChange.BROKEN_BEFORE)
    return replace(result, change=GateChange.CLEAN if result.passed else GateChange.REGRESSED)


_RESTORED: Final = (
    " with the tests and the gate configuration as they were before this story.\n"
    "The change passes with its own version of them and not with that one, so it cannot land: make the change pass the "
    "tests as they were. If the task itself says that they must change, their paths must be in the story's `touches`, "
    "which only a person may edit"
)
_BROKEN: Final = (
    "\nbroken before: this gate is red on the base as well, without this story. Nothing lands while it is red"
)
_ASKED: Final = ". Fix it if you can; if not, report what is broken"
"""What an agent should do about a gate that was red before."""


def failing(report: GateReport) -> RefusalText:
    """What the red gates printed, trimmed to what matters."""
    detail, feedback = _printed(report, ""), _printed(report, _ASKED)
    return RefusalText(detail=detail, feedback="" if feedback == detail else feedback)


def _printed(report: GateReport, asked: str) -> str:
    red = [result for result in report.results if not result.passed]
    share = DETAIL_LIMIT // max(len(red), 1) - len(_BETWEEN)
    return trimmed(_BETWEEN.join(_failing(result, share, asked) for result in red), DETAIL_LIMIT)


def _failing(result: GateResult, share: int, asked: str) -> str:
    restored = _RESTORED if result.restored else ""
    broken = f"{_BROKEN}{asked}" if result.change is GateChange.BROKEN_BEFORE else ""
    head = failure_text(f"gate {result.name} failed{restored}{broken}:", result.error, result.log, "")
    return head + trimmed(result.output, max(share - len(head), 0))
