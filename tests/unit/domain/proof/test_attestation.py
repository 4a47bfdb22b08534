"""What a landed commit says about its story, and certificates that contradict it."""

from dataclasses import replace

import pytest

from shiftwork.domain.core.ids import Commit, RunId, StoryId
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.gates.verification import Verification, VerificationKind
from shiftwork.domain.proof.attestation import attested, named
from shiftwork.domain.proof.certificate import Certificate, GateLine, VerifiedLine
from shiftwork.domain.proof.verdict import Judged, Verdict
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.usage.usage import Usage

MESSAGE = """\
feat: US-1 - Add it: quickly

What it is about.

With evidence:
- it is there (verification VS-1)

Without evidence:
- it adds

Shiftwork-Run: r
Shiftwork-Story: US-1
Shiftwork-Gates: unit, lint, VS-1
Shiftwork-Evidence: 1/2 cited
Shiftwork-Proof: 1 of 2 criteria
"""


def judged(text: str, kind: str = "", reference: str = "", verdict: Verdict = Verdict.MISSING) -> Judged:
    return Judged(criterion=text, text=text, kind=kind, reference=reference, verdict=verdict, why="")


SAID = Certificate(
    run=RunId("r"),
    story=StoryId("US-1"),
    title="Add it: quickly",
    ref="main",
    commit=Commit("c"),
    base=Commit("b"),
    tree="t",
    policy=ProofPolicy.CITED,
    criteria=(judged("it adds"), judged("it is there", "verification", "VS-1", Verdict.HOLDS)),
    gates=(GateLine(name="unit", seconds=1), GateLine(name="lint", seconds=1), GateLine(name="unit", seconds=1)),
    verification=(VerifiedLine(step=Verification(id="VS-1", kind=VerificationKind.SHELL), seconds=1),),
    steps=(),
    repairs=0,
    conflicts=0,
    usage=Usage(),
)
SAME = {"title": True, "criteria": True, "gates": True, "policy": True, "proof": True}


def outcome_of(said: Certificate, message: str = MESSAGE) -> dict[str, bool | None]:
    return {held.name: held.passed for held in attested(said, message)}


def test_what_says_the_same_holds() -> None:
    assert named(SAID, MESSAGE).passed
    assert outcome_of(SAID) == SAME


@pytest.mark.parametrize("hidden", ["\u200b", "\x1b[1m"])
def test_characters_that_nobody_sees_are_in_commits_of_earlier_releases_only(hidden: str) -> None:
    criteria = (replace(SAID.criteria[0], text=f"it {hidden}adds"), *SAID.criteria[1:])
    said = replace(SAID, title=f"Add it: {hidden}quickly", criteria=criteria)
    earlier = MESSAGE.replace("Add it: quickly", said.title).replace("it adds", f"it {hidden}adds")
    assert outcome_of(said) == outcome_of(said, earlier) == SAME


@pytest.mark.parametrize(
    "message",
    [
        MESSAGE.replace("Shiftwork-Story: US-1", "Shiftwork-Story: US-12"),
        MESSAGE.replace("Shiftwork-Run: r\n", ""),
        MESSAGE + "Shiftwork-Run: other\n",
        MESSAGE + "\nA last paragraph.\n",
        "Shiftwork-Run: r\nShiftwork-Story: US-1\n\nabove\n",
        "",
    ],
)
def test_only_trailers_of_the_commit_name_the_story(message: str) -> None:
    assert named(SAID, message).passed is False


def test_other_words_do_not_hold() -> None:
    assert outcome_of(replace(SAID, title="Add it"))["title"] is False
    first, second = SAID.criteria
    assert outcome_of(replace(SAID, criteria=(second,)))["criteria"] is False
    assert outcome_of(replace(SAID, criteria=(first,)))["policy"] is False
    assert outcome_of(replace(SAID, criteria=(first, replace(second, text="it is safe"))))["criteria"] is False
    assert outcome_of(replace(SAID, gates=SAID.gates[:1]))["gates"] is False
    assert outcome_of(replace(SAID, verification=()))["gates"] is False
    assert outcome_of(replace(SAID, policy=ProofPolicy.STRICT))["policy"] is False
    assert outcome_of(replace(SAID, criteria=(*SAID.criteria, judged("more"))))["policy"] is False


def test_evidence_that_was_not_there_does_not_hold() -> None:
    first, second = SAID.criteria
    better = replace(SAID, criteria=(replace(first, verdict=Verdict.HOLDS, kind="citation"), second))
    assert outcome_of(better) == SAME | {"criteria": False, "policy": False, "proof": False}


def test_a_gate_that_was_blind_cannot_be_passed_off_as_one_that_saw() -> None:
    blind = MESSAGE.replace("unit, lint, VS-1", "lint, VS-1, unit (blind: proved nothing)")
    assert outcome_of(SAID, blind)["gates"] is False
    lines = tuple(replace(line, blind=line.name == "unit") for line in SAID.gates)
    assert outcome_of(replace(SAID, gates=lines), blind) == SAME


def test_the_commit_says_whether_its_new_tests_fail_without_the_change() -> None:
    message = f"{MESSAGE}Shiftwork-Fail-To-Pass: red by assertion\n"
    red = FailToPass(outcome=FailToPassOutcome.ASSERTION, reason="unit: FAILED")
    assert outcome_of(replace(SAID, fail_to_pass=red), message) == SAME | {"fail-to-pass": True}
    green = replace(red, outcome=FailToPassOutcome.GREEN)
    assert outcome_of(replace(SAID, fail_to_pass=green), message) == SAME | {"fail-to-pass": False}
    assert outcome_of(SAID, message) == SAME | {"fail-to-pass": False}
    assert outcome_of(replace(SAID, fail_to_pass=red)) == SAME | {"fail-to-pass": False}


def test_where_the_commit_is_silent_nothing_is_called_good() -> None:
    silent = "feat: US-1 - Add it: quickly\n\nShiftwork-Run: r\nShiftwork-Story: US-1\n"
    bare = replace(SAID, criteria=(), gates=(), verification=())
    nothing = {"title": True, "criteria": False, "gates": False, "policy": False, "proof": False}
    assert outcome_of(bare, silent) == nothing
    assert outcome_of(SAID, silent) == nothing
    said = f"{silent}Shiftwork-Gates: none\nShiftwork-Evidence: 0/0 cited\nShiftwork-Proof: no gates\n"
    assert outcome_of(bare, said) == SAME
    assert outcome_of(bare)["criteria"] is False


def test_gates_that_were_left_out_are_those_that_the_commit_names() -> None:
    without = f"{MESSAGE}Shiftwork-Without-Gate: types\nShiftwork-Without-Gate: slow\n"
    assert outcome_of(replace(SAID, without_gates=("types", "slow")), without)["gates left out"] is True
    assert outcome_of(replace(SAID, without_gates=("slow",)), without)["gates left out"] is False
    assert outcome_of(SAID, without)["gates left out"] is False, "a certificate cannot be silent about it"
    assert outcome_of(replace(SAID, without_gates=("slow",)))["gates left out"] is False


def test_skipped_steps_and_files_that_were_left_out_are_those_that_the_commit_names() -> None:
    without = f"{MESSAGE}Shiftwork-Skipped: review: in a hurry\nShiftwork-Left-Out: .mcp.json\n"
    same = replace(SAID, skipped=("review: in a hurry",), left_out=(".mcp.json",))
    assert outcome_of(same, without) == SAME | {"steps skipped": True, "files left out": True}
    assert outcome_of(SAID, without) == SAME | {"steps skipped": False, "files left out": False}
    assert outcome_of(same) == SAME | {"steps skipped": False, "files left out": False}


BRIEF = "fix: US-1 - Add it: quickly\n\nWhat it is about.\n\nShiftwork-Run: r/US-1\n"
UNKNOWN = {"criteria": None, "gates": None}


def test_a_brief_message_attests_the_story_its_title_and_what_is_not_proved() -> None:
    assert named(SAID, BRIEF).passed
    assert named(replace(SAID, story=StoryId("US-2")), BRIEF).passed is False
    assert outcome_of(SAID, BRIEF) == {"title": True, "not proved": True, **UNKNOWN}
    assert outcome_of(replace(SAID, title="fix: Add it:\nquickly"), BRIEF)["title"] is True
    assert outcome_of(replace(SAID, title="Add it slowly"), BRIEF)["title"] is False
    without = f"{BRIEF}Shiftwork-Unproved: the gate slow was left out\n"
    assert outcome_of(SAID, without)["not proved"] is False, "a certificate cannot be silent about it"
    assert outcome_of(replace(SAID, without_gates=("slow",)), without)["not proved"] is True
    assert outcome_of(replace(SAID, without_gates=("slow",)), BRIEF)["not proved"] is False
