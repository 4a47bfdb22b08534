"""The reply to a request to a run: the suggested next command does what the user waits for."""

import json
from dataclasses import replace

import pytest

from shiftwork.app.views.run_views import Activity, StoryView
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.state import RunState
from shiftwork.domain.story.state import StoryStatus
from shiftwork.entrypoints.cli.control.intents import Asked, announce, report_edited
from shiftwork.testing.builders import asked, fold_run, started_run, story_id
from tests.unit.cli.render.test_next_steps import story, view
from tests.unit.domain.run.steering.test_intents import over, retry
from tests.unit.domain.run.test_decide import dispatched, ended

FAILED = fold_run(started_run(asked(1), asked(2, after=(1,))), dispatched(1), ended(1, StoryStatus.FAILED))
UNBEGUN = fold_run(started_run(asked(1)), run_facts.CancelRequested(at=1))


def edited(run: RunState, number: int, *rows: StoryView, received: bool = False) -> Asked:
    return Asked(
        view=view(Activity.WORKING if received else Activity.OVER, *rows),
        before=run,
        intent=run_facts.StoryEdited(at=1, story=asked(number)),
        version=1,
        received=received,
    )


@pytest.mark.parametrize(
    ("given", "number", "said"),
    [
        (
            edited(over(FAILED), 1, story("US-001", "failed"), story("US-002", "blocked")),
            1,
            ["requested; the run is over, and this is done once it is continued", "next: shiftwork retry US-001"],
        ),
        (
            edited(over(FAILED), 2, story("US-001", "failed"), story("US-002", "blocked")),
            2,
            [
                "requested; the run is over, and this is done once it is continued",
                "next: shiftwork logs r1 --story US-001",
                "      shiftwork retry US-001    (with the reason: --because …)",
            ],
        ),
        (
            edited(over(UNBEGUN), 1, story("US-001", "unclaimed")),
            1,
            [
                "requested; the run is over, and this is done once it is continued",
                'next: shiftwork add "…" --run r1    (adds more work)',
            ],
        ),
        (
            edited(FAILED, 1, story("US-001", "failed")),
            1,
            ["requested; done when the run continues: no process works on the run", "next: shiftwork retry US-001"],
        ),
        (
            edited(FAILED, 2, story("US-001", "failed")),
            2,
            ["requested; done when the run continues: no process works on the run", "next: shiftwork resume r1"],
        ),
        (edited(FAILED, 1, received=True), 1, ["US-001 is changed in run r1", "next: shiftwork retry US-001"]),
        (edited(FAILED, 2, received=True), 2, ["US-002 is changed in run r1", "next: shiftwork stories r1"]),
    ],
)
def test_an_edit_leads_to_what_has_the_story_done_as_it_then_reads(
    given: Asked, number: int, said: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    report_edited(given, story_id(number), as_json=False)
    assert capsys.readouterr().out.splitlines() == said


@pytest.mark.parametrize("received", [True, False])
def test_an_edit_says_that_the_specs_file_stays_as_it_is(capsys: pytest.CaptureFixture[str], *, received: bool) -> None:
    given = edited(FAILED, 1, story("US-001", "failed"), received=received)
    plan = replace(given.before.given, source="prd:docs/prd.json")
    given = replace(given, before=replace(given.before, plan=plan))
    report_edited(given, story_id(1), as_json=False)
    said = "docs/prd.json is not changed: edit it too if later runs should use the change"
    assert said in capsys.readouterr().out.splitlines()
    report_edited(given, story_id(1), as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert (document["spec_file"], document["spec_file_changed"]) == ("docs/prd.json", False)


def test_a_run_that_was_over_and_was_asked_for_more_is_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    """Its worker had just gone when it was asked."""
    again = replace(edited(over(FAILED), 1, story("US-001", "failed")), intent=retry(1))
    announce(again, "US-001 has another go", as_json=False)
    assert capsys.readouterr().out.splitlines()[-1] == "next: shiftwork resume r1"
