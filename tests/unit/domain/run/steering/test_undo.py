"""Undoing a story that has landed: its revert goes through the queue, and the run counts and starts what fits."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as r
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.scheduling import scheduled
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.intents import restarted
from shiftwork.domain.run.steering.undo import undo_request
from shiftwork.domain.story import facts as f
from shiftwork.domain.story.state import FailureCause, LandingStage, StoryStatus
from shiftwork.testing.builders import RUN, asked, fold_run, kept, run_plan, started_run, story_id
from tests.unit.domain.run.steering.test_intents import all_landed, keys, landed, over, retry, undo
from tests.unit.domain.run.test_decide import dispatched, ended


def test_an_undo_goes_through_the_queue_and_the_story_learns_of_it() -> None:
    run = over(all_landed(asked(1), asked(2)), RunStatus.COMPLETED)
    run = fold_run(run, r.StoryAdded(at=1, story=asked(3, after=(1,))), undo(1))
    assert (run.status, run.schedule.unlanded[story_id(3)]) == (RunStatus.RUNNING, 1)
    assert keys(run) == ["undo/1"]
    request = undo_request(run, story_id(1))
    assert (request.tip, request.base, request.key) == ("before-1", "landed-1", f"{RUN}/US-001/revert-1")
    run = fold_run(run, r.UndoPosted(at=1, story=story_id(1)))
    assert keys(run) == ["receive/0"], "a run is not over while something is being undone"
    run = fold_run(run, r.UndoLanded(at=1, story=story_id(1), commit=Commit("revert-commit")))
    assert keys(run) == ["revert/1"]
    run = fold_run(run, r.StoryUndone(at=1, story=story_id(1)))
    known = run.stories[story_id(1)]
    assert (known.status, known.cause, known.commit) == (StoryStatus.UNDONE, FailureCause.UNDONE, "")
    assert (run.totals.completed, run.totals.failed, run.requests.undoing) == (1, 0, {})
    assert run.schedule.blocked == {"US-003": "depends on US-001, which was undone"}
    run = fold_run(run, retry(1))
    assert restarted(run, story_id(1)) == "its work was reverted"
    (again,) = decide_run(kept(run))
    assert isinstance(again, run_effects.DispatchStory)
    assert again.from_scratch, "reverted work is not simply landed once more"


def test_the_spec_is_updated_with_what_was_undone() -> None:
    plan = run_plan(asked(1), source="prd-json:prd.json")
    run = fold_run(RunState(), r.RunStarted(at=1, plan=plan), dispatched(1), landed(1))
    run = fold_run(run, r.SpecUpdated(at=1, stories=(story_id(1),)), undo(1), r.UndoPosted(at=1, story=story_id(1)))
    run = fold_run(
        run, r.UndoLanded(at=1, story=story_id(1), commit=Commit("c")), r.StoryUndone(at=1, story=story_id(1))
    )
    assert run.writeback.unwritten == (story_id(1),)


def test_a_refused_undo_leaves_everything_as_it_was() -> None:
    before = all_landed(asked(1))
    run = fold_run(before, undo(1), r.UndoPosted(at=1, story=story_id(1)))
    run = fold_run(run, r.UndoRefused(at=1, story=story_id(1), reason="no"))
    assert replace(run, requests=replace(run.requests, undos=0)) == before
    assert keys(fold_run(run, undo(1))) == ["undo/2"]


def test_a_run_that_is_cancelled_asks_for_no_revert_and_takes_back_what_it_has_asked_for() -> None:
    before = all_landed(asked(1))
    run = fold_run(before, undo(1), r.CancelRequested(at=1))
    (cancelled,) = decide_run(kept(run))
    assert cancelled.key == "undo/1/cancelled"
    assert isinstance(cancelled, e.Conclude)
    run = fold_run(run, *cancelled.facts)
    assert (run.requests.undoing, keys(run)) == ({}, ["end/1"])

    run = fold_run(before, undo(1), r.UndoPosted(at=1, story=story_id(1)), r.CancelRequested(at=1))
    assert keys(run) == ["undo/1/withdraw"]
    run = fold_run(run, f.LandingWithdrawalAsked(at=1, number=1))
    assert keys(run) == ["receive/0"], "it is asked for once, and only the queue knows what comes of it"
    late = fold_run(run, r.UndoLanded(at=1, story=story_id(1), commit=Commit("revert-commit")))
    assert keys(late) == ["revert/1"], "the branch had moved: the story is notified like any other"
    assert fold_run(late, r.UndoRefused(at=1, story=story_id(1), reason="no")) is late
    assert keys(fold_run(run, r.UndoRefused(at=1, story=story_id(1), reason="no"))) == ["end/1"]


@pytest.mark.parametrize(
    "fact",
    [
        r.UndoPosted(at=1, story=story_id(2)),
        r.UndoLanded(at=1, story=story_id(1), commit=Commit("c")),
        r.StoryUndone(at=1, story=story_id(1)),
        r.StoryUndone(at=1, story=story_id(2)),
        r.UndoRefused(at=1, story=story_id(2), reason="no"),
        f.LandingWithdrawalAsked(at=1, number=1),
        f.LandingWithdrawalAsked(at=1, number=2),
    ],
    ids=repr,
)
def test_news_of_an_undo_that_is_not_in_progress_mean_nothing(fact: Fact) -> None:
    run = fold_run(all_landed(asked(1), asked(2)), undo(1))
    assert fold_run(run, fact) is run
    assert run.requests.undoing[story_id(1)].landing is LandingStage.NONE


def test_a_retry_of_an_undone_story_leaves_the_count_of_failed_ones() -> None:
    run = fold_run(started_run(asked(1), asked(2), parallel=2), dispatched(1), landed(1), dispatched(2))
    run = over(fold_run(run, ended(2, StoryStatus.FAILED)))
    run = fold_run(
        run,
        undo(1),
        r.UndoPosted(at=1, story=story_id(1)),
        r.UndoLanded(at=1, story=story_id(1), commit=Commit("r")),
        r.StoryUndone(at=1, story=story_id(1)),
    )
    again = fold_run(run, retry(1))
    assert (again.totals.completed, again.totals.failed) == (0, 1)
    assert scheduled(again) == again
