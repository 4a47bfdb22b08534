"""The least number of sessions that a workflow needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiftwork.domain.workflow.workflow import AUTO, DYNAMIC, RALPH, Route, StepKind, StepPlan, Workflow
from shiftwork.planning.sessions import Sessions, least_sessions
from shiftwork.testing.builders import planned, workflow


def each(*steps: StepPlan) -> int:
    return least_sessions(workflow(*steps), 1).each


def deciding(*routes: Route, key: str = "DECISION") -> StepPlan:
    return planned("review", decision_key=key, routes=routes)


@given(st.integers(0, 200))
def test_every_step_of_an_agents_is_a_session_of_every_story(stories: int) -> None:
    assert least_sessions(DYNAMIC, stories) == Sessions(stories=stories, each=10, around=0)
    assert least_sessions(DYNAMIC, stories).total == 10 * stories
    assert least_sessions(RALPH, stories).total == stories


def test_gates_and_people_take_no_session() -> None:
    assert each(planned("coding"), planned("check", StepKind.GATE), planned("sign_off", StepKind.APPROVAL)) == 1


def test_the_steps_around_the_stories_are_counted_once() -> None:
    loop = StepPlan(name="stories", type="stories", kind=StepKind.LOOP, body=(planned("coding"), planned("review")))
    framed = Workflow(id="framed", version=1, steps=(planned("planning"), loop, planned("final_review")))
    assert least_sessions(framed, 3).total == 3 * 2 + 2


@pytest.mark.parametrize(
    ("routes", "key", "least"),
    [
        ((Route(value="good", target="final_review"), Route(value="bad", target="coding", back=True)), "D", 3),
        ((Route(value="good", target="final_review"), Route(value="hm")), "D", 3),
        ((Route(value="good"), Route(value="bad", target="coding", back=True)), "D", 4),
        ((Route(value="good", target="nowhere"),), "D", 4),
        ((Route(value="bad", target="coding", back=True),), "D", 4),
        ((Route(value="retry", target="coding", back=True),), "", 4),
    ],
)
def test_a_decision_may_take_the_shortest_way(routes: tuple[Route, ...], key: str, least: int) -> None:
    assert each(planned("coding"), deciding(*routes, key=key), planned("linting"), planned("final_review")) == least


def test_a_workflow_without_steps_takes_none() -> None:
    assert each() == 0


def test_decisions_that_add_steps_are_counted_and_a_repair_after_a_review_is_not() -> None:
    assert least_sessions(AUTO, 1) == Sessions(stories=1, each=2, around=0, more=(("medium", 6), ("large", 9)))
