"""Fail-to-pass in what is shown of a story, and proved again with its certificate."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from shiftwork.app.views.history import account
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome
from shiftwork.domain.spec.proof_policy import ProofPolicy
from shiftwork.domain.story import facts as story_facts
from tests.app.commands.test_certificates import broken, examined, forged, unchecked
from tests.app.landing.fail_to_pass_rig import CALLS, DISCOUNT, PASSES, UNITTEST, found_on, landed, priced
from tests.app.landing.proof_rig import STORY, paper_of
from tests.app.reported import report
from tests.app.rig import Rig


@pytest.fixture
def rig(rig: Rig) -> Rig:
    return priced(rig)


def test_a_report_says_it_in_one_line_and_a_commit_only_what_is_not_proved(rig: Rig) -> None:
    run = landed(rig, ProofPolicy.TRUSTING, {"price.py": DISCOUNT, "test_new.py": CALLS})
    document = report(asyncio.run(account(rig.store.events, run.given.run)))
    assert "- new tests fail without the change\n" in document
    assert "Shiftwork-Unproved" not in rig.read_message()


def test_it_is_proved_again_with_the_certificate(rig: Rig) -> None:
    run = landed(rig, ProofPolicy.STRICT, {"price.py": DISCOUNT, "test_new.py": CALLS}, "test test_new")
    paper = asyncio.run(paper_of(rig, run))
    found = asyncio.run(examined(rig, paper, rig.gates))
    assert broken(found) | unchecked(found) == set()
    (held,) = (check for check in found if check.name == "fail-to-pass")
    assert held.message == "new tests fail without the change"
    lie = replace(paper.certificate, fail_to_pass=FailToPass(outcome=FailToPassOutcome.LOADING))
    found = asyncio.run(examined(rig, forged(lie), rig.gates, clone=True))
    assert [check.message for check in found if check.name == "fail-to-pass" and check.passed is False] == [
        (
            "now new tests fail without the change; the certificate says: "
            "new tests fail without the change: they use code that it adds"
        ),
    ]


def test_without_the_gates_of_then_it_is_not_proved_again(rig: Rig) -> None:
    run = landed(rig, ProofPolicy.STRICT, {"price.py": DISCOUNT, "test_new.py": CALLS}, "test test_new")
    found = asyncio.run(examined(rig, asyncio.run(paper_of(rig, run)), (replace(UNITTEST, command="true"),)))
    assert "fail-to-pass" in unchecked(found)
    assert "gate test" in broken(found)


@pytest.mark.parametrize(
    ("files", "claim"),
    [
        ({"price.py": DISCOUNT, "test_new.py": PASSES}, "test test_new"),
        ({"price.py": DISCOUNT}, "test test_old.py::test_total"),
        ({"test_new.py": PASSES}, "test test_new"),
    ],
)
def test_what_was_not_red_is_judged_again_and_not_run(rig: Rig, files: Mapping[str, str], claim: str) -> None:
    paper = asyncio.run(paper_of(rig, landed(rig, ProofPolicy.TRUSTING, files, claim)))
    found = asyncio.run(examined(rig, paper, rig.gates))
    assert broken(found) | unchecked(found) == set()
    assert "fail-to-pass" not in {check.name for check in found}


def test_the_landed_story_knows_it(rig: Rig) -> None:
    run = landed(rig, ProofPolicy.TRUSTING, {"price.py": DISCOUNT, "test_new.py": CALLS})
    (accepted,) = [fact for fact in asyncio.run(rig.facts(run, STORY)) if isinstance(fact, story_facts.LandingAccepted)]
    assert accepted.report
    assert accepted.report.passed
    assert accepted.report.fail_to_pass == found_on(rig, run)
