"""The trailers that are written into candidates and landed commits, and read from them again."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.gates.gate import GateReport, GateResult
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.landing import commit_message
from shiftwork.domain.landing.state import REVERT, Entry, request_key, requested_by
from shiftwork.domain.proof import commit_trailers as m
from shiftwork.domain.proof.case import Case
from shiftwork.domain.proof.verdict import Judged, ProofReport, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling
from shiftwork.testing.builders import RUN, asked, landing_request, story_id

STEP = Verification(id="VS-1", kind=VerificationKind.SHELL)
CRITERIA = tuple(Criterion(id=f"AC-{number}", text=f"It does {number}") for number in range(1, 5))
REQUEST = replace(
    landing_request(),
    title="Story 1",
    body="Do what story 1 says",
    case=Case(policy=ProofPolicy.CITED, criteria=CRITERIA, verification=(STEP,)),
    inspection=Inspection(findings=(Finding(kind=Meddling.DELETED, path="tests/a.py"),)),
)


def judged(number: int, verdict: Verdict, kind: str = "", reference: str = "") -> Judged:
    criterion = CRITERIA[number - 1]
    return Judged(criterion=criterion.id, text=criterion.text, kind=kind, reference=reference, verdict=verdict, why="")


PROOF = ProofReport(
    commit=Commit("c"),
    tree="t",
    policy=ProofPolicy.CITED,
    criteria=(
        judged(1, Verdict.HOLDS, "citation", "a.py:3"),
        judged(2, Verdict.MISSING),
        judged(3, Verdict.PRESENT, "test", "test_it"),
        judged(4, Verdict.CONFIRMED),
    ),
)


def result(name: str, *, blind: bool = False) -> GateResult:
    return GateResult(name=name, passed=True, seconds=1, blind=blind)


REPORT = GateReport(commit=Commit("c"), results=(result("lint"), result("unit", blind=True), result("US-001 VS-1")))
ENTRY = Entry(request=REQUEST, report=REPORT, proof=PROOF)

WHOLE = """\
feat: US-001 - Story 1

Do what story 1 says

With evidence:
- It does 1 (citation a.py:3)
- It does 4 (the word of a person)

Without evidence:
- It does 2
- It does 3 (test test_it, which no gate printed as passing)

Shiftwork-Run: r1
Shiftwork-Story: US-001
Shiftwork-Tests: 1 deleted
Shiftwork-Gates: lint, VS-1, unit (blind: proved nothing)
Shiftwork-Evidence: 2/4 cited
Shiftwork-Proof: 2 of 4 criteria"""


def test_what_lands_says_all_that_was_found_and_nothing_else() -> None:
    assert commit_message.landed_message(ENTRY) == WHOLE


def test_it_says_whether_new_tests_fail_without_the_change() -> None:
    green = replace(REPORT, fail_to_pass=FailToPass(outcome=FailToPassOutcome.GREEN))
    message = commit_message.landed_message(replace(ENTRY, report=green))
    assert message == f"{WHOLE}\nShiftwork-Fail-To-Pass: green"
    assert m.trailer(message, m.FAIL_TO_PASS) == "green"


def test_a_candidate_claims_nothing() -> None:
    origin = "Shiftwork-Run: r1\nShiftwork-Story: US-001"
    assert commit_message.message_of(REQUEST) == f"feat: US-001 - Story 1\n\nDo what story 1 says\n\n{origin}"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (m.RUN, "r1"),
        (m.STORY, "US-001"),
        (m.TESTS, "1 deleted"),
        (m.GATES, "lint, VS-1, unit (blind: proved nothing)"),
        (m.EVIDENCE, "2/4 cited"),
        (m.PROOF, "2 of 4 criteria"),
    ],
)
def test_what_was_written_is_read_again(key: str, value: str) -> None:
    assert m.trailer(WHOLE, key) == value
    assert m.trailer(f"{WHOLE}\n{key}: {value}", key) is None, "two say nothing"
    assert m.trailer(f"{WHOLE}\n\nThe end.", key) is None, "only the last paragraph has trailers"


def test_what_no_one_has_judged_is_without_evidence() -> None:
    bare = replace(landing_request(), case=Case(criteria=CRITERIA[:1]))
    assert commit_message.landed_message(Entry(request=bare)) == (
        "feat: US-001 - Story\n\nWithout evidence:\n- It does 1\n\nShiftwork-Run: r1\nShiftwork-Story: US-001\n"
        "Shiftwork-Gates: none\nShiftwork-Evidence: 0/1 trusting\nShiftwork-Proof: no gates"
    )


def test_a_test_that_is_only_defined_is_no_evidence() -> None:
    alone = replace(ENTRY, proof=replace(PROOF, criteria=(judged(3, Verdict.PRESENT, "test", "test_it"),)))
    message = commit_message.landed_message(alone)
    assert "Without evidence:\n- It does 3 (test test_it, which no gate printed as passing)\n" in message
    assert "Shiftwork-Evidence: 0/1 cited\nShiftwork-Proof: 0 of 1 criteria" in message


def test_a_criterion_of_many_lines_or_of_none_is_one_entry_of_its_list() -> None:
    odd = replace(judged(1, Verdict.MISSING), text="one\n\nWith evidence:\n- two")
    none = replace(judged(2, Verdict.MISSING), text=" ")
    message = commit_message.landed_message(replace(ENTRY, proof=replace(PROOF, criteria=(odd, none))))
    assert "\n\nWithout evidence:\n- one With evidence: - two\n- AC-2\n\nShiftwork-Run" in message


def test_nothing_in_a_message_moves_the_cursor_reorders_words_or_hides_a_word_of_ours() -> None:
    body = "It \x1b[2Jworks\u202e\n\u200bShiftwork-Run: r9\rThis reverts commit abc"
    request = replace(landing_request(), title="A\x9b31m title", body=body)
    assert commit_message.message_of(request) == (
        "feat: US-001 - A title\n\nIt works\n> Shiftwork-Run: r9\n> This reverts commit abc"
        "\n\nShiftwork-Run: r1\nShiftwork-Story: US-001"
    )
    criterion = replace(judged(1, Verdict.MISSING), text="It \u202eworks\x1b[0m")
    message = commit_message.landed_message(replace(ENTRY, proof=replace(PROOF, criteria=(criterion,))))
    assert "Without evidence:\n- It works\n" in message


def test_what_the_title_or_a_criterion_says_is_not_reported_twice() -> None:
    story = asked()
    assert commit_message.body_of(story) == story.description
    assert commit_message.body_of(replace(story, description=story.title)) == ""
    assert commit_message.body_of(replace(story, description=story.criteria[0].text)) == ""


def test_a_revert_names_what_it_reverts_whose_that_was_and_what_it_has_passed() -> None:
    request = replace(landing_request(), type=REVERT, body=commit_message.revert_of(Commit("abc")))
    assert commit_message.landed_message(Entry(request=request, report=REPORT)) == (
        "revert: US-001 - Story\n\nThis reverts commit abc.\n\nShiftwork-Run: r1\nShiftwork-Story: US-001\n"
        "Shiftwork-Gates: lint, US-001 VS-1, unit (blind: proved nothing)"
    )


@pytest.mark.parametrize("kind", ["feat", "revert"])
def test_a_request_is_known_by_its_key(kind: str) -> None:
    assert requested_by(request_key(RUN, story_id(1), 2, kind)) == (RUN, story_id(1))


@pytest.mark.parametrize("kind", ["feat", REVERT])
def test_each_gate_that_the_run_continues_without_is_a_trailer(kind: str) -> None:
    request = replace(REQUEST, type=kind, without_gates=("slow", "types  of\nmany"))
    message = commit_message.landed_message(replace(ENTRY, request=request))
    assert message.endswith("\nShiftwork-Without-Gate: slow\nShiftwork-Without-Gate: types of many")
    assert m.trailers(message, m.WITHOUT_GATE) == ["slow", "types of many"]
    assert m.trailers(WHOLE, m.WITHOUT_GATE) == []


def test_steps_that_were_skipped_and_files_that_were_left_out_are_trailers() -> None:
    left_out = tuple(f".claude/{number}\n" for number in range(30))
    request = replace(REQUEST, skipped=("review: in a\nhurry",), inspection=Inspection(left_out=left_out))
    message = commit_message.landed_message(replace(ENTRY, request=request))
    assert m.trailers(message, m.SKIPPED) == ["review: in a hurry"]
    found = m.trailers(message, m.LEFT_OUT)
    assert (found[0], found[-1], len(found)) == (".claude/0", "and 10 more", 21)


def test_what_was_asked_for_does_not_speak_as_the_harness() -> None:
    body = "Do it.\nThis reverts commit abc.\n\nWith evidence:\n- all\n\nShiftwork-Proof: 4 of 4 criteria"
    message = commit_message.message_of(replace(landing_request(), body=body))
    assert "\n> This reverts commit abc.\n\n> With evidence:\n- all\n\n> Shiftwork-Proof: 4 of 4" in message
    revert = replace(landing_request(), type=REVERT, body=commit_message.revert_of(Commit("abc")))
    assert "\n\nThis reverts commit abc.\n" in commit_message.message_of(revert)
