"""How far a certificate, or the row of a story, proves its story, as front ends show it."""

from dataclasses import replace

import pytest

from shiftwork.app.views import proofs
from shiftwork.app.views.run_views import after_landed, brief_proof, has_false_evidence, missing_evidence
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.gates.gate import Gate
from shiftwork.domain.proof.certificate import GateLine, Held
from shiftwork.domain.story.certify import plain
from shiftwork.ports.rows.row_parts import ProofPart
from shiftwork.testing.conformance.store_stage import story_row
from tests.unit.domain.proof.test_proof_status import BLINDED, GOOD, SAID

BARE = replace(SAID, gates=(), verification=())
FALSE = (*GOOD, Held(name="branch", passed=False, message=""))


def test_a_certificate_is_described_for_people_and_for_programs() -> None:
    assert (proofs.after_landed(SAID), proofs.in_trailer(SAID)) == (", proved", "proved")
    assert proofs.after_landed(BARE) == " without any gate: nothing was run on it, 2 of 2 criteria with evidence"
    document = proofs.document(BARE)
    assert proofs.missing_evidence(SAID) == ""
    assert document
    assert (document.proof, document.proof_text) == ("no_gates", "without any gate")


def test_blind_gates_are_counted_apart() -> None:
    assert proofs.gates(SAID) == "2"
    assert proofs.gates(replace(SAID, gates=(*BLINDED.gates, GateLine(name="lint", seconds=1)))) == "2, 1 blind"


def test_gates_that_could_be_forged_are_named_with_the_reason_and_change_no_other_digest() -> None:
    lines = (GateLine(name="test", seconds=1, forgeable="no sandbox"), GateLine(name="lint", seconds=1))
    steps = tuple(replace(line, forgeable="no sandbox") for line in SAID.verification)
    exposed = replace(SAID, gates=lines, verification=steps)
    assert proofs.forgeable([SAID]) == ""
    assert proofs.forgeable([SAID, exposed, exposed]) == "no sandbox"
    kept = [*plain(exposed)["gates"], *plain(exposed)["verification"]]
    assert [line.get("forgeable") for line in kept] == ["no sandbox", None, "no sandbox"]


@pytest.mark.parametrize(
    ("attach", "namespaces", "reason"),
    [(False, False, ""), (True, False, "attach = true"), (True, True, "attach = true and namespaces = true")],
)
def test_the_settings_of_a_gate_may_let_it_be_forged(attach: bool, namespaces: bool, reason: str) -> None:  # noqa: FBT001
    gate = Gate(name="test", command="true", attach=attach, namespaces=namespaces)
    assert gate.forgeable == reason


def test_what_the_tests_have_shown_is_empty_if_it_was_not_tried() -> None:
    tried = FailToPass(outcome=FailToPassOutcome.NOT_APPLICABLE, reason="no product source")
    assert proofs.tests(SAID) == ""
    assert proofs.tests(replace(SAID, fail_to_pass=tried)).endswith(": no product source")


def test_the_weakest_point_of_all_certificates_is_named() -> None:
    assert proofs.weakest([(SAID, GOOD)]) == ""
    assert proofs.weakest([(SAID, GOOD), (BARE, GOOD)]) == "landed without any gate"
    assert proofs.weakest([(BARE, GOOD), (SAID, FALSE)]) == "branch does not hold"


def test_the_proof_of_a_row_is_described_and_unknown_proof_is_not() -> None:
    proof = ProofPart(level="partly", shown=1, criteria=2, remark="gate test is blind")
    row = replace(story_row("r1", "US-001"), proof=proof)
    assert after_landed(row) == ", gates passed (gate test is blind)"
    assert brief_proof(row) == "1 of 2"
    unknown = story_row("r1", "US-001")
    assert (after_landed(unknown), brief_proof(unknown)) == ("", "-")


def test_a_row_says_what_lacks_evidence() -> None:
    row = story_row("r1", "US-001")
    assert not missing_evidence(row), "nothing is known of its proof"
    partly = replace(row, proof=ProofPart(level="partly", shown=1, criteria=2))
    assert missing_evidence(partly) == "1 of 2 criteria has no evidence beside the gates"


def test_a_row_says_whether_evidence_was_false() -> None:
    row = story_row("r1", "US-001")
    assert not has_false_evidence(row), "nothing is known of its proof"
    for remark, false in (("the evidence for AC-1 was checked and is false", True), ("gate test is blind", False)):
        proof = ProofPart(level="partly", criteria=1, remark=remark)
        assert has_false_evidence(replace(row, proof=proof)) is false
