"""Rules of a run's own steps around its stories: an unexpected fact changes nothing, and nothing starts too early."""

from dataclasses import replace

import pytest

from shiftwork.domain.core import effect as e
from shiftwork.domain.core.fact import Fact
from shiftwork.domain.core.ids import FRAME, Commit, StepId, StoryId
from shiftwork.domain.run import effects as run_effects
from shiftwork.domain.run import facts as run_facts
from shiftwork.domain.run.decide import decide_run
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.run.steering.intent_checks import objection
from shiftwork.domain.story import effects as story_effects
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.state import FailureCause, StoryState, StoryStatus
from shiftwork.domain.usage.usage import NOTHING_USED, Usage
from shiftwork.domain.workflow.workflow import Exhausted, StepKind, StepPlan, Workflow, catalogue_step
from shiftwork.testing.builders import asked, assignment, fold_run, fold_story, kept, run_plan, story_id

LOOP = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=(catalogue_step("coding"),))
FRAMED = Workflow(id="framed", version=1, steps=(StepPlan(name="plan", type="plan", plans=True), LOOP))
OPENED = run_facts.LoopOpened(at=1, round=1, stories=(), feedback="", context=(("style", "calm"),))


def framed(*facts: Fact) -> RunState:
    plan = run_plan(asked(1), asked(2), parallel=2, steps=FRAMED)
    return kept(fold_run(RunState(), run_facts.RunStarted(at=1, plan=plan), *facts))


def begun(*facts: Fact) -> RunState:
    return framed(run_facts.FrameBegun(at=1, start_number=1), *facts)


def ended(number: int, status: StoryStatus = StoryStatus.COMPLETED, **more: object) -> run_facts.StoryEnded:
    values = {"commit": Commit("c"), "reason": "", "cause": None, "usage": NOTHING_USED, **more}
    return run_facts.StoryEnded(at=1, story=story_id(number), status=status, **values)  # type: ignore[arg-type]


def keys(run: RunState) -> list[str]:
    return [effect.key for effect in decide_run(kept(run))]


def landed() -> RunState:
    dispatched = [run_facts.StoryDispatched(at=1, story=story_id(number), slot=number) for number in (1, 2)]
    return begun(OPENED, *dispatched, ended(1, context=(("changes", "a file"),)), ended(2))


def test_no_story_starts_before_the_loop_is_opened_and_none_after_the_frame_has_failed() -> None:
    assert keys(framed()) == ["frame/1"]
    assert keys(begun()) == ["receive/0"]
    assert keys(begun(OPENED)) == ["dispatch/US-001", "dispatch/US-002"]
    failed = begun(run_facts.FrameEnded(at=1, failure="no plan", usage=Usage(cost_usd=0.5)))
    assert keys(failed) == ["end/1"]
    assert failed.totals.spent == 0.5


def test_the_loop_is_closed_with_what_the_stories_have_come_to() -> None:
    (effect,) = decide_run(kept(landed()))
    assert isinstance(effect, run_effects.CloseLoop)
    assert (effect.landed, effect.failed) == (2, ())
    assert dict(effect.context) == {"style": "calm", "changes": "a file"}
    closed = fold_run(landed(), run_facts.LoopClosed(at=1, round=1))
    assert keys(closed) == ["receive/0"]
    over = fold_run(closed, run_facts.FrameEnded(at=1, failure="", usage=NOTHING_USED))
    (end,) = decide_run(kept(over))
    assert isinstance(end, e.Conclude)
    assert end.facts == (run_facts.RunEnded(at=0, status=RunStatus.COMPLETED),)


def test_a_run_that_is_cancelled_waits_for_its_own_steps_too() -> None:
    run = begun(OPENED, run_facts.CancelRequested(at=1))
    assert keys(run) == ["cancel/_run"]
    message = fold_run(run, run_facts.CancelForwarded(at=1, story=FRAME))
    assert keys(message) == ["receive/0"]
    over = fold_run(message, run_facts.FrameEnded(at=1, failure="cancelled", usage=NOTHING_USED))
    assert keys(over) == ["end/1"]


@pytest.mark.parametrize(
    ("run", "fact"),
    [
        (framed(), OPENED),
        (framed(), run_facts.FrameBegun(at=1, start_number=2)),
        (framed(), run_facts.LoopClosed(at=1, round=1)),
        (framed(), run_facts.FrameEnded(at=1, failure="", usage=NOTHING_USED)),
        (begun(), replace(OPENED, round=2)),
        (begun(OPENED), replace(OPENED, round=2)),
        (begun(OPENED), run_facts.LoopClosed(at=1, round=2)),
    ],
)
def test_what_does_not_fit_changes_nothing(run: RunState, fact: Fact) -> None:
    assert fold_run(run, fact) == run


def test_a_second_round_with_nothing_left_to_do_makes_a_story_of_what_was_found() -> None:
    closed = fold_run(landed(), run_facts.LoopClosed(at=1, round=1))
    again = fold_run(closed, run_facts.LoopOpened(at=1, round=2, stories=(), feedback="no docs", context=()))
    assert list(again.stories) == ["US-001", "US-002", "FIX-001"]
    assert keys(again) == ["dispatch/FIX-001"]
    silent = fold_run(closed, run_facts.LoopOpened(at=1, round=2, stories=(), feedback="", context=()))
    assert list(silent.stories) == ["US-001", "US-002"]


def test_the_frame_of_a_run_that_failed_starts_again_when_a_story_or_it_is_retried() -> None:
    values = {"commit": Commit(""), "reason": "no", "cause": FailureCause.STEP}
    dispatched = [run_facts.StoryDispatched(at=1, story=story_id(number), slot=number) for number in (1, 2)]
    stuck = begun(
        OPENED, *dispatched, ended(1), ended(2, StoryStatus.FAILED, **values), run_facts.LoopClosed(at=1, round=1)
    )
    failed = fold_run(
        stuck,
        run_facts.FrameEnded(at=1, failure="not landed: US-002", usage=NOTHING_USED),
        run_facts.RunEnded(at=1, status=RunStatus.FAILED),
    )
    for story in (story_id(2), FRAME):
        retried = fold_run(failed, run_facts.StoryRetryRequested(at=1, story=story))
        assert retried.status is RunStatus.RUNNING
        assert keys(retried) == ["frame/2"]
    said = fold_run(failed, run_facts.StoryRetryRequested(at=1, story=FRAME, because="docs are optional"))
    assert said.frame.because == "docs are optional"
    assert objection(stuck, run_facts.StoryRetryRequested(at=1, story=FRAME)) is not None
    assert objection(failed, run_facts.StoryRetryRequested(at=1, story=StoryId("US-009"))) is not None


# The loop as a step ---------------------------------------------------------------------------------------------------


def own_steps(*steps: StepPlan) -> StoryState:
    story = asked(1, may_be_empty=True)
    started = story_facts.StoryStarted(at=1, assignment=assignment(replace(story, id=FRAME)), steps=steps)
    return fold_story(StoryState(), started)


def at_loop() -> StoryState:
    return fold_story(
        own_steps(LOOP, StepPlan(name="after", type="after")), story_facts.LoopBegun(at=1, step=STEP, attempt=1)
    )


STEP = StepId("step-001")
DONE = story_facts.LoopEnded(at=2, round=1, landed=2, failed=(), context=())


def test_a_loop_that_comes_first_needs_no_workspace() -> None:
    (effect,) = decide_story(own_steps(LOOP))
    assert effect == story_effects.OpenLoop(key="step-001/1", step=STEP, attempt=1)
    assert [item.key for item in decide_story(at_loop())] == ["receive/0"]


def test_after_the_loop_a_workspace_is_laid_out_at_the_tip() -> None:
    (effect,) = decide_story(fold_story(at_loop(), DONE))
    assert isinstance(effect, story_effects.PrepareWorkspace)
    assert (effect.head, effect.base) == ("", "")


@pytest.mark.parametrize("exhausted", Exhausted)
def test_a_loop_that_leaves_stories_behind_is_not_gone_through_again_by_itself(exhausted: Exhausted) -> None:
    """They have had their retries, and people their say: another round would find nothing to start."""
    loop = replace(LOOP, max_retries=3, exhausted=exhausted)
    left = replace(DONE, landed=1, failed=(StoryId("US-002"),))
    prepared = story_facts.WorkspacePrepared(at=3, number=1, base=Commit("c"), head=Commit("c"))
    over = fold_story(own_steps(loop), story_facts.LoopBegun(at=1, step=STEP, attempt=1), left, prepared)
    (effect,) = decide_story(over)
    assert isinstance(effect, e.Conclude)
    failed = fold_story(over, *effect.facts)
    assert failed.status is StoryStatus.FAILED
    assert failed.outcome.reason == "step-001 stories failed after 1 attempt: 1 landed, not landed: US-002"


def test_own_steps_that_change_nothing_are_done_without_landing() -> None:
    over = fold_story(own_steps(LOOP), story_facts.LoopBegun(at=1, step=STEP, attempt=1), DONE)
    (effect,) = decide_story(over)
    assert isinstance(effect, e.Conclude)
    assert fold_story(over, *effect.facts).status is StoryStatus.COMPLETED


@pytest.mark.parametrize(
    ("story", "fact"),
    [
        (at_loop(), story_facts.LoopBegun(at=1, step=STEP, attempt=2)),
        (at_loop(), replace(DONE, round=2)),
        (own_steps(LOOP), DONE),
        (own_steps(StepPlan(name="one", type="one")), story_facts.LoopBegun(at=1, step=STEP, attempt=1)),
        (at_loop(), story_facts.WorkRenewed(at=1, commit=Commit("c"))),
        (at_loop(), story_facts.StoryCompleted(at=1, commit=Commit(""))),
    ],
)
def test_what_does_not_fit_the_loop_changes_nothing(story: StoryState, fact: Fact) -> None:
    assert fold_story(story, fact) == story


def test_own_steps_that_pass_the_stories_over_have_decided_that_none_is_needed() -> None:
    over = begun(run_facts.FrameEnded(at=1, failure="", usage=NOTHING_USED))
    (end,) = decide_run(kept(over))
    assert isinstance(end, e.Conclude)
    assert end.facts == (run_facts.RunEnded(at=0, status=RunStatus.COMPLETED),)
