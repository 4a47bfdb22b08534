"""The proof status of a landed story: its level, its words, and the weakest point of a certificate."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.proof import proof_status as p
from shiftwork.domain.proof import proof_words as w
from shiftwork.domain.proof.certificate import Certificate, GateLine, Held, VerifiedLine
from shiftwork.domain.proof.verdict import Judged, ProofLevel, ProofStatus, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.usage.usage import Usage

STEP = Verification(id="VS-1", kind=VerificationKind.SHELL)
SEEN, BLIND, BOTH = p.Ran(seeing=("lint",)), p.Ran(blind=("test", "unit")), p.Ran(seeing=("lint",), blind=("test",))
HOLDS, PRESENT, MISSING, FALSE, CONFIRMED = (
    Verdict.HOLDS,
    Verdict.PRESENT,
    Verdict.MISSING,
    Verdict.FALSE,
    Verdict.CONFIRMED,
)


def criteria(*verdicts: Verdict) -> tuple[Judged, ...]:
    return tuple(
        Judged(criterion=f"AC-{number}", text="", kind="", reference="", verdict=verdict, why="")
        for number, verdict in enumerate(verdicts, start=1)
    )


STANDS = (
    (SEEN, (HOLDS, HOLDS), "proved", "proved", "2 of 2", ", proved"),
    (
        SEEN,
        (HOLDS, MISSING, FALSE),
        "partly",
        "1 of 3 criteria",
        "1 of 3",
        ", gates passed (the evidence for AC-3 was checked and is false)",
    ),
    (SEEN, (MISSING,), "partly", "0 of 1 criteria", "0 of 1", ", gates passed"),
    (
        SEEN,
        (HOLDS, PRESENT, CONFIRMED),
        "partly",
        "2 of 3 criteria",
        "2 of 3",
        ", gates passed (1 of 3 confirmed by a person)",
    ),
    (
        SEEN,
        (),
        "gates_only",
        "gates only",
        "no criteria",
        ", gates passed",
    ),
    (BOTH, (HOLDS,), "proved", "proved", "1 of 1", ", proved (gate test does not notice broken sources)"),
    (
        BLIND,
        (HOLDS, PRESENT),
        "no_gates",
        "no gates",
        "no gates",
        " without any gate: gates test, unit do not notice broken sources",
    ),
    (
        p.Ran(),
        (MISSING,),
        "no_gates",
        "no gates",
        "no gates",
        " without any gate: the only check was that something changed",
    ),
    (
        p.Ran(),
        (HOLDS, MISSING),
        "no_gates",
        "no gates",
        "no gates",
        " without any gate: nothing was run on it, 1 of 2 criteria with evidence",
    ),
)


@pytest.mark.parametrize(("ran", "verdicts", "level", "trailer", "brief", "after"), STANDS)
def test_each_has_its_level_and_its_words(
    ran: p.Ran, verdicts: tuple[Verdict, ...], level: str, trailer: str, brief: str, after: str
) -> None:
    status = p.status_of(criteria(*verdicts), ran)
    assert status.level == level
    assert w.in_trailer(status) == trailer
    assert w.brief(status) == brief
    assert w.after_landed(status) == after


def test_evidence_that_is_false_is_named_and_not_taken_for_none() -> None:
    alone = p.status_of(criteria(FALSE), SEEN)
    said = "the evidence for AC-1 was checked and is false"
    assert w.after_landed(alone) == f", gates passed ({said})"
    assert w.is_refuted(alone)
    assert not w.is_refuted(p.status_of(criteria(MISSING), SEEN))
    several = p.status_of(criteria(HOLDS, FALSE, FALSE), SEEN)
    assert several.remark == "the evidence for AC-2, AC-3 was checked and is false"


def test_of_what_no_one_has_recorded_nothing_is_said() -> None:
    assert w.after_landed(None) == ""
    assert w.counted([None]) == ""


def test_what_lacks_evidence_is_said_in_one_sentence() -> None:
    assert w.missing_evidence(p.status_of(criteria(HOLDS, CONFIRMED), SEEN)) == ""
    assert w.missing_evidence(p.status_of((), SEEN)) == ""
    assert w.missing_evidence(p.status_of(criteria(MISSING), SEEN)) == "its criterion has no evidence beside the gates"
    one = p.status_of(criteria(HOLDS, PRESENT), SEEN)
    assert w.missing_evidence(one) == "1 of 2 criteria has no evidence beside the gates"
    assert w.missing_evidence(p.status_of(criteria(HOLDS, PRESENT, FALSE), SEEN)).startswith(
        "2 of 3 criteria have no evidence"
    )


def test_several_are_counted_the_best_first() -> None:
    levels = (ProofLevel.NO_GATES, ProofLevel.PARTLY, ProofLevel.PROVED, ProofLevel.PARTLY, ProofLevel.GATES_ONLY)
    assert w.counted([None, *(ProofStatus(level=level) for level in levels)]) == (
        "1 proved, 3 with gates passed, 1 without any gate"
    )


def test_what_ran_is_reported_by_a_report_as_by_the_certificate_that_is_made_of_it() -> None:
    """A gate that was blind counts as seeing if it saw with the original tests; a red gate counts as nothing."""
    results = (
        GateResult(name="lint", passed=True, seconds=1),
        GateResult(name="test", passed=True, seconds=1, blind=True),
        GateResult(name="unit", passed=True, seconds=1, blind=True),
        GateResult(name="US-1 VS-1", passed=True, seconds=1),
        GateResult(name="unit", passed=True, seconds=1, restored=True),
        GateResult(name="slow", passed=False, seconds=1),
    )
    wanted = p.Ran(seeing=("lint", "unit", "VS-1"), blind=("test",))
    assert p.ran_on("US-1", GateReport(commit=Commit("c"), results=results), (STEP,)) == wanted
    assert p.ran_on("US-1", None, (STEP,)) == p.Ran()
    lines = (
        GateLine(name="lint", seconds=1),
        GateLine(name="test", seconds=1, blind=True),
        GateLine(name="unit", seconds=1),
    )
    assert p.ran_by(replace(SAID, gates=lines)) == wanted


SAID = Certificate(
    run=RunId("r"),
    story=StoryId("US-1"),
    title="Add it",
    ref="main",
    commit=Commit("c"),
    base=Commit("b"),
    tree="t",
    policy=ProofPolicy.CITED,
    criteria=criteria(HOLDS, HOLDS),
    gates=(GateLine(name="test", seconds=1),),
    verification=(VerifiedLine(step=STEP, seconds=1),),
    steps=(),
    repairs=0,
    conflicts=0,
    usage=Usage(),
)
GOOD = (Held(name="tree", passed=True, message=""),)
UNKNOWN = (*GOOD, Held(name="history", passed=None, message=""), Held(name="work", passed=None, message=""))
BLINDED = replace(SAID, gates=(GateLine(name="test", seconds=1, blind=True),))
GREEN = FailToPass(outcome=FailToPassOutcome.GREEN)
RED = FailToPass(outcome=FailToPassOutcome.ASSERTION)
WEAK = (
    (SAID, (*UNKNOWN, Held(name="branch", passed=False, message="")), "branch does not hold"),
    (replace(SAID, gates=(), verification=()), GOOD, "landed without any gate"),
    (replace(BLINDED, verification=()), GOOD, "landed without any gate: gate test does not notice broken sources"),
    (replace(BLINDED, criteria=criteria(MISSING, FALSE)), UNKNOWN, "0 of 2 criteria have evidence"),
    (replace(SAID, criteria=criteria(PRESENT, HOLDS)), GOOD, "1 of 2 criteria have evidence"),
    (replace(BLINDED, criteria=()), UNKNOWN, "it has no criteria: only its gates passed"),
    (BLINDED, UNKNOWN, "gate test does not notice broken sources"),
    (replace(SAID, fail_to_pass=GREEN), UNKNOWN, "the tests that it changed pass without the change"),
    (replace(SAID, fail_to_pass=RED, criteria=criteria(CONFIRMED)), UNKNOWN, "not checked: history, work"),
    (replace(SAID, criteria=criteria(CONFIRMED)), GOOD, "1 of 1 confirmed by a person"),
    (SAID, GOOD, ""),
)


@pytest.mark.parametrize(("said", "found", "text"), WEAK)
def test_the_weakest_is_named(said: Certificate, found: tuple[Held, ...], text: str) -> None:
    assert p.weakest(said, found).text == text


def test_what_is_weaker_has_the_lower_rank() -> None:
    ranks = [p.weakest(said, found).rank for said, found, _ in WEAK]
    assert ranks == sorted(ranks)
