"""A run whose stories are worked on one after the other, because no story states a dependency."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import Commit, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.scheduling import held_by, scheduled
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.intent_checks import objection
from shiftwork.domain.spec.spec import Story
from shiftwork.domain.story.state import FailureCause, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED
from shiftwork.domain.workflow.workflow import StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.testing.builders import asked, fold_run, kept, ordered_run, run_plan, story_id

THREE = (asked(1), asked(2), asked(3))


def begun(number: int) -> run_facts.StoryDispatched:
    return run_facts.StoryDispatched(at=1, story=story_id(number))


def ended(number: int, *, landed: bool = True) -> run_facts.StoryEnded:
    return run_facts.StoryEnded(
        at=1,
        story=story_id(number),
        status=StoryStatus.COMPLETED if landed else StoryStatus.FAILED,
        commit=Commit(f"c{number}" if landed else ""),
        base=Commit("b" if landed else ""),
        reason="" if landed else "no luck",
        cause=None if landed else FailureCause.STEP,
        usage=NOTHING_USED,
    )


def worked(number: int, *, landed: bool = True) -> tuple[Fact, ...]:
    return begun(number), ended(number, landed=landed)


def starting(run: RunState) -> list[str]:
    return [
        effect.assignment.story.id for effect in decide_run(kept(run)) if isinstance(effect, run_effects.DispatchStory)
    ]


def over(run: RunState) -> RunState:
    """The run after the end that it decides on."""
    (effect,) = decide_run(kept(run))
    assert isinstance(effect, e.Conclude)
    return fold_run(run, *effect.facts)


STOPPED = over(fold_run(ordered_run(*THREE), *worked(1), *worked(2, landed=False)))


def test_each_story_starts_when_the_one_before_it_has_landed() -> None:
    run = ordered_run(*THREE)
    assert starting(run) == ["US-001"]
    assert starting(run := fold_run(run, begun(1))) == []
    assert starting(run := fold_run(run, ended(1))) == ["US-002"]
    assert starting(fold_run(run, *worked(2))) == ["US-003"]


def test_the_order_is_that_of_priority_and_then_of_the_spec_whatever_takes_longest() -> None:
    run = ordered_run(asked(1), replace(asked(2), complexity=5), replace(asked(3), priority=-1))
    assert starting(run) == ["US-003"]
    assert starting(run := fold_run(run, *worked(3))) == ["US-001"]
    assert starting(fold_run(run, *worked(1))) == ["US-002"]


def test_a_stated_dependency_makes_the_graph_decide() -> None:
    run = ordered_run(asked(1), asked(2), asked(3, after=(1,)))
    assert not run.given.ordered
    assert starting(run) == ["US-001", "US-002"]


def test_a_story_that_repairs_the_base_states_nothing_about_the_others() -> None:
    stories = (asked(9), asked(1, after=(9,)), asked(2, after=(9,)))
    plan = replace(run_plan(*stories, parallel=3), ordered=True, base_story=story_id(9))
    run = fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan), *worked(9))
    assert run.given.ordered
    assert starting(run) == ["US-001"]


@pytest.mark.parametrize("waits", [True, False])
def test_a_story_that_waits_for_a_person_holds_the_later_ones(waits: bool) -> None:  # noqa: FBT001 - a parameter
    held = fold_run(ordered_run(*THREE), begun(1), run_facts.StoryWaits(at=1, story=story_id(1), waiting=waits))
    assert starting(held) == []
    assert held_by(held) == {"US-002": "US-001", "US-003": "US-002"}


def test_a_story_put_first_comes_after_the_one_in_progress() -> None:
    first = run_facts.StoriesReordered(at=1, stories=(story_id(3),))
    run = fold_run(ordered_run(*THREE), begun(1), first)
    assert starting(run) == []
    assert held_by(run) == {"US-003": "US-001", "US-002": "US-003"}
    assert starting(fold_run(run, ended(1))) == ["US-003"]


def test_when_a_story_fails_the_later_ones_do_not_start_and_the_run_ends() -> None:
    assert STOPPED.status is RunStatus.FAILED
    assert STOPPED.schedule.blocked == {"US-003": "comes after US-002, which failed"}
    assert held_by(STOPPED) == {"US-003": "US-002"}
    why = objection(STOPPED, run_facts.StoryRetryRequested(at=1, story=story_id(3)))
    assert why is not None
    assert why.hint.endswith(f"or: shiftwork resume {STOPPED.given.run} --keep-going")


def test_a_retry_of_the_failed_story_lets_the_later_ones_start_after_it() -> None:
    run = fold_run(STOPPED, run_facts.StoryRetryRequested(at=1, story=story_id(2)))
    assert starting(run) == ["US-002"]
    assert run.schedule.blocked == {}
    assert starting(fold_run(run, *worked(2))) == ["US-003"]


def test_a_run_that_keeps_going_continues_with_the_next_story() -> None:
    run = ordered_run(*THREE, keep_going=True)
    run = fold_run(run, *worked(1, landed=False))
    assert starting(run) == ["US-002"]
    assert held_by(run) == {"US-003": "US-002"}
    run = over(fold_run(run, *worked(2), *worked(3)))
    assert run.status is RunStatus.FAILED


@pytest.mark.parametrize(
    "options", [run_facts.OptionsChanged(at=1, keep_going=True), run_facts.OptionsChanged(at=1, named=("parallel",))]
)
def test_a_stopped_run_continues_when_the_user_says_so(options: run_facts.OptionsChanged) -> None:
    run = fold_run(STOPPED, options)
    assert run.status is RunStatus.RUNNING
    assert run.ended_at is None
    assert starting(run) == ["US-003"]


def test_options_that_free_no_story_do_not_continue_a_run() -> None:
    going = run_facts.OptionsChanged(at=1, keep_going=True)
    done = over(fold_run(ordered_run(asked(1)), *worked(1, landed=False)))
    assert fold_run(done, going).status is RunStatus.FAILED
    cancelled = over(fold_run(STOPPED, run_facts.StoryRetryRequested(at=1, story=story_id(2)), *_CANCELLED))
    assert fold_run(cancelled, going).status is RunStatus.CANCELLED


_CANCELLED = (run_facts.CancelRequested(at=1),)


def test_naming_how_many_at_once_makes_the_stories_independent() -> None:
    run = fold_run(ordered_run(*THREE), run_facts.OptionsChanged(at=1, parallel=2, named=("parallel",)))
    assert starting(run) == ["US-001", "US-002"]
    assert held_by(run) == {}


def test_settings_that_nobody_named_do_not_change_the_order() -> None:
    run = fold_run(ordered_run(*THREE), run_facts.OptionsChanged(at=1, parallel=9))
    assert starting(run) == ["US-001"]


def test_a_story_added_or_changed_later_keeps_the_order() -> None:
    added = run_facts.StoryAdded(at=1, story=asked(4, after=(3,)))
    edited = run_facts.StoryEdited(at=1, story=asked(2, after=(4,)))
    run = fold_run(ordered_run(*THREE), begun(1), added, edited)
    assert run.given.ordered
    order = []
    while run.schedule.ready or run.schedule.in_progress:
        for story in run.schedule.in_progress:
            run = fold_run(run, replace(ended(1), story=story))
            order.append(story)
        for name in starting(run):
            run = fold_run(run, run_facts.StoryDispatched(at=1, story=StoryId(name)))
    assert order == ["US-001", "US-003", "US-004", "US-002"], "stated dependencies hold as well"


def cancelled(number: int) -> run_facts.StoryEnded:
    ending = ended(number, landed=False)
    return replace(ending, status=StoryStatus.CANCELLED, cause=FailureCause.CANCELLED, reason="cancelled")


def test_a_cancelled_story_holds_up_nothing_and_the_run_is_done_without_it() -> None:
    unwanted = run_facts.StoryCancellationRequested(at=1, story=story_id(3))
    run = fold_run(ordered_run(*THREE, asked(4)), begun(1), unwanted)
    assert (run.stories[story_id(3)].status, run.schedule.blocked) == (StoryStatus.CANCELLED, {})
    assert held_by(run) == {"US-002": "US-001", "US-004": "US-002"}
    assert scheduled(run) == run
    run = fold_run(run, cancelled(1))
    assert starting(run) == ["US-002"]
    run = fold_run(run, *worked(2), *worked(4))
    assert run.totals.failed == 0
    assert over(run).status is RunStatus.COMPLETED
    again = fold_run(over(run), run_facts.StoryRetryRequested(at=1, story=story_id(3)))
    assert starting(again) == ["US-003"]


def test_a_run_without_a_wanted_story_is_cancelled() -> None:
    run = fold_run(ordered_run(asked(1)), begun(1), cancelled(1))
    assert over(run).status is RunStatus.CANCELLED


def test_a_story_that_a_person_did_not_approve_has_failed_and_holds_the_later_ones() -> None:
    refused = replace(ended(1, landed=False), cause=FailureCause.CANCELLED, reason="not approved")
    assert starting(fold_run(ordered_run(*THREE), begun(1), refused)) == []


def test_no_story_starts_while_a_story_is_being_undone_or_after_that() -> None:
    run = fold_run(ordered_run(*THREE), *worked(1), run_facts.StoryUndoRequested(at=1, story=story_id(1)))
    assert starting(run) == []
    undone = fold_run(
        run,
        run_facts.UndoPosted(at=1, story=story_id(1)),
        run_facts.UndoLanded(at=1, story=story_id(1), commit=Commit("r")),
        run_facts.StoryUndone(at=1, story=story_id(1)),
    )
    assert starting(undone) == []
    assert set(undone.schedule.blocked.values()) == {"comes after US-001, which was undone"}
    again = fold_run(over(undone), run_facts.StoryRetryRequested(at=1, story=story_id(1)))
    assert starting(again) == ["US-001"]


def test_a_story_is_not_undone_while_a_later_one_builds_on_it() -> None:
    run = fold_run(ordered_run(*THREE), *worked(1), begun(2))
    found = objection(run, run_facts.StoryUndoRequested(at=1, story=story_id(1)))
    assert found
    assert found.reason == "US-002, in progress, builds on US-001"


# Stories that the run's own steps have planned ------------------------------------------------------------------------


LOOP = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),))
FRAMED = Workflow(id="framed", version=1, steps=(StepPlan(name="plan", type="plan", plans=True), LOOP))


def planned(*stories: Story, spec: tuple[Story, ...] = (asked(1),)) -> RunState:
    plan = replace(run_plan(*spec, parallel=3, steps=FRAMED), ordered=True)
    opened = run_facts.LoopOpened(at=1, round=1, stories=stories, feedback="", context=())
    return fold_run(
        RunState(), run_facts.RunStarted(at=1, plan=plan), run_facts.FrameBegun(at=1, start_number=1), opened
    )


def test_planned_stories_that_state_no_dependency_are_worked_on_one_after_the_other() -> None:
    assert starting(planned(*THREE)) == ["US-001"]
    assert starting(planned(*THREE, spec=(asked(7), asked(8, after=(7,))))) == ["US-001"]


def test_the_dependencies_of_planned_stories_decide_if_they_state_any() -> None:
    assert starting(planned(asked(1), asked(2), asked(3, after=(2,)))) == ["US-002", "US-001"]
    assert starting(planned(spec=(asked(1), asked(2), asked(3, after=(2,))))) == ["US-002", "US-001"]
