"""Rounds of a team: what ends them, what the end leaves to the gates, and what people read about it."""

from dataclasses import replace

import pytest

from shiftwork.app.runtime.context import Sighting
from shiftwork.app.views.live.board import Board
from shiftwork.domain.core.ids import Stream, step_id
from shiftwork.domain.story import facts as story_facts
from shiftwork.domain.story.routing import verdict_of
from shiftwork.domain.story.state import StoryState
from shiftwork.domain.workflow.rounds import STORY_COMPLETE, RoundsEnd
from shiftwork.domain.workflow.workflow import Route, StepPlan
from shiftwork.entrypoints.cli.live.progress_lines import line
from shiftwork.testing.builders import began, concluded, conclusion, done, fold_story, planned
from shiftwork.testing.builders import started_story as started
from tests.unit.domain.workflow.compound import statuses

CODER, REVIEWER, TESTER = map(step_id, range(1, 4))


def team(rounds: int = 3, *after: StepPlan) -> tuple[StepPlan, ...]:
    routes = (Route(value="done"), Route(value="again", target="coder", back=True, rounds=rounds))
    return (
        replace(planned("code"), name="coder", max_retries=1),
        replace(planned("read"), name="reviewer", completes=True),
        replace(planned("try"), name="tester", decision_key="VERDICT", routes=routes, completes=True),
        *after,
    )


def turn(story: StoryState, said: str, decision: str = "") -> StoryState:
    """The current step has ended; what its decision leads to is still to come."""
    running = fold_story(story, began(story))
    step = running.pipeline.current
    assert step is not None
    outputs = (("said", said), *((("verdict", decision),) if step.plan.decision_key else ()))
    reason = verdict_of(step, outputs, "")
    return fold_story(running, done(running, notes="", outputs=outputs, decision=decision, verdict=reason))


def a_round(story: StoryState, number: int, found: str) -> StoryState:
    for text in (f"wrote part {number}", f"read part {number}"):
        story = turn(story, text)
    return turn(story, found, "again")


def ending(story: StoryState) -> story_facts.StepRouted:
    fact = conclusion(story)
    assert isinstance(fact, story_facts.StepRouted)
    return fact


def test_another_round_begins_while_the_tester_finds_something_new() -> None:
    story = a_round(started(*team()), 1, "one is missing")
    assert (ending(story).back, ending(story).ended) == (True, "")
    story = concluded(a_round(concluded(story), 2, "two is missing"))
    assert statuses(story) == ["pending"] * 3
    coder = story.pipeline.step(CODER)
    assert (coder.rounds, coder.retries) == (2, 0), "a round is no retry: the step keeps those that it has"


def test_a_round_that_ends_with_the_words_of_the_round_before_is_the_last() -> None:
    story = concluded(a_round(started(*team(9)), 1, "The **two** is missing."))
    story = a_round(story, 2, "the two is\nmissing")
    assert (ending(story).ended, ending(story).back, ending(story).target) == (RoundsEnd.CONVERGED, False, "")
    assert statuses(concluded(story)) == ["completed"] * 3


def test_a_coder_that_repeats_itself_does_not_end_the_rounds() -> None:
    story = started(*team(9))
    for number, found in enumerate(("one is missing", "two is missing"), start=1):
        story = concluded(turn(turn(turn(story, "wrote it"), f"read {number}"), found, "again"))
    assert statuses(turn(story, "wrote it")) == ["completed", "pending", "pending"]


def test_three_turns_in_a_row_that_say_the_same_end_the_rounds_at_once() -> None:
    story = concluded(turn(turn(turn(started(*team(9)), "wrote it"), "nothing"), "Nothing!", "again"))
    story = turn(story, "nothing")
    assert (ending(story).step, ending(story).ended) == (CODER, RoundsEnd.CONVERGED)
    story = concluded(story)
    assert statuses(story) == ["completed", "skipped", "skipped"]
    assert story.pipeline.step(TESTER).skip_reason == "step-001 ended the rounds: converged"


def test_turns_without_words_are_not_the_same() -> None:
    story = started(*team(9))
    for _ in range(2):
        story = concluded(turn(turn(turn(story, ""), "--"), "…", "again"))
    assert statuses(story) == ["pending"] * 3


def test_a_story_that_its_reviewer_calls_complete_needs_no_tester_and_no_other_round() -> None:
    story = turn(turn(started(*team(3, planned("notes"))), "wrote it"), "nothing is wrong", STORY_COMPLETE)
    assert (ending(story).step, ending(story).ended) == (REVIEWER, RoundsEnd.COMPLETE)
    assert statuses(concluded(story)) == ["completed", "completed", "skipped", "pending"]


def test_outside_of_rounds_the_claim_leads_nowhere() -> None:
    story = started(replace(planned("look"), completes=True), planned("work"))
    assert statuses(turn(story, "fine", STORY_COMPLETE)) == ["completed", "pending"]
    assert not turn(story, "fine", STORY_COMPLETE).routing


@pytest.mark.parametrize("decision", ["done", STORY_COMPLETE])
def test_a_tester_that_finds_nothing_more_ends_the_rounds(decision: str) -> None:
    story = turn(turn(turn(started(*team()), "wrote it"), "read it"), "all holds", decision)
    assert ending(story).ended == RoundsEnd.COMPLETE
    assert statuses(concluded(story)) == ["completed"] * 3


def test_after_the_last_round_the_story_goes_on_to_its_gates() -> None:
    story = started(*team(2))
    for number in (1, 2):
        story = a_round(story, number, f"{number} is missing")
        assert ending(story).ended == ("" if number == 1 else RoundsEnd.LAST)
        story = concluded(story)
    assert statuses(story) == ["completed"] * 3


def test_a_route_back_to_another_step_is_no_end_of_the_rounds() -> None:
    plans = team(9)
    own = replace(plans[1], decision_key="OK", routes=(Route(value="no", target="coder", back=True),))
    story = turn(turn(started(plans[0], own, plans[2]), "wrote it"), "wrong", "no")
    assert (ending(story).ended, ending(story).back) == ("", True)


def test_each_route_counts_its_own_rounds() -> None:
    plans = team(1)
    both = (
        Route(value="little", target="reviewer", back=True, rounds=1),
        Route(value="again", target="coder", back=True, rounds=2),
    )
    story = turn(turn(turn(started(*plans[:2], replace(plans[2], routes=both)), "a"), "b"), "c", "again")
    assert ending(story).back
    story = turn(turn(turn(concluded(story), "d"), "e"), "f", "again")
    assert ending(story).ended == RoundsEnd.LAST


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (("a", "b"), "last round (round 2 of 2)"),
        (("a", "a"), "converged (round 2 of 2)"),
    ],
)
def test_people_read_why_the_rounds_ended(found: tuple[str, str], text: str) -> None:
    story = concluded(a_round(started(*team(2)), 1, found[0]))
    story = a_round(story, 2, found[1])
    fact = ending(story)
    board, stream = Board(), Stream("story/r1/US-001")
    board.stories[stream] = story
    change = board.see(Sighting(stream=stream, what=fact))
    assert change is not None
    assert (change.event, change.text) == ("rounds_ended", text)
    assert line(change, 200).endswith(f"  the rounds ended: {text}")
