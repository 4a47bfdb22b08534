"""For any gate output: a test that passes without the change proves nothing, and fail-to-pass decides no gate."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.canary.source_root import is_changeable
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome, NamedTestState
from shiftwork.domain.gates.gate import Gate, GateReport, GateResult
from shiftwork.domain.gates.load_error import decisive, does_not_load
from shiftwork.domain.proof.evidence import named_test, suffices
from shiftwork.domain.proof.fail_to_pass import Seen, WithoutChange, named_tests, outcome_of, planned
from shiftwork.domain.proof.verdict import Findings, NameFound
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.tampering.findings import Protection, Touched
from tests.unit.domain.gates import runner_outputs

FILE = "tests/test_a.py"
PASSED = (f"{FILE}::test_a PASSED", "test_a (tests.C.test_a) ... ok", "--- PASS: test_a (0.00s)", "✓ test_a")
PRINTED = [text for name, text in vars(runner_outputs).items() if name.isupper()]
LINES = st.lists(st.sampled_from([line for text in PRINTED for line in text.splitlines()]), max_size=12)
OUTPUTS = st.one_of(st.text(max_size=80), LINES.map("\n".join), st.sampled_from(PRINTED))
RESULTS = st.builds(GateResult, name=st.just("unit"), passed=st.booleans(), seconds=st.just(1.0), output=OUTPUTS)
STRICTER = st.sampled_from([ProofPolicy.CITED, ProofPolicy.STRICT])
FOUND = Findings(tree="t", names=(NameFound(name="test_a", files=(FILE,)),))


def verdict_on(results: tuple[GateResult, ...], policy: ProofPolicy) -> bool:
    """Whether the test counts as evidence, after it has passed on the candidate."""
    tests = named_tests(("test_a",), Seen(found=FOUND, changed=frozenset({FILE}), results=results))
    with_change = GateResult(name="unit", passed=True, seconds=1, output=PASSED[0])
    report = GateReport(
        commit=Commit("c"), results=(with_change,), fail_to_pass=replace(outcome_of(results), tests=tests)
    )
    return suffices(policy, named_test("test_a", FOUND, report)[0])


@given(results=st.lists(RESULTS, max_size=3), line=st.sampled_from(PASSED), policy=STRICTER, passed=st.booleans())
def test_a_test_that_is_only_printed_as_passing_without_the_change_never_counts(
    results: list[GateResult],
    line: str,
    policy: ProofPolicy,
    passed: bool,  # noqa: FBT001 - drawn
) -> None:
    own = GateResult(name="own", passed=passed, seconds=1, output=f"{results[0].output if results else ''}\n{line}\n")
    assert not verdict_on((*results, own), policy)


@given(outputs=st.lists(OUTPUTS, min_size=1, max_size=3), policy=STRICTER)
def test_where_every_gate_is_green_without_the_change_no_test_counts(outputs: list[str], policy: ProofPolicy) -> None:
    assert not verdict_on(
        tuple(GateResult(name="g", passed=True, seconds=1, output=output) for output in outputs), policy
    )


@given(
    results=st.lists(RESULTS, max_size=4).map(tuple),
    outcome=st.sampled_from(FailToPassOutcome),
    state=st.sampled_from(NamedTestState),
)
def test_it_never_changes_whether_gates_have_passed(
    results: tuple[GateResult, ...], outcome: FailToPassOutcome, state: NamedTestState
) -> None:
    report = GateReport(commit=Commit("c"), results=results)
    message = replace(report, fail_to_pass=FailToPass(outcome=outcome, reason=state))
    assert message.passed is report.passed
    assert message.broken_before == report.broken_before


@given(output=OUTPUTS)
def test_every_output_is_read_and_said_on_one_line(output: str) -> None:
    found = outcome_of((GateResult(name="unit", passed=False, seconds=1, output=output),))
    assert (found.outcome is FailToPassOutcome.LOADING) is does_not_load(output)
    assert found.reason.isprintable()
    assert "\n" not in decisive(output)


PATHS = st.sampled_from(
    ["price.py", "src/a.ts", "tests/test_a.py", "a.test.ts", "conftest.py", "setup.py", "data.json", "src/lib.rs", "x"]
)
TOUCHED = st.lists(st.builds(Touched, path=PATHS, letter=st.sampled_from("AMDT")), unique_by=lambda change: change.path)


@given(touched=TOUCHED, broken=st.booleans())
def test_nothing_but_changed_product_sources_is_ever_put_back(touched: list[Touched], broken: bool) -> None:  # noqa: FBT001 - drawn
    gate, protection = Gate(name="unit", command="pytest"), Protection()
    found = planned(touched, protection, (gate,), ("unit",) if broken else ())
    if isinstance(found, FailToPass):
        assert not found.tests
        return
    assert isinstance(found, WithoutChange)
    product = {change.path: change.letter for change in touched if is_changeable(change.path, protection)}
    assert {*found.back, *found.out} == set(product)
    assert all(product[path] == "A" for path in found.out)
    assert "A" not in {product[path] for path in found.back}
