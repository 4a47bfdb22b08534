"""Which profile plays a role: the untried first, then the surest, and others while they may yet be better."""

from dataclasses import replace

import pytest

from shiftwork.domain.model.picking import ANY_ROLE, Pick, Tally
from shiftwork.domain.model.workflow import AgentPlan, StepKind, StepPlan
from shiftwork.domain.rules.choosing import choose, picked, role_of, roles
from shiftwork.testing.builders import assignment

BOTH = ("own", "other")


def tally(profile: str, verified: int = 0, ended: int = 0, cost: float | None = None, under_way: int = 0) -> Tally:
    return Tally(role=ANY_ROLE, profile=profile, verified=verified, ended=ended, cost_usd=cost, under_way=under_way)


def test_the_first_of_the_settings_begins_and_each_is_tried_once() -> None:
    assert choose(ANY_ROLE, BOTH, ()).profile == "own"
    second = choose(ANY_ROLE, BOTH, [tally("own", under_way=1)])
    assert (second.profile, second.why) == ("other", "it has not been tried yet")


def test_while_nobody_has_landed_anything_those_under_way_are_spread() -> None:
    busy = [tally("own", under_way=2), tally("other", under_way=1)]
    assert choose(ANY_ROLE, BOTH, busy).profile == "other"


def test_one_lucky_story_does_not_lead_twenty() -> None:
    record = [tally("own", 19, 20, 20.0), tally("other", 1, 1, 1.0, under_way=8)]
    found = choose(ANY_ROLE, BOTH, record)
    assert found.profile == "own"
    assert "most surely verified: at least 0.84 stories a dollar (19 of 20 landed)" in found.why


def test_the_same_for_less_money_leads() -> None:
    assert choose(ANY_ROLE, BOTH, [tally("own", 19, 20, 40.0), tally("other", 19, 20, 20.0)]).profile == "other"


def test_where_a_cost_is_unknown_stories_are_compared_and_not_money() -> None:
    found = choose(ANY_ROLE, BOTH, [tally("own", 10, 40, 1.0), tally("other", 38, 40, None)])
    assert (found.profile, found.priced) == ("other", False)
    assert found.why == "most surely verified: at least 88% of its stories (38 of 40 landed)"
    assert [one.price for one in found.standings] == [1.0, 1.0]


def test_another_that_could_still_be_better_is_looked_at_within_bounds() -> None:
    record = [tally("own", 8, 11, 11.0), tally("other", 0, 1, 1.0)]
    found = choose(ANY_ROLE, BOTH, record)
    assert (found.profile, found.why) == ("other", "it could still be better than own (0 of 1 landed)")
    assert choose(ANY_ROLE, BOTH, [tally("own", 9, 10, 10.0), tally("other", 3, 6, 6.0)]).profile == "own"


def test_records_of_other_roles_say_nothing() -> None:
    elsewhere = Tally(role="coding", profile="other", ended=9, verified=9, cost_usd=1.0)
    assert choose(ANY_ROLE, BOTH, [elsewhere]).profile == "own"


AGENTS = (
    AgentPlan(id="dev", role="coding"),
    AgentPlan(id="nameless"),
    AgentPlan(id="fixed", role="testing", profile="large"),
)


@pytest.mark.parametrize(
    ("agent", "role"), [("", ANY_ROLE), ("gone", ANY_ROLE), ("dev", "coding"), ("nameless", "nameless"), ("fixed", "")]
)
def test_the_role_of_a_step(agent: str, role: str) -> None:
    assert role_of(agent, AGENTS) == role


def test_a_story_is_cast_for_each_role_that_its_steps_leave_open() -> None:
    steps = [StepPlan(name=agent, type="coding", agent=agent) for agent in ("dev", "", "fixed", "dev")]
    steps.append(StepPlan(name="gates", type="gates", kind=StepKind.GATE))
    assert roles(steps, AGENTS) == ("coding", ANY_ROLE)
    given = picked(replace(assignment(), agents=AGENTS), steps, BOTH, [tally("own", under_way=1)])
    assert given.picks == (
        Pick(role="coding", profile="own", why="it has not been tried yet"),
        Pick(role=ANY_ROLE, profile="other", why="it has not been tried yet"),
    )
