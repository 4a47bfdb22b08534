"""Fail-to-pass: whether the tests that a story changed fail without its change, and whether a named test then counts.

The test gates run on the candidate with its changed product sources restored from the base. New sources are left out,
deleted sources are restored; tests, configuration and data stay as the story has them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from shiftwork.domain.canary.source_root import is_changeable, without_readers
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome, NamedTest, NamedTestState
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.domain.gates.load_error import decisive, does_not_load, is_unloaded
from shiftwork.domain.gates.test_gate import is_test_gate, with_preparation
from shiftwork.domain.gates.test_output import failing, passing
from shiftwork.domain.proof.test_definitions import referenced
from shiftwork.domain.proof.verdict import Findings
from shiftwork.domain.tampering.findings import Protection, Touched
from shiftwork.domain.tampering.protected_paths import is_test
from shiftwork.domain.text.file_types import ending
from shiftwork.records import dataclass

NO_PRODUCT: Final = "no product source changed"
INSIDE: Final = "the tests are inside source files"
NO_GATE: Final = "no gate runs tests"
RED_BASE: Final = "the gate is red on the base"
AT_ITS_TIP: Final = "the batch was proved at its tip"

_INSIDE: Final = frozenset({"rs"})
"""Languages whose tests are in the same file as the code."""

_COMPILED: Final = frozenset(
    {"go", "rs", "java", "kt", "scala", "groovy", "cs", "swift", "c", "cc", "cpp", "ts", "tsx"}
)

_REASON: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutChange:
    """How the candidate is changed before the `gates` run: `back` is restored from the base, `out` is left out."""

    gates: tuple[Gate, ...]
    back: tuple[str, ...]
    out: tuple[str, ...]


def not_applicable(reason: str) -> FailToPass:
    return FailToPass(outcome=FailToPassOutcome.NOT_APPLICABLE, reason=_bounded(reason))


def planned(
    touched: Sequence[Touched], protection: Protection, gates: Sequence[Gate], broken: Sequence[str] = ()
) -> WithoutChange | FailToPass:
    """What to run, with the gates that prepare it, or the result where no run is needed. `broken` gates are red on the
    base, so what they would say about the change is unknown. A blind gate would be green in any case.
    """
    known = without_readers(protection)
    product = [change for change in touched if is_changeable(change.path, known)]
    testing = tuple(gate for gate in gates if is_test_gate(gate) and not gate.blind)
    sound = tuple(gate for gate in testing if gate.name not in broken)
    if not any(is_test(change.path, protection) and change.letter != "D" for change in touched):
        return _without_tests(product, red=sound != testing)
    if not product:
        return not_applicable(NO_PRODUCT)
    if not sound:
        return not_applicable(RED_BASE if testing else NO_GATE)
    needed = {item for gate in sound for item in with_preparation(gate, gates)}
    return WithoutChange(
        gates=tuple(gate for gate in gates if gate in needed),
        back=tuple(change.path for change in product if change.letter != "A"),
        out=tuple(change.path for change in product if change.letter == "A"),
    )


def _without_tests(product: Sequence[Touched], *, red: bool) -> FailToPass:
    """An existing test says something new where it was red."""
    if any(ending(change.path) in _INSIDE and change.letter != "D" for change in product):
        return not_applicable(INSIDE)
    return not_applicable(RED_BASE) if red else FailToPass(outcome=FailToPassOutcome.NO_TESTS)


# Results ---------------------------------------------------------------------------------------------------------


def outcome_of(results: Sequence[GateResult]) -> FailToPass:
    """The result of the gates on the candidate without its change. A test that ran and failed says more than any that
    did not load.
    """
    red = [result for result in results if not result.passed]
    if not red:
        return FailToPass(outcome=FailToPassOutcome.GREEN)
    ran = [result for result in red if not does_not_load(result.output)]
    first = (ran or red)[0]
    outcome = FailToPassOutcome.ASSERTION if ran else FailToPassOutcome.LOADING
    return FailToPass(outcome=outcome, reason=_bounded(f"{first.name}: {decisive(first.output)}"))


def _bounded(text: str) -> str:
    """The text on one line, because it becomes a trailer of the landed commit."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return plain if len(plain) <= _REASON else f"{plain[: _REASON - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What tests offered as evidence are compared with: where they are defined, the `results` of the gates without the
    change, and the paths that the story `changed`. The result of tests in `untried` paths is unknown, because these
    were restored along with the product or no gate ran.
    """

    changed: frozenset[str]
    found: Findings = Findings(tree="")
    untried: frozenset[str] = frozenset()
    results: tuple[GateResult, ...] = ()


def named_tests(references: Iterable[str], seen: Seen) -> tuple[NamedTest, ...]:
    return tuple(NamedTest(reference=item, state=_state(item, seen)) for item in dict.fromkeys(references))


def _state(reference: str, seen: Seen) -> NamedTestState:
    file, name = referenced(reference)
    files = (file,) if file else next((item.files for item in seen.found.names if item.name == name), ())
    if files and seen.untried.issuperset(files):
        return NamedTestState.UNTRIED
    red = [result.output for result in seen.results if not result.passed]
    if any(failing(name, files, output) for output in red):
        return NamedTestState.RED
    if any(passing(name, files, result.output) for result in seen.results):
        return NamedTestState.GREEN
    if seen.changed.isdisjoint(files):
        return NamedTestState.UNCHANGED
    if not red:
        return NamedTestState.GREEN
    compiled = any(ending(file) in _COMPILED for file in files)  # their compilers name a package, or none of its tests
    absent = any(is_unloaded(files, output) or (compiled and does_not_load(output)) for output in red)
    return NamedTestState.ABSENT if absent else NamedTestState.UNSEEN


# Evidence --------------------------------------------------------------------------------------------------------

_COUNTS: Final = "; use a citation or a verification step instead"
_SHORT: Final[Mapping[NamedTestState, str]] = {
    NamedTestState.GREEN: "it passes without the change too, so it does not prove the change",
    NamedTestState.UNSEEN: "no gate printed that it fails without the change, so it does not prove the change",
    NamedTestState.UNCHANGED: "it existed before this story, which has not changed it, and nothing shows that it "
    "failed then",
}
_SHOWN: Final[Mapping[NamedTestState, str]] = {
    NamedTestState.RED: "; it fails without the change",
    NamedTestState.ABSENT: "; without the change it does not load",
}


def shortfall(reference: str, result: FailToPass | None) -> str:
    """Why a named test that passes does not count as evidence, and what would; empty where it counts."""
    message = _SHORT.get(_state_in(reference, result), "")
    return message and message + _COUNTS


def shown_by(reference: str, result: FailToPass | None) -> str:
    """What is added to the verdict on a test that counts."""
    return _SHOWN.get(_state_in(reference, result), "")


def _state_in(reference: str, result: FailToPass | None) -> NamedTestState:
    if result is None or result.outcome is FailToPassOutcome.NOT_APPLICABLE:
        return NamedTestState.UNTRIED
    return next(
        (named_test.state for named_test in result.tests if named_test.reference == reference), NamedTestState.UNSEEN
    )


# In words --------------------------------------------------------------------------------------------------------

_WORDS: Final[Mapping[FailToPassOutcome, str]] = {
    FailToPassOutcome.ASSERTION: "new tests fail without the change",
    FailToPassOutcome.LOADING: "new tests fail without the change: they use code that it adds",
    FailToPassOutcome.GREEN: "new tests pass without the change: they do not prove it",
    FailToPassOutcome.NOT_APPLICABLE: "tests were not run without the change",
    FailToPassOutcome.NO_TESTS: "no tests changed",
}


def in_words(result: FailToPass) -> str:
    """One line for every view."""
    words = _WORDS[result.outcome]
    return f"{words}: {result.reason}" if result.outcome is FailToPassOutcome.NOT_APPLICABLE else words


def trailer_of(result: FailToPass) -> str:
    """The value of the landed commit's trailer."""
    outcome = result.outcome
    return f"{outcome} ({result.reason})" if outcome is FailToPassOutcome.NOT_APPLICABLE else outcome.value


def is_red(result: FailToPass) -> bool:
    """Whether the changed tests fail without the change."""
    return result.outcome in {FailToPassOutcome.ASSERTION, FailToPassOutcome.LOADING}
