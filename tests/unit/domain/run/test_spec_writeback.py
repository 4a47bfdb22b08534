"""When a spec's file is updated with what has landed, and what happens when it cannot be written."""

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState, RunStatus, SpecWriteback
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import Usage
from shiftwork.testing.builders import asked, fold_run, run_plan, story_id

SOURCE = "prd-json:prd.json"


def started(count: int = 3, *, source: str = SOURCE, parallel: int = 9) -> RunState:
    stories = (asked(number) for number in range(1, count + 1))
    return fold_run(RunState(), run_facts.RunStarted(at=1, plan=run_plan(*stories, source=source, parallel=parallel)))


def dispatched(run: RunState, *numbers: int) -> RunState:
    slots = enumerate(numbers)
    return fold_run(
        run, *(run_facts.StoryDispatched(at=1, story=story_id(number), slot=slot) for slot, number in slots)
    )


def ended(number: int, status: StoryStatus = StoryStatus.COMPLETED) -> run_facts.StoryEnded:
    cause = None if status is StoryStatus.COMPLETED else FailureCause.STEP
    return run_facts.StoryEnded(
        at=1, story=story_id(number), status=status, commit=Commit("c"), reason="", cause=cause, usage=Usage()
    )


def marked(*numbers: int) -> run_facts.SpecUpdated:
    return run_facts.SpecUpdated(at=1, stories=tuple(story_id(number) for number in numbers))


def not_updated(*numbers: int, final: bool = False) -> run_facts.SpecUpdateFailed:
    stories = tuple(story_id(number) for number in numbers)
    return run_facts.SpecUpdateFailed(at=1, stories=stories, reason="no such file", final=final)


def asked_to_update(run: RunState) -> tuple[str, tuple[str, ...], bool] | None:
    """The update of the spec, if the first decided effect is one."""
    effect = decide_run(run)[0]
    return (effect.key, effect.stories, effect.final) if isinstance(effect, run_effects.UpdateSpec) else None


def test_what_has_landed_is_reported_as_soon_as_no_story_waits_to_be_started_for_it() -> None:
    run = fold_run(dispatched(started(), 1), ended(1))
    assert {type(effect) for effect in decide_run(run)} == {run_effects.DispatchStory}
    run = dispatched(run, 2, 3)
    assert [type(effect) for effect in decide_run(run)] == [run_effects.UpdateSpec]
    assert asked_to_update(run) == ("spec/1", ("US-001",), False)
    assert asked_to_update(fold_run(run, marked(1))) is None


def test_a_run_without_a_file_updates_none() -> None:
    run = fold_run(dispatched(started(source=""), 1), ended(1))
    assert asked_to_update(run) is None
    assert run.writeback == SpecWriteback()


def test_what_failed_is_not_reported() -> None:
    assert fold_run(dispatched(started(), 1), ended(1, StoryStatus.FAILED)).writeback == SpecWriteback()


def test_what_could_not_be_reported_is_reported_with_what_lands_next() -> None:
    run = fold_run(dispatched(started(), 1, 2, 3), ended(1), not_updated(1))
    assert asked_to_update(run) is None, "nothing is tried over and over"
    run = fold_run(run, ended(2))
    assert asked_to_update(run) == ("spec/2", ("US-001", "US-002"), False)
    run = fold_run(run, marked(1, 2))
    assert run.writeback == SpecWriteback(tries=2)


def test_before_the_run_ends_it_is_tried_for_the_last_time() -> None:
    run = fold_run(dispatched(started(1), 1), ended(1), not_updated(1))
    assert asked_to_update(run) == ("spec/2", ("US-001",), True)
    for last in (marked(1), not_updated(1, final=True)):
        (effect,) = decide_run(fold_run(run, last))
        assert isinstance(effect, e.Conclude)
        (fact,) = effect.facts
        assert isinstance(fact, run_facts.RunEnded)
        assert fact.status is RunStatus.COMPLETED, "a file that cannot be updated is no failure of the work"


def test_a_cancelled_run_too_reports_what_has_landed() -> None:
    run = fold_run(dispatched(started(), 1), run_facts.CancelRequested(at=1), ended(1))
    assert asked_to_update(run) == ("spec/1", ("US-001",), False)
    run = fold_run(run, not_updated(1))
    assert asked_to_update(run) == ("spec/2", ("US-001",), True)
    (effect,) = decide_run(fold_run(run, not_updated(1, final=True)))
    assert isinstance(effect, e.Conclude)


def test_a_story_that_is_marked_out_of_turn_is_marked_once() -> None:
    run = fold_run(dispatched(started(), 1, 2, 3), ended(1), ended(2), marked(2))
    assert asked_to_update(run) == ("spec/2", ("US-001",), False)


def test_a_run_that_has_not_begun_has_nothing_to_report() -> None:
    assert fold_run(RunState(), marked(1), not_updated(1)) == RunState()


# Stories that had landed before --------------------------------------------------------------------------------------


def test_what_had_landed_before_is_completed_and_neither_done_nor_reported_again() -> None:
    plan = run_plan(asked(1), asked(2, after=(1,)), source=SOURCE)
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan), run_facts.StoryAdopted(at=1, story=story_id(1)))
    assert run.stories[story_id(1)].status is StoryStatus.COMPLETED
    assert [effect.key for effect in decide_run(run)] == ["dispatch/US-002"]


def test_a_run_of_which_all_had_landed_before_is_over_at_once() -> None:
    run = fold_run(started(1), run_facts.StoryAdopted(at=1, story=story_id(1)))
    (effect,) = decide_run(run)
    assert isinstance(effect, e.Conclude)
    (fact,) = effect.facts
    assert isinstance(fact, run_facts.RunEnded)
    assert fact.status is RunStatus.COMPLETED


def test_only_a_story_that_no_one_has_begun_is_adopted() -> None:
    run = dispatched(started(), 1)
    adopted = (run_facts.StoryAdopted(at=1, story=story_id(number)) for number in (1, 9))
    assert fold_run(run, *adopted) == run
