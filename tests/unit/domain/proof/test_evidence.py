"""How much evidence counts, depending on what was found in the candidate."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.refusal import RefusalText
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.proof.evidence import cited, judge, lacking, named_test, sought
from shiftwork.domain.proof.verdict import FileFound, Findings, NameFound, Verdict
from shiftwork.domain.spec.checkability import uncheckable
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion, Story

COMMIT = Commit("c" * 40)
FILE = FileFound(path="src/a.py", lines=20, changed=((3, 5), (6, 6), (9, 12)))
FOUND = Findings(tree="t", files=(FILE,), names=(NameFound(name="test_a", files=("tests/test_a.py",)),))


def report(*outputs: str) -> GateReport:
    results = (GateResult(name=f"g{at}", passed=True, seconds=1, output=text) for at, text in enumerate(outputs))
    return GateReport(commit=COMMIT, results=tuple(results))


@pytest.mark.parametrize(
    ("reference", "verdict"),
    [
        ("src/a.py:3", Verdict.HOLDS),
        ("./src/a.py:3-6", Verdict.HOLDS),
        (" src/a.py:9-12 ", Verdict.HOLDS),
        ("src/a.py:2-3", Verdict.FALSE),
        ("src/a.py:5-9", Verdict.FALSE),
        ("src/a.py:12-13", Verdict.FALSE),
        ("src/a.py:6-3", Verdict.FALSE),
        ("src/a.py:0", Verdict.FALSE),
        ("src/a.py:21", Verdict.FALSE),
        ("src/b.py:3", Verdict.FALSE),
        ("src/a.py", Verdict.FALSE),
        ("", Verdict.FALSE),
    ],
)
def test_every_cited_line_must_be_there_and_be_written_by_the_story(reference: str, verdict: Verdict) -> None:
    assert cited(reference, FOUND)[0] is verdict


def test_what_the_story_has_written_is_reported_where_a_citation_misses_it() -> None:
    assert "it wrote lines 3-5, 6, 9-12 of it" in cited("src/a.py:1", FOUND)[1]
    untouched = Findings(tree="t", files=(FileFound(path="src/a.py", lines=20),))
    assert "nothing in that file" in cited("src/a.py:1", untouched)[1]


@pytest.mark.parametrize(
    ("reference", "output", "verdict"),
    [
        ("test_a", "", Verdict.PRESENT),
        ("tests/test_a.py::test_a", "3 passed in 1.0s", Verdict.PRESENT),
        ("tests/test_a.py::TestIt::test_a[1-2]", "tests/test_a.py::TestIt::test_a[1-2] PASSED [ 50%]", Verdict.HOLDS),
        ("test_a", "test test_a ... ok", Verdict.HOLDS),
        ("test_a", "  ✓ test_a (3 ms)", Verdict.HOLDS),
        ("test_a", "tests/test_a.py::test_a SKIPPED (why)", Verdict.FALSE),
        ("test_a", "--- FAIL: test_a (0.00s)\ntest test_a ... ok", Verdict.FALSE),
        ("test_a", "test_ab PASSED", Verdict.PRESENT),
        ("tests/other.py::test_a", "test_a PASSED", Verdict.FALSE),
        ("test_b", "test_b PASSED", Verdict.FALSE),
        ("tests/test_a.py::", "PASSED", Verdict.FALSE),
        ("", "PASSED", Verdict.FALSE),
    ],
)
def test_a_test_must_be_in_the_commit_and_holds_where_a_gate_printed_it_as_passing(
    reference: str, output: str, verdict: Verdict
) -> None:
    assert named_test(reference, FOUND, report(output))[0] is verdict


def test_a_file_or_a_test_that_is_called_fail_or_ok_says_nothing_of_how_it_went() -> None:
    found = Findings(tree="t", names=(NameFound(name="test_fail", files=("tests/ok.py",)),))
    assert named_test("tests/ok.py::test_fail", found, report("tests/ok.py::test_fail"))[0] is Verdict.PRESENT
    assert named_test("tests/ok.py::test_fail", found, report("tests/ok.py::test_fail PASSED"))[0] is Verdict.HOLDS


@pytest.mark.parametrize(
    ("reference", "flag"),
    [("tests/old.py::test_a", True), ("tests/new.py::test_a", False), ("test_a", False), ("test_b", True)],
)
@pytest.mark.parametrize("name", ["PASSED", ""])
def test_a_test_that_was_there_before_the_story_holds_and_that_is_reported(
    reference: str, name: str, *, flag: bool
) -> None:
    new, old = "tests/new.py", "tests/old.py"
    names = (
        NameFound(name="test_a", files=(new, old), before=(old,)),
        NameFound(name="test_b", files=(old,), before=(old,)),
    )
    printed = report("\n".join(f"{file}::{test} {name}" for file in (new, old) for test in ("test_a", "test_b")))
    verdict, why = named_test(reference, Findings(tree="t", names=names), printed)
    assert verdict is (Verdict.HOLDS if name else Verdict.PRESENT)
    assert ("existed before this story" in why) == flag


def test_what_a_blind_gate_printed_shows_nothing() -> None:
    """It may have run the tests of another tree."""
    claim = Evidence(criterion="AC-1", kind="test", reference="test_a")
    case = Case(criteria=(Criterion(id="AC-1", text="it works"),), evidence=(claim,))
    seen = report("test test_a ... ok")
    blind = replace(seen, results=tuple(replace(result, blind=True) for result in seen.results))
    (good,), (shown,) = judge("US-1", case, FOUND, seen).criteria, judge("US-1", case, FOUND, blind).criteria
    assert good.verdict is Verdict.HOLDS
    assert (shown.verdict, shown.why) == (Verdict.PRESENT, "defined in tests/test_a.py; no gate that sees it ran")


STEP = Verification(id="VS-1", kind=VerificationKind.FILE_EXISTS, name="it is there", path="a")


def case(*evidence: tuple[str, str, str], policy: ProofPolicy = ProofPolicy.CITED, confirmed: str = "") -> Case:
    return Case(
        policy=policy,
        criteria=(
            Criterion(id="AC-1", text="`a` returns 1"),
            Criterion(id="AC-2", text="It is pleasant"),
            Criterion(id="VS-1", text="a is there"),
        ),
        evidence=tuple(Evidence(criterion=of, kind=kind, reference=reference) for of, kind, reference in evidence),
        verification=(STEP,),
        confirmed=confirmed,
    )


def verdicts(given: Case, *results: GateResult) -> list[Verdict]:
    gates = GateReport(commit=COMMIT, results=results)
    return [judged.verdict for judged in judge("US-1", given, FOUND, gates).criteria]


def test_what_must_be_looked_for_is_named_once() -> None:
    given = case(
        ("AC-1", "citation", "src/a.py:3"),
        ("AC-2", "Citation", "./src/a.py:4"),
        ("AC-1", "test", "t.py::test_a"),
        ("AC-2", "test", "t.py::"),
        ("AC-2", "citation", "nonsense"),
        ("AC-2", "step", "VS-1"),
    )
    wanted = sought(given)
    assert (wanted.paths, wanted.names) == (("src/a.py",), ("test_a",))


def test_a_step_holds_where_it_has_passed_under_its_id_or_name() -> None:
    green = GateResult(name="US-1 VS-1", passed=True, seconds=1)
    other = GateResult(name="US-2 VS-1", passed=True, seconds=1)
    given = case(("AC-1", "verification", "VS-1"), ("AC-2", "step", "it is there"))
    assert verdicts(given, green) == [Verdict.HOLDS] * 3
    assert verdicts(given, other) == [Verdict.FALSE] * 3
    assert verdicts(case(("AC-1", "verification", "VS-9")), green)[0] is Verdict.FALSE


def test_a_person_confirms_only_what_no_one_else_can_check() -> None:
    green = GateResult(name="US-1 VS-1", passed=True, seconds=1)
    assert verdicts(case(confirmed="it is"), green) == [Verdict.MISSING, Verdict.CONFIRMED, Verdict.HOLDS]


def test_each_policy_wants_its_own() -> None:
    green = GateResult(name="US-1 VS-1", passed=True, seconds=1)
    gates = GateReport(commit=COMMIT, results=(green,))

    def refused(policy: ProofPolicy, *evidence: tuple[str, str, str]) -> RefusalText | None:
        return lacking(judge("US-1", case(*evidence, policy=policy, confirmed="yes"), FOUND, gates))

    def message(policy: ProofPolicy, *evidence: tuple[str, str, str]) -> str:
        text = refused(policy, *evidence)
        return text.for_agents if text else ""

    assert message(ProofPolicy.TRUSTING) == ""
    assert "1 of 3 criteria lack sufficient evidence" in message(ProofPolicy.CITED)
    assert message(ProofPolicy.CITED, ("AC-1", "test", "test_a")) == ""
    assert "no gate printed it as passing" in message(ProofPolicy.STRICT, ("AC-1", "test", "test_a"))
    assert message(ProofPolicy.STRICT, ("AC-1", "citation", "src/a.py:3")) == ""
    assert "unknown kind of evidence" in message(ProofPolicy.CITED, ("AC-1", "rumour", "x"))
    text = refused(ProofPolicy.CITED)
    assert text
    assert text.feedback.endswith("citation src/greet.py:3`.")
    *_, last = text.detail.split("\n")
    assert last.startswith("- AC-1 ("), "people need not know how it is reported"


def test_a_criterion_that_a_step_stands_for_needs_no_person() -> None:
    vague = (Criterion(id="VS-1", text="It is pleasant"), Criterion(id="AC-1", text="It is pleasant"))
    story = Story(id="US-1", title="t", description="d", criteria=vague, verification=(STEP,))  # type: ignore[arg-type]
    assert [criterion.id for criterion in uncheckable(story)] == ["AC-1"]


@pytest.mark.parametrize(
    ("name", "command", "passed", "verdict"),
    [
        ("typecheck", "npx tsc", True, Verdict.HOLDS),
        ("typecheck", "npx tsc", False, Verdict.MISSING),
        ("test", "pytest", True, Verdict.MISSING),
        ("TYPES-1 AC-2", "", True, Verdict.MISSING),
    ],
)
def test_the_gate_that_checks_types_shows_that_the_typecheck_passes(
    name: str, command: str, *, passed: bool, verdict: Verdict
) -> None:
    case = Case(criteria=(Criterion(id="AC-1", text="Typecheck passes"),), policy=ProofPolicy.STRICT)
    result = GateResult(name=name, passed=passed, seconds=1, command=command)
    (judged,) = judge("US-001", case, FOUND, GateReport(commit=COMMIT, results=(result,))).criteria
    assert judged.verdict is verdict
    shown = (
        ("gate", name, "passed on the commit")
        if passed and command == "npx tsc"
        else ("", "", "no evidence was reported")
    )
    assert (judged.kind, judged.reference, judged.why) == shown
