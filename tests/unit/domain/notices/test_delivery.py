"""When notices are sent, how often delivery is tried, and that a delivered notice is not sent again."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.core.effect import Effect
from shiftwork.domain.notices.delivery import MAX_TRIES
from shiftwork.domain.notices.effects import Notify
from shiftwork.domain.notices.facts import NoticeTried
from shiftwork.domain.notices.notice import NoticePlan, Noticing, Occasion
from shiftwork.domain.run.evolve import evolve_run
from shiftwork.domain.run.notices import notice_of_end
from shiftwork.domain.run.state import RunState, RunStatus
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.decide import decide_story
from shiftwork.domain.story.evolve import evolve_story
from shiftwork.domain.story.notices import notice_of_hold
from shiftwork.domain.story.state import Hold, HoldCause, StoryState
from shiftwork.testing.builders import assignment, run_plan, started_story

ALL = NoticePlan(occasions=tuple(Occasion), channels=("mail", "hook"))


def held(plan: NoticePlan, cause: HoldCause = HoldCause.QUESTION) -> StoryState:
    story = replace(started_story(), assignment=replace(assignment(), notices=plan))
    return replace(story, waiting=replace(story.waiting, hold=Hold(cause=cause, detail="which one?"), holds=1))


def notice(effects: tuple[Effect, ...]) -> Notify:
    (effect,) = effects
    assert isinstance(effect, Notify)
    return effect


def missed(effect: Notify, *names: str) -> NoticeTried:
    reached = tuple(name for name in effect.channels if name not in names)
    return NoticeTried(
        at=1,
        number=effect.number,
        occasion=effect.occasion,
        reached=reached,
        missed=tuple((name, "no") for name in names),
    )


def test_people_are_notified_before_the_story_waits() -> None:
    story = held(ALL)
    effect = notice(decide_story(story))
    assert (effect.key, effect.occasion, effect.channels) == ("notice/1/1", Occasion.NEEDS_YOU, ("mail", "hook"))
    message = evolve_story(story, missed(effect))
    assert message.waiting.noticing == Noticing(settled=1)
    assert notice_of_hold(message) == ()
    assert evolve_story(message, missed(effect)) == message


def test_nothing_is_sent_where_nothing_is_wanted() -> None:
    assert notice_of_hold(held(NoticePlan())) == ()
    assert notice_of_hold(held(replace(ALL, occasions=(Occasion.FINISHED,)))) == ()
    assert notice_of_hold(held(replace(ALL, channels=()))) == ()
    assert notice_of_hold(started_story()) == ()


@pytest.mark.parametrize(
    ("wanted", "occasion"),
    [(tuple(Occasion), Occasion.BUDGET), ((Occasion.NEEDS_YOU,), Occasion.NEEDS_YOU)],
)
def test_a_limit_is_a_matter_of_the_budget_or_else_of_a_person(
    wanted: tuple[Occasion, ...], occasion: Occasion
) -> None:
    assert notice(notice_of_hold(held(replace(ALL, occasions=wanted), HoldCause.LIMIT))).occasion is occasion


@given(st.lists(st.sets(st.sampled_from(ALL.channels)), min_size=MAX_TRIES, max_size=MAX_TRIES))
def test_each_channel_is_reported_once_and_none_is_tried_for_ever(outages: list[set[str]]) -> None:
    story = held(ALL)
    keys: list[str] = []
    reached: list[str] = []
    for down in outages:
        if not (effects := notice_of_hold(story)):
            break
        effect = notice(effects)
        keys.append(effect.key)
        fact = missed(effect, *(name for name in effect.channels if name in down))
        reached += fact.reached
        story = evolve_story(story, fact)
    assert notice_of_hold(story) == ()
    silent = tuple((name, "no") for name in ALL.channels if name not in reached)
    assert story.waiting.noticing == Noticing(settled=1, missed=silent)
    assert len(set(keys)) == len(keys)
    assert len(set(reached)) == len(reached)


def run_at_its_end() -> RunState:
    return RunState(plan=replace(run_plan(), notices=ALL), status=RunStatus.RUNNING)


@pytest.mark.parametrize(
    ("status", "occasion"), [(RunStatus.COMPLETED, Occasion.FINISHED), (RunStatus.FAILED, Occasion.FAILED)]
)
def test_people_are_notified_how_a_run_ends(status: RunStatus, occasion: Occasion) -> None:
    run = run_at_its_end()
    effect = notice(notice_of_end(run, status))
    assert effect.occasion is occasion
    message = evolve_run(run, missed(effect))
    assert notice_of_end(message, status) == ()
    assert notice_of_end(replace(message, endings=1), status), "it ends again, and people are notified again"
    over = replace(run, status=status)
    assert evolve_run(over, missed(effect)) == over


def test_anyone_who_cancels_a_run_knows_of_it() -> None:
    assert notice_of_end(run_at_its_end(), RunStatus.CANCELLED) == ()


def test_an_answer_to_nothing_is_no_news() -> None:
    story = held(ALL)
    assert evolve_story(story, story_facts.WaitingReported(at=1, waiting=False)).waiting.noticing == Noticing()
