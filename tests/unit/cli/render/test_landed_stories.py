"""The landed stories in `status`: groups of stories that are proved alike, each with how far they are proved."""

from dataclasses import replace

from shiftwork.app.views.overview import overview
from shiftwork.app.views.run_views import Activity, RunView, StoryView
from shiftwork.entrypoints.cli.status_view.several_stories import Snapshot, story_sections
from shiftwork.ports.rows.row_parts import LandingPart, ProofPart
from shiftwork.testing.conformance.store_stage import run_row, story_row

FALSE = "the evidence for AC-1 was checked and is false"


def landed(number: int, proof: ProofPart) -> StoryView:
    row = replace(story_row("r1", f"US-00{number}"), status="completed", position=number, proof=proof)
    return StoryView(story=replace(row, landing=LandingPart(commit="c" * 40, ref="main")), steps=())


def test_criteria_are_counted_over_the_group_and_false_evidence_is_named() -> None:
    bare = ProofPart(level="partly", shown=0, criteria=1)
    half = ProofPart(level="partly", shown=1, criteria=2)
    stories = [
        *(landed(number, bare) for number in (1, 2, 3, 4, 6)),
        landed(7, half),
        landed(8, replace(bare, remark=FALSE)),
    ]
    run = replace(run_row("r1"), status="completed", ended_at=9.0)
    view = RunView(run=run, activity=Activity.OVER, worker=None, stories=stories)
    (line,) = story_sections(Snapshot(view=view, glance=overview(view, 0.0), now=0.0), 40)[-1:]
    assert line.text.removeprefix("Landed     ").partition("   ")[0] == (
        "US-001 … US-004, US-006 (gates passed; 0 of 5 criteria have evidence); "
        "US-007 (gates passed; 1 of 2 criteria have evidence); "
        "US-008 (gates passed; 0 of 1 criteria have evidence, some is false)"
    )
