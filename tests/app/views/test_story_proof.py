"""The proof of one story, for a page: what a certificate says, and what a story offers before it lands."""

import asyncio
from typing import Any

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views import proofs
from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.served.proof_document import proof_document
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StoryId
from shiftwork.domain.gates.fail_to_pass_result import FailToPass, FailToPassOutcome, NamedTest, NamedTestState
from shiftwork.domain.gates.gate import NotNeeded
from shiftwork.domain.proof.claim import Evidence
from shiftwork.domain.spec.spec import Criterion
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.state import Dialogue, StoryState, StoryStatus
from shiftwork.domain.tampering.findings import Finding, Inspection, Meddling
from shiftwork.records import replace
from shiftwork.testing.builders import BASE, RUN, asked
from tests.app.full_history import account_of
from tests.json_documents import check
from tests.unit.domain.proof.test_proof_status import SAID

CERTIFIED = story_facts.StoryCertified(at=9, certificate=SAID, sha256="ab12")
STORY = replace(asked(1), criteria=(Criterion(id="AC-1", text="it greets"), Criterion(id="AC-2", text="it ends")))


def shown(state: StoryState, *facts: Fact) -> dict[str, Any]:
    made = to_json(proof_document(RUN, STORY, state, facts))
    check(made)
    return made


def test_a_certificate_is_shown_with_criteria_gates_and_the_command_that_checks_it() -> None:
    made = shown(StoryState(status=StoryStatus.COMPLETED), CERTIFIED)
    assert (made["landed"], made["undone"], made["proof"], made["sha256"]) == (True, False, "proved", "ab12")
    assert [line["criterion"] for line in made["criteria"]] == [judged.criterion for judged in SAID.criteria]
    assert {line["verdict"] for line in made["criteria"]} == {judged.verdict.value for judged in SAID.criteria}
    assert [line["name"] for line in made["gates"]] == [gate.name for gate in SAID.gates]
    assert [line["criterion"] for line in made["verification"]] == [line.step.id for line in SAID.verification]
    assert made["command"] == f"shiftwork proof US-001 --run {RUN} --verify"
    assert (made["fail_to_pass"], made["named_tests"]) == ("", [])


def test_what_tests_have_shown_and_what_did_not_run_is_said() -> None:
    tried = FailToPass(
        outcome=FailToPassOutcome.ASSERTION, tests=(NamedTest(reference="test_hi", state=NamedTestState.RED),)
    )
    said = replace(SAID, fail_to_pass=tried, not_needed=(NotNeeded(name="docs", reason="no page changed"),))
    found = Inspection(findings=(Finding(kind=Meddling.DELETED, path="tests/a.py"),))
    asked_to_land = story_facts.LandingRequested(at=8, number=1, tip=BASE, inspection=found)
    made = shown(StoryState(status=StoryStatus.UNDONE), asked_to_land, replace(CERTIFIED, certificate=said))
    assert made["undone"]
    assert made["fail_to_pass"]
    assert made["named_tests"] == [{"reference": "test_hi", "status": "red"}]
    assert made["touched_tests"] == ["deleted: tests/a.py"]
    assert made["not_needed"] == ["docs: no page changed"]


def test_a_story_that_started_again_is_not_proved_by_its_earlier_work() -> None:
    evidence = (Evidence(criterion="AC-1", kind="test", reference="test_hi"),)
    state = StoryState(status=StoryStatus.IN_PROGRESS, dialogue=Dialogue(evidence=evidence))
    made = shown(state, CERTIFIED)
    assert (made["landed"], made["proof"], made["command"]) == (False, "", "")
    assert [(line["criterion"], line["reference"], line["verdict"]) for line in made["criteria"]] == [
        ("AC-1", "test_hi", None),
        ("AC-2", "", None),
    ]


def test_the_proof_is_read_from_the_history_or_of_a_queued_story_from_its_run() -> None:
    store = MemoryStore()
    known = asyncio.run(account_of(store))
    begun, queued = (asyncio.run(proofs.of_story(store.events, RUN, StoryId(story))) for story in ("US-004", "US-005"))
    assert (begun.story, begun.policy) == ("US-004", known.run.given.proof)
    assert (queued.title, queued.policy, queued.landed) == (known.stories[4].asked.title, "", False)
