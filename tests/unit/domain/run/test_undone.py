"""A story whose work was reverted has its own status, and so has a run in which nothing else is wrong."""

from dataclasses import replace

from shiftwork.domain.core.ids import Commit
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.intent_checks import Objection, objection
from shiftwork.domain.story.state import StoryStatus
from shiftwork.testing.builders import RUN, asked, fold_run, kept, started_run, story_id
from tests.unit.domain.run.steering.test_intents import landed, retry, undo
from tests.unit.domain.run.test_decide import dispatched, ended


def undone(run: RunState, number: int) -> RunState:
    story = story_id(number)
    reverted = run_facts.UndoLanded(at=1, story=story, commit=Commit("revert-commit"))
    return fold_run(
        run, undo(number), run_facts.UndoPosted(at=1, story=story), reverted, run_facts.StoryUndone(at=1, story=story)
    )


def end_of(run: RunState) -> RunState:
    (end,) = decide_run(kept(run))
    assert isinstance(end, run_effects.EndRun)
    return fold_run(run, *end.facts)


def test_a_run_with_an_undone_story_and_what_is_blocked_by_it_ends_undone_and_can_continue() -> None:
    run = fold_run(started_run(asked(1), asked(2, after=(1,)), asked(3), parallel=2), dispatched(1), landed(1))
    run = undone(fold_run(run, replace(dispatched(3), slot=1), landed(3)), 1)
    assert (run.stories[story_id(1)].status, run.totals.failed) == (StoryStatus.UNDONE, 0)
    assert run.schedule.blocked == {"US-002": "depends on US-001, which was undone"}
    over = end_of(run)
    assert over.status is RunStatus.UNDONE
    again = fold_run(over, retry(1))
    assert (again.status, again.stories[story_id(1)].status) == (RunStatus.RUNNING, StoryStatus.UNCLAIMED)
    assert not again.schedule.blocked


def test_a_run_with_a_failed_story_beside_an_undone_one_has_failed() -> None:
    run = fold_run(started_run(asked(1), asked(2), parallel=2), dispatched(1), replace(dispatched(2), slot=1))
    run = undone(fold_run(run, landed(1), ended(2, StoryStatus.FAILED)), 1)
    assert end_of(run).status is RunStatus.FAILED


def test_what_is_undone_is_neither_cancelled_nor_undone_once_more() -> None:
    run = undone(fold_run(started_run(asked(1), asked(2)), dispatched(1), landed(1)), 1)
    assert objection(run, undo(1)) == Objection(
        reason="US-001 has not landed: it is undone already", hint=f"shiftwork stories {RUN}"
    )
    cancelled = objection(run, run_facts.StoryCancellationRequested(at=1, story=story_id(1)))
    assert cancelled == Objection(reason="US-001 is undone already", hint=f"shiftwork retry US-001 --run {RUN}")
    assert objection(run, retry(1)) is None
