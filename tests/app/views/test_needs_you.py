"""What needs a person in all runs, and what each story holds up."""

from collections.abc import Sequence
from typing import Any

from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.served.needs_you_document import needs_you_document
from shiftwork.app.views.queries import RunRows, assembled
from shiftwork.app.views.run_views import RunView
from shiftwork.ports.rows.row_parts import LimitPart, WaitCause, WaitingPart
from shiftwork.ports.views import StoryRow
from shiftwork.records import replace
from shiftwork.testing.conformance.store_stage import run_row, story_row
from tests.json_documents import check

ASKING = WaitingPart(cause=WaitCause.QUESTION, detail="shall it go on?")


def row(name: str, *needed: str, status: str = "unclaimed", **more: Any) -> StoryRow:
    return replace(story_row("r1", name), status=status, depends_on=needed, **{"waiting": WaitingPart(), **more})


def view(*stories: StoryRow, ended_at: float | None = None) -> RunView:
    run = replace(run_row("r1"), ended_at=ended_at)
    return assembled(RunRows(run=run, stories=stories, steps={}, waited=(), spent=()), None)


def shown(views: Sequence[RunView]) -> tuple[list[str], list[str], list[tuple[str, list[str]]]]:
    made = to_json(needs_you_document(views))
    check(made)
    stories, failed = ([each["story"] for each in made[name]] for name in ("stories", "failed_stories"))
    return stories, failed, [(each["story"], each["holds_up"]) for each in made["held_up"]]


def test_a_story_holds_up_what_needs_it_through_others_and_nothing_that_has_ended() -> None:
    stories = [
        row("a", status="in_progress", waiting=ASKING),
        row("b", "a", "c"),
        row("c", "b"),
        row("d", "a", status="completed"),
        row("e"),
    ]
    assert shown([view(*stories)]) == (["a"], [], [("a", ["b", "c"])])


def test_a_cycle_of_dependencies_ends() -> None:
    stories = [row("a", "b", status="in_progress", waiting=ASKING), row("b", "a")]
    assert shown([view(*stories)])[-1] == [("a", ["b"])]


def test_a_limit_of_the_run_holds_up_all_queued_stories() -> None:
    limit = WaitingPart(cause=WaitCause.LIMIT, detail="the run has reached its limit")
    reached = row("a", status="in_progress", waiting=limit, limit=LimitPart(whose="run"))
    own = replace(reached, story="b", limit=LimitPart(whose="story"))
    stories = [reached, own, row("c"), row("d", status="in_progress")]
    assert shown([view(*stories)])[-1] == [("a", ["c"]), ("b", [])]


def test_failures_are_listed_also_of_a_run_that_has_ended_and_questions_are_not() -> None:
    stories = [row("a", status="in_progress", waiting=ASKING), row("b", status="failed"), row("c", "b")]
    assert shown([view(*stories)]) == (["a"], ["b"], [("a", []), ("b", ["c"])])
    assert shown([view(*stories, ended_at=9.0)])[:2] == ([], ["b"])
    assert shown([view(row("a"))]) == ([], [], [])


def test_a_cancelled_story_needs_nobody() -> None:
    assert shown([view(row("US-001", status="cancelled"), row("US-002", status="failed"))])[1] == ["US-002"]
