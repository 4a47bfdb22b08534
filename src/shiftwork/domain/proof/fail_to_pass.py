"""Fail-to-pass: whether the tests that a story changed fail without its change, and what a named test is then worth.

The test gates run on the candidate with its changed product sources as the base has them. New ones are left out,
deleted ones are there again; tests, configuration and data stay as the story has them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

NO_PRODUCT: Final = "no product source changed"
INSIDE: Final = "the tests are inside source files"
NO_GATE: Final = "no gate runs tests"
RED_BASE: Final = "the gate is red on the base"
AT_ITS_TIP: Final = "the batch was proved at its tip"

_INSIDE: Final = frozenset({"rs"})
"""Languages whose tests stand in the same file as the code."""

_COMPILED: Final = frozenset(
    {"go", "rs", "java", "kt", "scala", "groovy", "cs", "swift", "c", "cc", "cpp", "ts", "tsx"}
)

_REASON: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutChange:
    """How the candidate is changed before the `gates` run on it: `back` is taken from the base, `out` is left out."""

    gates: tuple[Gate, ...]
    back: tuple[str, ...]
    out: tuple[str, ...]


def not_applicable(reason: str) -> FailToPass:
    return FailToPass(outcome=FailToPassOutcome.NOT_APPLICABLE, reason=_bounded(reason))


def planned(
    touched: Sequence[Touched], protection: Protection, gates: Sequence[Gate], broken: Sequence[str] = ()
) -> WithoutChange | FailToPass:
    """What to run, with the gates that prepare it, or what is known without a run. Gates that are `broken` are red on
    the base: what they would say of the change is unknown. One that is known to see nothing would be green in any case.
    """
    known = without_readers(protection)
    product = [one for one in touched if is_changeable(one.path, known)]
    testing = tuple(gate for gate in gates if is_test_gate(gate) and not gate.blind)
    sound = tuple(gate for gate in testing if gate.name not in broken)
    if not any(is_test(one.path, protection) and one.letter != "D" for one in touched):
        return _without_tests(product, red=sound != testing)
    if not product:
        return not_applicable(NO_PRODUCT)
    if not sound:
        return not_applicable(RED_BASE if testing else NO_GATE)
    needed = {one for gate in sound for one in with_preparation(gate, gates)}
    return WithoutChange(
        gates=tuple(gate for gate in gates if gate in needed),
        back=tuple(one.path for one in product if one.letter != "A"),
        out=tuple(one.path for one in product if one.letter == "A"),
    )


def _without_tests(product: Sequence[Touched], *, red: bool) -> FailToPass:
    """A test that was there before says something new where it was red."""
    if any(ending(one.path) in _INSIDE and one.letter != "D" for one in product):
        return not_applicable(INSIDE)
    return not_applicable(RED_BASE) if red else FailToPass(outcome=FailToPassOutcome.NO_TESTS)


# What came of it -------------------------------------------------------------------------------------------------


def outcome_of(results: Sequence[GateResult]) -> FailToPass:
    """Of the gates on the candidate without its change. One test that ran and failed says more than any that did not
    load.
    """
    red = [result for result in results if not result.passed]
    if not red:
        return FailToPass(outcome=FailToPassOutcome.GREEN)
    ran = [result for result in red if not does_not_load(result.output)]
    first = (ran or red)[0]
    outcome = FailToPassOutcome.ASSERTION if ran else FailToPassOutcome.LOADING
    return FailToPass(outcome=outcome, reason=_bounded(f"{first.name}: {decisive(first.output)}"))


def _bounded(text: str) -> str:
    """As one line: it becomes a trailer of the landed commit."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return plain if len(plain) <= _REASON else f"{plain[: _REASON - 1]}…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What tests that are offered as evidence are held against: where they are defined, the `results` of the gates
    without the change, and the paths that the story has `changed`; of tests in those that are `untried`, as they were
    put back with the product or no gate was run, nothing is known.
    """

    changed: frozenset[str]
    found: Findings = Findings(tree="")
    untried: frozenset[str] = frozenset()
    results: tuple[GateResult, ...] = ()


def named_tests(references: Iterable[str], seen: Seen) -> tuple[NamedTest, ...]:
    return tuple(NamedTest(reference=one, state=_state(one, seen)) for one in dict.fromkeys(references))


def _state(reference: str, seen: Seen) -> NamedTestState:
    file, name = referenced(reference)
    files = (file,) if file else next((one.files for one in seen.found.names if one.name == name), ())
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


# What it is worth ------------------------------------------------------------------------------------------------

_COUNTS: Final = "; a citation or a verification step counts"
_SHORT: Final[Mapping[NamedTestState, str]] = {
    NamedTestState.GREEN: "it passes without the change too, so it does not show the change",
    NamedTestState.UNSEEN: "no gate printed that it fails without the change, so it does not show the change",
    NamedTestState.UNCHANGED: "it was there before this story, which has not changed it, and nothing shows that it "
    "failed then",
}
_SHOWN: Final[Mapping[NamedTestState, str]] = {
    NamedTestState.RED: "; it fails without the change",
    NamedTestState.ABSENT: "; without the change it does not load",
}


def shortfall(reference: str, result: FailToPass | None) -> str:
    """Why a named test that passes does not count as evidence, and what would; empty where it counts."""
    told = _SHORT.get(_state_in(reference, result), "")
    return told and told + _COUNTS


def shown_by(reference: str, result: FailToPass | None) -> str:
    """What is added of a test that counts."""
    return _SHOWN.get(_state_in(reference, result), "")


def _state_in(reference: str, result: FailToPass | None) -> NamedTestState:
    if result is None or result.outcome is FailToPassOutcome.NOT_APPLICABLE:
        return NamedTestState.UNTRIED
    return next((one.state for one in result.tests if one.reference == reference), NamedTestState.UNSEEN)


# In words --------------------------------------------------------------------------------------------------------

_WORDS: Final[Mapping[FailToPassOutcome, str]] = {
    FailToPassOutcome.ASSERTION: "new tests fail without the change (by assertion)",
    FailToPassOutcome.LOADING: "new tests fail without the change (they do not load)",
    FailToPassOutcome.GREEN: "new tests pass without the change: they do not show it",
    FailToPassOutcome.NOT_APPLICABLE: "tests were not run without the change",
    FailToPassOutcome.NO_TESTS: "no tests changed",
}


def in_words(result: FailToPass) -> str:
    """On one line, for every view."""
    words = _WORDS[result.outcome]
    return f"{words}: {result.reason}" if result.outcome is FailToPassOutcome.NOT_APPLICABLE else words


def trailer_of(result: FailToPass) -> str:
    """The value of the landed commit's trailer."""
    outcome = result.outcome
    return f"{outcome} ({result.reason})" if outcome is FailToPassOutcome.NOT_APPLICABLE else outcome.value


def is_red(result: FailToPass) -> bool:
    """Whether the changed tests fail without the change."""
    return result.outcome in {FailToPassOutcome.ASSERTION, FailToPassOutcome.LOADING}
