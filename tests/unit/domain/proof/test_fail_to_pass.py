"""When the test gates run without a story's change, the result, and how much a named test then counts."""

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome, NamedTest, NamedTestState
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.proof.evidence import named_test
from shiftwork.domain.proof.fail_to_pass import (
    AT_ITS_TIP,
    INSIDE,
    NO_GATE,
    NO_PRODUCT,
    RED_BASE,
    Seen,
    WithoutChange,
    in_words,
    is_red,
    named_tests,
    not_applicable,
    outcome_of,
    planned,
    trailer_of,
)
from shiftwork.domain.proof.verdict import Findings, NameFound, Verdict
from shiftwork.domain.tampering.findings import Protection, Touched
from tests.unit.domain.gates import runner_outputs as out

UNIT = Gate(name="unit", command="pytest")
LINT = Gate(name="lint", command="ruff check .")
OTHER = Gate(name="e2e", command="sh e2e.sh")
NEW_TEST, EDITED = Touched(path="tests/test_new.py", letter="A"), Touched(path="price.py", letter="M")
RED_ASSERTION = FailToPass(outcome=FailToPassOutcome.ASSERTION)
NO_TESTS = FailToPass(outcome=FailToPassOutcome.NO_TESTS)


def plan(*touched: Touched, gates: tuple[Gate, ...] = (UNIT, LINT), broken: tuple[str, ...] = ()) -> object:
    commands = tuple(gate.command for gate in gates)
    return planned(touched, Protection(commands=commands), gates, broken)


def test_only_product_sources_are_put_back_and_only_test_gates_run() -> None:
    touched = (
        NEW_TEST,
        EDITED,
        Touched(path="discount.py", letter="A"),
        Touched(path="old.py", letter="D"),
        Touched(path="pyproject.toml", letter="M"),
        Touched(path="prices.json", letter="M"),
        Touched(path="tests/data.json", letter="A"),
        Touched(path="conftest.py", letter="A"),
    )
    assert plan(*touched) == WithoutChange(gates=(UNIT,), back=("price.py", "old.py"), out=("discount.py",))


def test_what_a_gate_starts_is_not_put_back_and_what_it_reads_is() -> None:
    run, lint = Gate(name="test", command="python check.py"), Gate(name="lint", command="mypy price.py")
    found = plan(NEW_TEST, EDITED, Touched(path="check.py", letter="M"), gates=(run, lint))
    assert found == WithoutChange(gates=(run,), back=("price.py",), out=())


def test_fixtures_stay_and_what_is_generated_is_put_back() -> None:
    stays = ("e2e/pages.ts", "src/__mocks__/a.ts", "manage.py", "web/vite.config.ts", ".github/scripts/a.py")
    touched = (NEW_TEST, *(Touched(path=path, letter="A") for path in (*stays, "price_pb2.py")))
    assert plan(*touched) == WithoutChange(gates=(UNIT,), back=(), out=("price_pb2.py",))


@pytest.mark.parametrize(
    ("touched", "expected"),
    [
        ((EDITED,), NO_TESTS),
        ((EDITED, Touched(path="tests/test_old.py", letter="D")), NO_TESTS),
        ((Touched(path="README.md", letter="M"),), NO_TESTS),
        ((), NO_TESTS),
        ((NEW_TEST,), not_applicable(NO_PRODUCT)),
        ((NEW_TEST, Touched(path="prices.json", letter="M")), not_applicable(NO_PRODUCT)),
        ((Touched(path="src/lib.rs", letter="M"),), not_applicable(INSIDE)),
        ((Touched(path="src/lib.rs", letter="D"),), NO_TESTS),
    ],
)
def test_there_may_be_nothing_to_run(touched: tuple[Touched, ...], expected: FailToPass) -> None:
    assert plan(*touched) == expected


def test_tests_beside_the_product_run_without_it_in_rust_too() -> None:
    gate = Gate(name="test", command="cargo test")
    touched = (Touched(path="tests/price.rs", letter="A"), Touched(path="src/lib.rs", letter="M"))
    assert plan(*touched, gates=(gate,)) == WithoutChange(gates=(gate,), back=("src/lib.rs",), out=())


def test_what_builds_the_product_for_the_tests_runs_too() -> None:
    build = Gate(name="build", command="make")
    found = plan(NEW_TEST, EDITED, gates=(LINT, build, UNIT, OTHER))
    assert found == WithoutChange(gates=(build, UNIT, OTHER), back=("price.py",), out=())


def test_gates_that_would_say_nothing_do_not_run() -> None:
    blind = Gate(name="blind", command="pytest", blind=True)
    assert plan(NEW_TEST, EDITED, gates=(LINT,)) == not_applicable(NO_GATE)
    assert plan(NEW_TEST, EDITED, gates=(blind,)) == not_applicable(NO_GATE)
    assert plan(NEW_TEST, EDITED, broken=("unit",)) == not_applicable(RED_BASE)
    assert plan(EDITED, broken=("unit",)) == not_applicable(RED_BASE), "a test that was red before says something new"
    assert plan(EDITED, broken=("lint",)) == NO_TESTS
    found = plan(NEW_TEST, EDITED, gates=(UNIT, OTHER, blind), broken=("unit",))
    assert found == WithoutChange(gates=(OTHER,), back=("price.py",), out=())


def result(output: str, *, passed: bool = False, name: str = "unit") -> GateResult:
    return GateResult(name=name, passed=passed, seconds=1, output=output)


def test_what_comes_of_the_gates() -> None:
    green, unloaded = result("1 passed", passed=True), result(out.PYTEST_UNLOADED)
    assert outcome_of((green, green)) == FailToPass(outcome=FailToPassOutcome.GREEN)
    assert outcome_of((green, unloaded)) == FailToPass(
        outcome=FailToPassOutcome.LOADING,
        reason="unit: E   ImportError: cannot import name 'discount' from 'price' (/tree/price.py)",
    )
    assert outcome_of((unloaded, result(out.GO, name="go"))) == FailToPass(
        outcome=FailToPassOutcome.ASSERTION, reason="go: --- FAIL: TestTotal (0.00s)"
    )


def test_the_reason_is_one_short_line() -> None:
    found = outcome_of((result("x\ty" + "z" * 900),))
    assert found.reason.startswith("unit: x yzzz")
    assert len(found.reason) == 200
    assert found.reason.isprintable()
    assert not_applicable(" it\nfailed ").reason == "it failed"


PRICE, NEW = "tests/test_price.py", "tests/test_new.py"
NAMES = Findings(
    tree="t",
    names=(
        NameFound(name="test_total", files=(PRICE,)),
        NameFound(name="test_nothing", files=(PRICE,)),
        NameFound(name="test_new", files=(NEW,)),
        NameFound(name="inside", files=("src/lib.rs",)),
    ),
)


def state(reference: str, *results: GateResult, changed: tuple[str, ...] = (PRICE, NEW)) -> NamedTestState:
    seen = Seen(found=NAMES, changed=frozenset(changed), untried=frozenset({"src/lib.rs"}), results=results)
    (found,) = named_tests((reference, reference), seen)
    assert found.reference == reference
    return found.state


@pytest.mark.parametrize(
    ("reference", "output", "expected"),
    [
        (f"{PRICE}::test_total", out.PYTEST, NamedTestState.RED),
        ("test_total", out.PYTEST, NamedTestState.RED),
        (f"{PRICE}::test_total[items1]", out.PYTEST_WORKERS, NamedTestState.RED),
        ("test_nothing", out.PYTEST_WORKERS, NamedTestState.GREEN),
        ("test_nothing", out.PYTEST, NamedTestState.UNSEEN),
        (f"{NEW}::test_new", out.PYTEST_UNLOADED, NamedTestState.ABSENT),
        ("test_total", out.PYTEST_UNLOADED, NamedTestState.UNSEEN),  # another file was not loaded
        (f"{NEW}::test_new", f"{out.PYTEST}\nERROR {NEW}\n{out.PYTEST_UNLOADED}", NamedTestState.ABSENT),
        ("inside", out.CARGO, NamedTestState.UNTRIED),
        ("nowhere", out.PYTEST, NamedTestState.UNCHANGED),
    ],
)
def test_how_a_named_test_ended(reference: str, output: str, expected: NamedTestState) -> None:
    assert state(reference, result(output)) is expected


def test_where_gates_are_green_so_is_every_test_that_was_changed() -> None:
    assert state("test_new", result("", passed=True)) is NamedTestState.GREEN
    assert state("test_total", result("", passed=True), changed=(NEW,)) is NamedTestState.UNCHANGED
    assert (
        state("test_nothing", result("FAILED tests/test_price.py::test_nothing", passed=True)) is NamedTestState.GREEN
    )


def test_one_that_the_story_has_not_changed_is_absent_for_nothing() -> None:
    assert state("test_total", result(out.PYTEST_UNLOADED), changed=(NEW,)) is NamedTestState.UNCHANGED
    assert state("test_total", result(out.PYTEST), changed=(NEW,)) is NamedTestState.RED


def judged(reference: str, tests: FailToPass | None) -> tuple[Verdict, str]:
    report = GateReport(commit=Commit("c"), results=(result("", passed=True),), fail_to_pass=tests)
    return named_test(reference, NAMES, report)


@pytest.mark.parametrize(
    ("state_there", "verdict", "why"),
    [
        (NamedTestState.RED, Verdict.PRESENT, "; it fails without the change; no gate printed"),
        (NamedTestState.ABSENT, Verdict.PRESENT, "; without the change it does not load; no gate"),
        (NamedTestState.UNTRIED, Verdict.PRESENT, "all gates are green; no gate printed"),
        (NamedTestState.GREEN, Verdict.FALSE, "it passes without the change too"),
        (NamedTestState.UNSEEN, Verdict.FALSE, "no gate printed that it fails without the change"),
        (NamedTestState.UNCHANGED, Verdict.FALSE, "it existed before this story, which has not changed it"),
    ],
)
def test_only_a_test_that_needs_the_change_counts(state_there: NamedTestState, verdict: Verdict, why: str) -> None:
    tests = FailToPass(
        outcome=FailToPassOutcome.ASSERTION, tests=(NamedTest(reference="test_total", state=state_there),)
    )
    found = judged("test_total", tests)
    assert found[0] is verdict
    assert why in found[1]
    assert ("use a citation or a verification step instead" in found[1]) is (verdict is Verdict.FALSE)


def test_where_it_could_not_be_run_a_named_test_counts_as_it_is() -> None:
    assert judged("test_total", None) == judged("test_total", not_applicable(AT_ITS_TIP))
    assert judged("test_total", None)[0] is Verdict.PRESENT
    assert judged("test_total", RED_ASSERTION)[0] is Verdict.FALSE, "of which nothing is known"


@pytest.mark.parametrize(
    ("found", "words", "trailer", "red"),
    [
        (RED_ASSERTION, "new tests fail without the change", "red by assertion", True),
        (
            FailToPass(outcome=FailToPassOutcome.LOADING, reason="unit: ImportError"),
            "new tests fail without the change: they use code that it adds",
            "red because it does not load",
            True,
        ),
        (
            FailToPass(outcome=FailToPassOutcome.GREEN),
            "new tests pass without the change: they do not prove it",
            "green",
            False,
        ),
        (
            not_applicable(AT_ITS_TIP),
            "tests were not run without the change: the batch was proved at its tip",
            "not applicable (the batch was proved at its tip)",
            False,
        ),
        (NO_TESTS, "no tests changed", "no tests changed", False),
    ],
)
def test_it_is_said_in_one_line(found: FailToPass, words: str, trailer: str, red: bool) -> None:  # noqa: FBT001 - a row
    assert in_words(found) == words
    assert trailer_of(found) == trailer
    assert is_red(found) is red
