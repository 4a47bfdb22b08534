"""What `status` says of a run with many stories."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from shiftwork.app.views.documents.document import to_json
from shiftwork.app.views.documents.run_documents import run_document
from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.app.views.story_list import Line
from shiftwork.config.site import find_site
from shiftwork.domain.agents.rate_limit import Awaited, Waited
from shiftwork.entrypoints.cli.commands.stories import table
from shiftwork.entrypoints.cli.render.phrases import o_clock
from shiftwork.entrypoints.cli.run_status import status_text
from shiftwork.entrypoints.cli.work.foreground import Stop
from shiftwork.entrypoints.cli.work.summary import summary
from shiftwork.ports.rows.row_parts import LandingPart, WaitingPart
from shiftwork.ports.views import StepRow
from shiftwork.testing.conformance.store_stage import run_row, step_row, story_row

STATUSES = ["completed"] * 900 + ["in_progress"] * 8 + ["failed"] + ["blocked"] * 40 + ["unclaimed"] * 51


def stories(statuses: list[str]) -> Iterator[StoryView]:
    for number, status in enumerate(statuses):
        name = f"US-{number:04d}"
        steps = [step_row("r1", name, "step-001")] if status in {"in_progress", "failed"} else []
        yield StoryView(story=replace(story_row("r1", name), status=status), steps=steps)


def lines(statuses: list[str]) -> list[str]:
    run = replace(run_row("r1"), status="running")
    return status_text(
        RunView(run=run, activity=Activity.WORKING, worker=None, stories=list(stories(statuses)))
    ).splitlines()


def test_many_stories_are_counted_and_those_with_something_to_report_shown() -> None:
    said = lines(STATUSES)
    assert said[0].endswith(": 900 of 1,000 landed, 8 in progress, 1 failed, 40 blocked, 51 queued")
    assert sum(line.startswith("  US-") for line in said) == 9, "those that failed, and those in progress"
    assert len(said) <= 40


def test_where_all_have_landed_they_are_only_counted() -> None:
    said = lines(["completed"] * 1000)
    assert said[0].endswith(": working, 1,000 of 1,000 landed")
    assert not any(line.startswith("  US-") for line in said)
    assert len(said) < 10


def test_a_few_are_all_shown_with_the_reason_why_one_is_blocked() -> None:
    reason = "depends on US-0001, which failed"
    blocked = replace(story_row("r1", "US-0002"), status="blocked", failure=reason)
    view = RunView(
        run=replace(run_row("r1"), status="running"),
        activity=Activity.WORKING,
        worker=None,
        stories=[*stories(["completed"]), StoryView(story=blocked, steps=[])],
    )
    said = status_text(view).splitlines()
    assert "Queued     US-0002 (blocked: depends on US-0001, which failed)" in said
    assert "Landed     US-0000   shiftwork stories r1 --landed" in said


def test_the_time_of_a_step_is_that_of_all_its_tries_and_is_said_to_be() -> None:
    once = replace(step_row("r1", "US-0000", "step-001"), status="completed", started_at=1.0, ended_at=4.0, attempts=1)

    def table(*steps: StepRow) -> list[str]:
        story = StoryView(story=story_row("r1", "US-0000"), steps=steps)
        said = status_text(
            RunView(run=run_row("r1"), activity=Activity.WORKING, worker=None, stories=[story])
        ).splitlines()
        return said[next(place for place, line in enumerate(said) if line.startswith("    step")) :]

    head, row, *_ = table(once)
    assert ("  try         time  " in head, "    1        3.0 s  " in row) == (True, True), "as in older rows"
    head, first, second, *_ = table(replace(once, seconds=3.0), replace(once, attempts=3, seconds=65.0))
    assert "  try  time in all  " in head
    assert "    1        3.0 s  " in first
    assert "    3   1 min 05 s  " in second


def test_what_was_only_waiting_is_reported_and_has_fields_of_its_own_for_programs() -> None:
    ended = replace(story_row("r1", "US-1"), status="completed", started_at=1.0, ended_at=101.0)
    waited = (
        Waited(awaited=Awaited.PERSON, since=10.0, until=70.0),
        Waited(awaited=Awaited.LIMIT, since=80.0, until=82.5),
    )
    story = StoryView(story=ended, steps=[], waited=waited)
    run = replace(run_row("r1"), status="completed", started_at=0.0, ended_at=110.0)
    view = RunView(run=run, activity=Activity.OVER, worker=None, stories=[story])
    words = "and 1 min 00 s when all work waited for you, 2.5 s for a rate limit"
    assert f"  took   47 s ({words})" in status_text(view)
    document = to_json(run_document(view))
    assert (document["waited_for_you_seconds"], document["waited_for_limits_seconds"]) == (60.0, 2.5)
    (item,) = document["stories"]
    assert (item["waited_for_you_seconds"], item["waited_for_limits_seconds"]) == (60.0, 2.5)


def test_a_story_at_its_gates_is_shown_with_since_when() -> None:
    step = replace(step_row("r1", "US-1", "step-001"), status="completed", ended_at=60.0)
    asked = StoryView(story=replace(story_row("r1", "US-1"), landing=LandingPart(progress="requested")), steps=[step])
    lands = f"    landing since {o_clock(60.0)}: gates run on the tree that will land"
    view = RunView(run=run_row("r1"), activity=Activity.WORKING, worker=None, stories=[asked])
    assert lands in status_text(view).splitlines()
    assert lands not in status_text(replace(view, activity=Activity.INTERRUPTED)), "no worker runs gates"
    over = replace(asked, story=replace(asked.story, status="failed"))
    assert lands not in status_text(replace(view, stories=[over]))
    rows = [Line(story=item.story, step="", depends_on=(), waits_for=()) for item in (asked, over)]
    _, first, second = table(view, rows)
    assert (first.text.split()[2], second.text.split()[2]) == ("landing", "-")


def test_the_limits_of_a_run_are_reported() -> None:
    run = replace(run_row("r1"), max_usd=2.0, step_tokens=5_000)
    view = RunView(run=run, activity=Activity.WORKING, worker=None, stories=list(stories(["in_progress"])))
    assert "  limits  2.00 USD for the run; 5,000 tokens for each step" in status_text(view).splitlines()
    document = to_json(run_document(view))
    assert (document["limits"]["of_run"]["cost_usd"], document["limits"]["of_step"]["tokens"]) == (2.0, 5_000)
    assert "max_usd" not in document
    unlimited = replace(view, run=run_row("r1"))
    assert "limits" not in status_text(unlimited)


def test_notices_that_no_one_has_got_are_reported(tmp_path: Path) -> None:
    run = replace(run_row("r1"), status="completed", ended_at=2.0, undelivered="webhook: Connection refused")
    waits = replace(story_row("r1", "US-1"), waiting=WaitingPart(undelivered="webhook: Connection refused"))
    view = RunView(run=run, activity=Activity.OVER, worker=None, stories=[StoryView(story=waits, steps=[])])
    lines = status_text(view).splitlines()
    assert "  notices  not delivered: webhook: Connection refused" in lines
    (tmp_path / ".git").mkdir()
    assert "  notices  not delivered: webhook: Connection refused" in "\n".join(
        summary(find_site(tmp_path, {}), view, Stop.OVER)
    )
    received = replace(view, run=run_row("r1"), stories=list(stories(["in_progress"])))
    assert "notices" not in status_text(received)


def test_pairs_that_will_conflict_are_reported_as_far_as_there_is_room() -> None:
    view = RunView(
        run=run_row("r1"), activity=Activity.WORKING, worker=None, stories=list(stories(["in_progress"] * 2))
    )
    assert not any("conflict" in line for line in status_text(view).splitlines())
    pairs = [{"stories": ("US-1", f"US-{number}"), "files": ("a\x1b[31m.txt", "b.txt")} for number in range(12)]
    said = status_text(view, pairs).splitlines()
    assert sum(line.startswith("  will conflict") for line in said) == 1
    assert "    US-1 and US-9: a.txt, b.txt" in said
    assert "    2 more pairs" in said
    assert not any("US-10" in line for line in said)


def test_a_step_that_another_profile_did_is_shown_with_it() -> None:
    def said(agent: str) -> str:
        step = replace(step_row("r1", "US-1", "step-001"), status="completed", attempts=2, agent=agent)
        story = StoryView(story=story_row("r1", "US-1"), steps=[step])
        return status_text(RunView(run=run_row("r1"), activity=Activity.WORKING, worker=None, stories=[story]))

    assert "      profile second" in said("second").splitlines()
    assert "profile" not in said(run_row("r1").agent)
