"""The record of a run: from its rows or from its whole history, it says the same."""

import asyncio
from dataclasses import replace

import pytest

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.folds import STORY
from shiftwork.app.runtime.attempt_projection import attempt_rows
from shiftwork.app.views.report.record_reader import attempts_of
from shiftwork.app.views.report.run_record import record_of
from shiftwork.app.views.run_views import story_label
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import StepId
from shiftwork.ports.rows.row_parts import ProofPart, WaitCause, WaitingPart
from shiftwork.ports.views import AttemptRow, StoryRow
from shiftwork.testing.builders import RUN
from shiftwork.testing.conformance.store_stage import story_row
from tests.app.full_history import account_of, failed_story, landed_story
from tests.app.reported import report, report_of


@pytest.mark.parametrize("attempts", [True, False], ids=["rows", "from before the rows of attempts"])
def test_everything_that_can_happen_is_said_the_same_way(*, attempts: bool) -> None:
    async def scenario() -> None:
        store = MemoryStore()
        whole = await account_of(store, attempts=attempts)
        assert bool(await store.queries.attempts(RUN)) == attempts
        assert await report_of(store, RUN) == report(whole)

    asyncio.run(scenario())


def test_the_attempts_of_one_story_are_those_of_the_record_of_the_run() -> None:
    async def scenario() -> None:
        store = MemoryStore()
        record = record_of(await account_of(store))
        for story in record.stories:
            one = await attempts_of(store.queries, store.events, RUN, story.asked.id)
            assert [made.row for made in one] == [made.row for made in story.attempts]

    asyncio.run(scenario())


def test_each_attempt_has_a_row_however_the_facts_were_appended() -> None:
    for history in (landed_story(), failed_story()):
        whole = list(attempt_rows(STORY.start, history.facts))
        assert [row.position for row in whole] == list(range(1, history.state.spending.usage.attempts + 1))
        state, single = STORY.start, list[AttemptRow]()
        for fact in history.facts:
            single += attempt_rows(state, [fact])
            state = STORY.evolve(state, fact)
        assert single == whole


def test_a_fact_that_ends_no_attempt_makes_no_row() -> None:
    history = failed_story()
    (late,) = [fact for fact in history.facts if type(fact).__name__ == "StepFailed"]
    gone: Fact = replace(late, step=StepId("step-099"))  # type: ignore[call-arg]  # the fact of a step
    assert list(attempt_rows(history.state, [late, gone])) == []


WAITS = story_row("r", "s")


@pytest.mark.parametrize(
    ("row", "options", "label"),
    [
        (WAITS, {"moving": True}, "working"),
        (WAITS, {"moving": False}, "stopped"),
        (WAITS, {"moving": True, "stuck": True}, "stuck"),
        (replace(WAITS, waiting=WaitingPart(cause=WaitCause.QUESTION, detail="?")), {"moving": False}, "needs you"),
        (replace(WAITS, waiting=WaitingPart(cause=WaitCause.RATE_LIMIT, until=9.0)), {"moving": True}, "limited"),
        (replace(WAITS, status="paused"), {"moving": True}, "paused"),
        (replace(WAITS, status="completed", proof=ProofPart(level="proved")), {"moving": False}, "proved"),
        (replace(WAITS, status="completed"), {"moving": False, "undoing": True}, "undo pending"),
    ],
    ids=["working", "stopped", "stuck", "needs you", "limited", "paused", "proved", "undo pending"],
)
def test_a_state_has_one_word_in_all_views(row: StoryRow, options: dict[str, bool], label: str) -> None:
    assert story_label(row, **options) == label
