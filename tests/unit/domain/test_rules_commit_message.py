"""What is written into a landed commit, and read from it again."""

from dataclasses import replace

import pytest

from shiftwork.domain.model.gate import Gate
from shiftwork.domain.model.ids import Commit
from shiftwork.domain.model.proof import ProofPolicy, Verification, VerificationKind
from shiftwork.domain.model.queue import Case, request_key, requested_by
from shiftwork.domain.model.story import Evidence
from shiftwork.domain.rules import commit_message as m
from shiftwork.testing.builders import RUN, asked, landing_request, started_story, story_id

GATES = (Gate(name="lint", command="ruff check"), Gate(name="unit", command="pytest"))
OFFERED = Case(
    policy=ProofPolicy.CITED,
    criteria=asked().criteria,
    evidence=(Evidence(criterion="AC-1", kind="test", reference="test_it"),),
    verification=(Verification(id="VS-1", kind=VerificationKind.SHELL),),
)

WHOLE = """\
feat: US-001 - Story 1

Do what story 1 says

- It is done

Shiftwork-Run: r1
Shiftwork-Story: US-001
Shiftwork-Tests: 1 test deleted
Shiftwork-Gates: lint, unit, VS-1
Shiftwork-Evidence: 1/1 cited"""


def test_all_that_there_is_to_tell_is_told() -> None:
    body = m.body_of(started_story(), OFFERED, "1 test deleted", GATES)
    assert m.message_of(replace(landing_request(), title="Story 1", body=body)) == WHOLE


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (m.RUN, "r1"),
        (m.STORY, "US-001"),
        (m.TESTS, "1 test deleted"),
        (m.GATES, "lint, unit, VS-1"),
        (m.EVIDENCE, "1/1 cited"),
    ],
)
def test_what_was_written_is_read_again(key: str, value: str) -> None:
    assert m.trailer(WHOLE, key) == value
    assert m.trailer(f"{WHOLE}\n{key}: {value}", key) is None, "two say nothing"
    assert m.trailer(f"{WHOLE}\n\nThe end.", key) is None, "only the last paragraph has trailers"


def test_what_there_is_none_of_is_not_told() -> None:
    body = m.body_of(started_story(), Case(), "", ())
    assert body.endswith("- It is done\n\nShiftwork-Run: r1\nShiftwork-Story: US-001")


def test_a_revert_names_what_it_reverts_and_whose_that_was() -> None:
    told = m.revert_of(Commit("abc"), RUN, story_id(1))
    assert told == "This reverts commit abc.\n\nShiftwork-Run: r1\nShiftwork-Story: US-001"


@pytest.mark.parametrize("kind", ["feat", "revert"])
def test_a_request_is_known_by_its_key(kind: str) -> None:
    assert requested_by(request_key(RUN, story_id(1), 2, kind)) == (RUN, story_id(1))
