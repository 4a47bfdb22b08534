"""What a report of gates comes to: flaky or red, whose fault it is, and what whoever must mend it is told."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from shiftwork.domain.gates.gate import Gate, GateReport, GateResult, Standing
from shiftwork.domain.text.excerpt import trimmed

DETAIL_LIMIT: Final = 12_000
"""How much of the red gates' output a refusal carries: enough to act on, small enough for a fact."""

_BETWEEN: Final = "\n\n"
_PATHS: Final = 10


def gates_of(gates: Sequence[Gate], *runs: Sequence[str]) -> tuple[Gate, ...]:
    """The gates that judge work of these runs, each told by the gates that it continues without: one is left out only
    where all of them leave it out.
    """
    left_out = set.intersection(*map(set, runs)) if runs else set()
    return tuple(gate for gate in gates if gate.name not in left_out)


def tried_again(first: GateReport | None, second: GateReport) -> GateReport:
    """The second report, in which a gate that was red in the first and is no longer is called flaky."""
    red = {_which(result) for result in first.results if not result.passed} if first else set()
    results = (replace(result, flaky=result.passed and _which(result) in red) for result in second.results)
    return replace(second, results=tuple(results))


def _which(result: GateResult) -> tuple[str, str, bool]:
    """By its command too: checks of two specs may have one name."""
    return result.name, result.command, result.restored


def with_restored(report: GateReport, restored: GateReport, paths: Sequence[str] = ()) -> GateReport:
    """One report on the candidate, of the gates on it as it is and of those with these paths as the base has them."""
    names = ", ".join(paths[:_PATHS]) + (" and more" if len(paths) > _PATHS else "")
    note = f"(as before: {names})\n" if paths else ""
    others = tuple(
        replace(result, restored=True, output=("" if result.passed else note) + result.output)
        for result in restored.results
    )
    return replace(report, results=report.results + others, cached=report.cached and restored.cached)


def attributed(report: GateReport, base: GateReport) -> GateReport:
    """The report, with what each gate's result says of the change, given that on the base."""
    red = {(result.name, result.command) for result in base.results if not result.passed}
    results = (_standing(result, before=(result.name, result.command) in red) for result in report.results)
    return replace(report, results=tuple(results))


def mended(report: GateReport, broken: Sequence[str]) -> GateReport:
    """A green report on a change that was sent back before, when these gates were found to be red on the base too."""
    return replace(report, results=tuple(_standing(one, before=one.name in broken) for one in report.results))


def _standing(result: GateResult, *, before: bool) -> GateResult:
    """Given whether the gate was red `before`."""
    if before:
        return replace(result, standing=Standing.FIXED if result.passed else Standing.BROKEN_BEFORE)
    return replace(result, standing=Standing.CLEAN if result.passed else Standing.REGRESSED)


_RESTORED: Final = (
    " with the tests and the gate configuration as they were before this story.\n"
    "The change passes with its own version of them and not with that one, so it cannot land: make the change pass the "
    "tests as they were. Where the task itself says that they must change, their paths have to be in what the story "
    "touches; that is a person's to write"
)
ASKED: Final = ". Mend it where that is within reach; if not, say what is broken"
"""What an agent is to do about a gate that was red before."""

_BROKEN: Final = (
    "\nbroken before: this gate is red on the base as well, without this story. Nothing lands while it is red" + ASKED
)


def failing(report: GateReport) -> str:
    """What the red gates said, for whoever must mend it, trimmed to what matters."""
    red = [result for result in report.results if not result.passed]
    share = DETAIL_LIMIT // max(len(red), 1) - len(_BETWEEN)
    return trimmed(_BETWEEN.join(_failing(result, share) for result in red), DETAIL_LIMIT)


def _failing(result: GateResult, share: int) -> str:
    restored = _RESTORED if result.restored else ""
    broken = _BROKEN if result.standing is Standing.BROKEN_BEFORE else ""
    head = f"gate {result.name} failed{restored}{broken}:\n"
    return head + trimmed(result.output, max(share - len(head), 0))
