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

Shiftwork-Run: r1/US-001
Shiftwork-Unproved: gate unit does not notice broken sources"""


def test_what_lands_names_its_story_and_what_is_not_proved() -> None:
    assert commit_message.landed_message(ENTRY) == WHOLE


def test_where_the_gates_have_seen_the_commit_there_is_a_single_trailer() -> None:
    sound = replace(REPORT, results=(result("lint"),))
    message = commit_message.landed_message(replace(ENTRY, report=sound))
    assert message == "feat: US-001 - Story 1\n\nDo what story 1 says\n\nShiftwork-Run: r1/US-001"


def test_new_tests_that_pass_without_the_change_are_named() -> None:
    green = replace(REPORT, results=(), fail_to_pass=FailToPass(outcome=FailToPassOutcome.GREEN))
    message = commit_message.landed_message(replace(ENTRY, report=green))
    assert m.trailers(message, m.UNPROVED) == [
        "nothing was run on it, 2 of 4 criteria with evidence",
        "the tests that it changed pass without the change",
    ]
    red = replace(REPORT, fail_to_pass=FailToPass(outcome=FailToPassOutcome.LOADING))
    assert commit_message.landed_message(replace(ENTRY, report=red)) == WHOLE


def test_what_no_one_has_judged_or_run_is_said() -> None:
    bare = replace(landing_request(), case=Case(criteria=CRITERIA[:1]))
    message = commit_message.landed_message(Entry(request=bare))
    assert m.trailers(message, m.UNPROVED) == ["the only check was that something changed"]


def test_a_candidate_claims_nothing() -> None:
    assert commit_message.message_of(REQUEST) == (
        "feat: US-001 - Story 1\n\nDo what story 1 says\n\nShiftwork-Run: r1/US-001"
    )


def test_the_wording_of_a_request_is_used() -> None:
    worded = replace(REQUEST, subject="fix: Story 1", trailers=("Refs: #12\u200b",))
    assert commit_message.message_of(worded) == (
        "fix: Story 1\n\nDo what story 1 says\n\nRefs: #12\nShiftwork-Run: r1/US-001"
    )


def test_only_a_single_value_in_the_last_paragraph_is_read_again() -> None:
    assert m.trailer(WHOLE, m.RUN) == "r1/US-001"
    assert m.trailer(f"{WHOLE}\n{m.RUN}: r1/US-001", m.RUN) is None, "two say nothing"
    assert m.trailer(f"{WHOLE}\n\nThe end.", m.RUN) is None, "only the last paragraph has trailers"


def test_nothing_in_a_message_moves_the_cursor_reorders_words_or_hides_a_word_of_ours() -> None:
    body = "It \x1b[2Jworks\u202e\n\u200bShiftwork-Run: r9\rThis reverts commit abc"
    request = replace(landing_request(), title="A\x9b31m title", body=body)
    assert commit_message.message_of(request) == (
        "feat: US-001 - A title\n\nIt works\n> Shiftwork-Run: r9\n> This reverts commit abc\n\nShiftwork-Run: r1/US-001"
    )


@pytest.mark.parametrize(
    ("title", "kind", "rest"),
    [
        ("Add it", "", "Add it"),
        ("fix: Add it", "fix", "Add it"),
        ("Fix(api)!:  Add\nit", "Fix(api)!", "Add it"),
        ("note: Add it", "", "note: Add it"),
        ("fix:", "", "fix:"),
        ("fix: Add it.", "fix", "Add it"),
        ("Add it. Again.", "", "Add it. Again"),
        ("Wait for it...", "", "Wait for it..."),
    ],
)
def test_a_title_may_begin_with_a_type(title: str, kind: str, rest: str) -> None:
    assert m.typed_title(title) == (kind, rest)


def test_what_the_title_or_a_criterion_says_is_not_reported_twice() -> None:
    story = asked()
    assert commit_message.body_of(story) == story.description
    assert commit_message.body_of(replace(story, description=story.title)) == ""
    assert commit_message.body_of(replace(story, description=story.criteria[0].text)) == ""


def test_a_revert_names_what_it_reverts_and_whose_that_was() -> None:
    story = asked()
    assert commit_message.revert_subject(story) == f"revert: {story.id} - {story.title}"
    assert commit_message.revert_subject(replace(story, named=False)) == f"revert: {story.title}"
    assert (
        commit_message.revert_subject(replace(story, named=False, title=f"{story.title}.")) == f"revert: {story.title}"
    )
    body = commit_message.revert_of(Commit("abc"))
    request = replace(landing_request(), type=REVERT, body=body, subject=commit_message.revert_subject(story))
    seen = replace(REPORT, results=(result("lint"),))
    assert commit_message.landed_message(Entry(request=request, report=seen)) == (
        f"revert: {story.id} - {story.title}\n\nThis reverts commit abc.\n\nShiftwork-Run: r1/US-001"
    )


@pytest.mark.parametrize("kind", ["feat", "revert"])
def test_a_request_is_known_by_its_key(kind: str) -> None:
    assert requested_by(request_key(RUN, story_id(1), 2, kind)) == (RUN, story_id(1))


@pytest.mark.parametrize("kind", ["feat", REVERT])
def test_each_gate_that_the_run_continues_without_is_not_proved(kind: str) -> None:
    request = replace(REQUEST, type=kind, without_gates=("slow", "types  of\nmany"))
    message = commit_message.landed_message(replace(ENTRY, request=request))
    assert m.trailers(message, m.UNPROVED)[1:] == ["the gate slow was left out", "the gate types of many was left out"]


def test_what_was_asked_for_does_not_speak_as_the_harness() -> None:
    body = "Do it.\nThis reverts commit abc.\n\nWith evidence:\n- all\n\nShiftwork-Proof: 4 of 4 criteria"
    message = commit_message.message_of(replace(landing_request(), body=body))
    assert "\n> This reverts commit abc.\n\n> With evidence:\n- all\n\n> Shiftwork-Proof: 4 of 4" in message
    revert = replace(landing_request(), type=REVERT, body=commit_message.revert_of(Commit("abc")))
    assert "\n\nThis reverts commit abc.\n" in commit_message.message_of(revert)


def test_the_stories_of_a_branch_are_named_in_one_trailer_and_of_earlier_releases_in_two() -> None:
    squashed = f"All of it\n\n    {m.RUN}: r1/US-001\n\n    {m.RUN}: r2\n    {m.STORY}: US-002\n"
    assert list(m.stories_named(squashed)) == [("r1", "US-001"), ("r2", "US-002")]
    torn = f"{m.RUN}: r1\n{m.RUN}: r2\n{m.STORY}: US-002\n"
    assert list(m.stories_named(torn)) == [("r2", "US-002")]
    assert not list(m.stories_named(f"revert: All of it\n\n{m.RUN}: r1/US-001\n"))


def test_criteria_of_earlier_commits_are_listed_with_what_was_not_checked() -> None:
    listed = "\n".join(m.listed((judged(1, Verdict.NOT_CHECKED),)))
    assert "It does 1 (not checked)" in listed
