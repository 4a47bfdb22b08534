"""What a landed commit says of its story, and a certificate that says otherwise."""

from dataclasses import replace

import pytest

from shiftwork.domain.model.certificate import Certificate, GateLine, VerifiedLine
from shiftwork.domain.model.ids import Commit, RunId, StoryId
from shiftwork.domain.model.proof import Judged, ProofPolicy, Verdict, Verification, VerificationKind
from shiftwork.domain.model.usage import Usage
from shiftwork.domain.rules.attesting import attested, named

MESSAGE = """\
feat: US-1 - Add it: quickly

What it is about.

- it adds
- it is there

Shiftwork-Run: r
Shiftwork-Story: US-1
Shiftwork-Gates: lint, unit, VS-1
Shiftwork-Evidence: 1/2 cited
"""


def judged(text: str, kind: str = "") -> Judged:
    return Judged(criterion=text, text=text, kind=kind, reference="", verdict=Verdict.HOLDS, why="")


SAID = Certificate(
    run=RunId("r"),
    story=StoryId("US-1"),
    title="Add it: quickly",
    ref="main",
    commit=Commit("c"),
    base=Commit("b"),
    tree="t",
    policy=ProofPolicy.CITED,
    criteria=(judged("it adds"), judged("it is there", kind="verification")),
    gates=(GateLine(name="unit", seconds=1), GateLine(name="lint", seconds=1), GateLine(name="unit", seconds=1)),
    verification=(VerifiedLine(step=Verification(id="VS-1", kind=VerificationKind.SHELL), seconds=1),),
    steps=(),
    repairs=0,
    conflicts=0,
    usage=Usage(),
)


def told(said: Certificate, message: str = MESSAGE) -> dict[str, bool | None]:
    return {held.name: held.passed for held in attested(said, message)}


def test_what_says_the_same_holds() -> None:
    assert named(SAID, MESSAGE).passed
    assert told(SAID) == {"title": True, "criteria": True, "gates": True, "policy": True}


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
    assert told(replace(SAID, title="Add it"))["title"] is False
    first, second = SAID.criteria
    assert told(replace(SAID, criteria=(second,)))["criteria"] is False
    assert told(replace(SAID, criteria=(second, first)))["criteria"] is False
    assert told(replace(SAID, criteria=(first, replace(second, text="it is safe"))))["criteria"] is False
    assert told(replace(SAID, gates=SAID.gates[:1]))["gates"] is False
    assert told(replace(SAID, verification=()))["gates"] is False
    assert told(replace(SAID, policy=ProofPolicy.STRICT))["policy"] is False
    assert told(replace(SAID, criteria=(*SAID.criteria, judged("more"))))["policy"] is False


def test_where_the_commit_is_silent_nothing_is_called_good() -> None:
    silent = "feat: US-1 - Add it: quickly\n\nShiftwork-Run: r\nShiftwork-Story: US-1\n"
    bare = replace(SAID, criteria=(), gates=(), verification=())
    assert told(bare, silent) == {"title": True, "criteria": None, "gates": True, "policy": None}
    assert told(SAID, silent) == {"title": True, "criteria": False, "gates": False, "policy": False}
    assert told(bare)["gates"] is False


def test_a_criterion_that_repeats_the_title_or_the_description_is_not_listed() -> None:
    alone = replace(SAID, criteria=(judged("Add it: quickly"),))
    assert told(alone, MESSAGE.replace("- it adds\n- it is there\n\n", ""))["criteria"] is True
    both = replace(SAID, criteria=(judged("What it is about."), *SAID.criteria))
    assert told(both)["criteria"] is True
    listed = MESSAGE.replace("- it adds", "- What it is about.\n- it adds")
    assert told(both, listed)["criteria"] is True
