"""Rows made of parts: they are flat columns for databases and programs, and come back as they were."""

from dataclasses import replace

import pytest

from shiftwork.domain.story.state import HoldCause
from shiftwork.ports.rows.row_columns import built, column_types, columns
from shiftwork.ports.rows.row_parts import LimitPart, ProofPart, UsedPart, WaitCause, WaitingPart
from shiftwork.ports.views import Row, StoryRow
from shiftwork.testing.conformance.store_stage import (
    attempt_row,
    profile_row,
    run_row,
    spent_row,
    step_row,
    story_row,
    waited_row,
)

STORY = replace(
    story_row("r", "s"),
    waiting=WaitingPart(cause=WaitCause.QUESTION, detail="Tabs?", choices=("yes", "no"), undelivered="email: down"),
    limit=LimitPart(whose="run", usd=1.0, tokens=2, spent_usd=3.0, spent_tokens=4, needed_usd=5.0, needed_tokens=6),
    proof=ProofPart(level="partly", shown=1, criteria=2, remark="blind"),
)
STEP, SPENT = step_row("r", "s", "step-001"), spent_row("r", "s", "a")
ROWS = [
    STORY,
    STEP,
    SPENT,
    run_row("r"),
    profile_row("r", started_at=1.0),
    waited_row("r", "s", 1),
    attempt_row("r", "s", "step-001", 1),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: type(row).__name__)
def test_a_row_is_its_columns(row: Row) -> None:
    values = columns(row)
    assert built(type(row), values) == row
    assert list(values) == list(column_types(type(row)))


def test_every_field_of_every_part_has_a_column_of_its_own() -> None:
    """Two parts with one column would overwrite each other."""
    own = {"run", "story", "position", "title", "status", "step", "failure", "cause", "started_at", "ended_at"}
    used = {"cost_usd", "input_tokens", "output_tokens", "cached_tokens", "tries", "unpriced", "uncounted", "estimated"}
    landing = {"landing", "commit", "ref", "refusal", "tests"}
    waiting = {"hold", "waiting", "choices", "until", "undelivered"}
    sums = {f"limit_{which}{unit}" for which in ("", "spent_", "needed_") for unit in ("usd", "tokens")}
    proof = {"proof", "shown", "criteria", "proof_remark"}
    sessions = {"limit_sessions", "limit_spent_sessions"}
    parts = [own | {"depends_on"}, used, landing, waiting, sums | sessions | {"limit_of"}, proof]
    assert set(columns(STORY)) == set().union(*parts)
    assert len(columns(STORY)) == sum(map(len, parts))


def test_a_column_that_is_missing_has_its_default_if_there_is_one() -> None:
    few = {name: value for name, value in columns(STORY).items() if name not in {"choices", "tries", "proof"}}
    assert built(StoryRow, few) == replace(
        STORY, waiting=replace(STORY.waiting, choices=()), proof=replace(STORY.proof, level="")
    )
    with pytest.raises(TypeError, match="title"):
        built(StoryRow, {name: value for name, value in few.items() if name != "title"})


def test_a_story_can_wait_for_all_that_can_hold_it() -> None:
    waits = {cause.value for cause in WaitCause} - {WaitCause.UNKNOWN, WaitCause.RATE_LIMIT}
    assert waits == {cause.value for cause in HoldCause}


def test_a_cause_of_another_release_is_unknown() -> None:
    assert WaitCause("fancy") is WaitCause.UNKNOWN
    assert WaitingPart(cause=WaitCause("fancy"), detail="who knows").needs_person


@pytest.mark.parametrize(
    ("part", "waits", "needs_person"),
    [
        (WaitingPart(), False, False),
        (WaitingPart(cause=WaitCause.QUESTION), True, True),
        (WaitingPart(cause=WaitCause.RATE_LIMIT, until=9.0), True, False),
    ],
)
def test_who_waits_for_a_limit_to_reset_needs_no_person(part: WaitingPart, *, waits: bool, needs_person: bool) -> None:
    assert (part.waits, part.needs_person) == (waits, needs_person)


def test_what_was_used_is_the_same_part_of_every_row() -> None:
    used = UsedPart(cost_usd=0.5, tries=2)
    rows = (replace(STORY, used=used), replace(STEP, used=used), replace(SPENT, used=used))
    found = [{name: columns(row)[name] for name in column_types(UsedPart)} for row in rows]
    assert found == [columns(used)] * 3
