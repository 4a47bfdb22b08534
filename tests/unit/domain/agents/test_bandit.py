"""Which profile is assigned: first the untried, then the profile with the least estimated cost per verified story."""

from dataclasses import replace
from itertools import pairwise

import pytest

from shiftwork.domain.agents.bandit import choose, role_of, roles
from shiftwork.domain.agents.tally import ANY_ROLE, Pick, Tally
from shiftwork.domain.story.profile_choice import picked
from shiftwork.domain.workflow.workflow import AgentPlan, StepKind, StepPlan
from shiftwork.testing.builders import assignment

BOTH = ("own", "other")


def tally(profile: str, verified: int = 0, ended: int = 0, cost: float | None = None, in_progress: int = 0) -> Tally:
    return Tally(role=ANY_ROLE, profile=profile, verified=verified, ended=ended, cost_usd=cost, in_progress=in_progress)


def test_the_first_of_the_settings_begins_and_each_is_tried_once() -> None:
    assert choose(ANY_ROLE, BOTH, ()).profile == "own"
    second = choose(ANY_ROLE, BOTH, [tally("own", in_progress=1)])
    assert (second.profile, second.why) == ("other", "it has not been tried yet")


def test_while_nothing_has_ended_stories_are_spread() -> None:
    busy = [tally("own", in_progress=2), tally("other", in_progress=1)]
    found = choose(ANY_ROLE, BOTH, busy)
    assert (found.profile, found.why) == ("other", "no results yet, and it was tried least")
    assert not found.priced


def test_a_batch_is_spread_before_it_is_known_how_it_ends() -> None:
    record = [tally("own", 4, 5, 5.0), tally("other", 4, 5, 5.0)]
    assert choose(ANY_ROLE, BOTH, record).profile == "own"
    assert choose(ANY_ROLE, BOTH, [replace(record[0], in_progress=1), record[1]]).profile == "other"


def test_until_its_first_story_ends_a_profile_is_taken_to_cost_what_the_others_do() -> None:
    found = choose(ANY_ROLE, ("own", "other", "third"), [tally("own", 1, 2, 2.0), tally("other", 1, 2, 6.0)])
    assert [status.price for status in found.scores] == [1.0, 3.0, 2.0]


def test_the_one_that_leads_is_reported_with_what_is_sure_of_it() -> None:
    found = choose(ANY_ROLE, BOTH, [tally("own", 19, 20, 20.0), tally("other", 10, 20, 20.0)])
    assert found.profile == "own"
    assert found.why == "most reliable so far: at least 0.77 stories a dollar (19 of 20 landed)"


def test_a_price_that_landing_everything_would_not_make_up_for_rules_out_at_once() -> None:
    found = choose(ANY_ROLE, BOTH, [tally("own", 8, 10, 10.0), tally("other", 1, 1, 5.0)])
    own, other = found.scores
    assert found.profile == "own"
    assert other.high < own.low


def test_where_both_land_everything_the_surest_continues() -> None:
    assert choose(ANY_ROLE, BOTH, [tally("own", 3, 3), tally("other", 30, 30)]).profile == "other"


def test_the_same_for_less_money_leads() -> None:
    assert choose(ANY_ROLE, BOTH, [tally("own", 19, 20, 40.0), tally("other", 19, 20, 20.0)]).profile == "other"


def test_where_a_cost_is_unknown_stories_are_compared_and_not_money() -> None:
    found = choose(ANY_ROLE, BOTH, [tally("own", 10, 40, 1.0), tally("other", 38, 40, None)])
    assert (found.profile, found.priced) == ("other", False)
    assert found.why == "most reliable so far: at least 86% of its stories (38 of 40 landed)"
    assert [status.price for status in found.scores] == [1.0, 1.0]


def test_another_that_could_still_be_better_is_looked_at_until_its_record_says_otherwise() -> None:
    own = tally("own", 8, 11, 11.0)
    found = choose(ANY_ROLE, BOTH, [own, tally("other", 0, 1, 1.0)])
    assert found.profile == "other"
    assert found.why == (
        "it could still be better than own: at most 1.44 stories a dollar, own 0.96 stories a dollar (0 of 1 landed)"
    )
    assert choose(ANY_ROLE, BOTH, [own, tally("other", 2, 6, 6.0)]).profile == "own"


def test_a_story_of_unknown_cost_is_taken_for_as_dear_as_the_dearest_that_is_known() -> None:
    own = replace(tally("own", 9, 10, 10.0), dearest=4.0)
    other = replace(tally("other", 9, 10, 5.0), unpriced=5, dearest=1.0)
    found = choose(ANY_ROLE, BOTH, [own, other])
    assert [status.price for status in found.scores] == [1.0, 2.5]
    assert (found.profile, found.priced) == ("own", True)


def test_one_that_always_comes_to_nothing_is_tried_twice_and_then_asked_for_less_and_less() -> None:
    own = tally("own", 8, 10, 10.0)
    once = choose(ANY_ROLE, BOTH, [own, Tally(role=ANY_ROLE, profile="other", void=1)])
    assert (once.profile, once.why) == ("other", "its only attempt gave no result")
    records = [[own, Tally(role=ANY_ROLE, profile="other", void=void)] for void in range(2, 20)]
    others = [choose(ANY_ROLE, BOTH, record).scores[1] for record in records]
    assert all(later.high < status.high for status, later in pairwise(others))
    assert choose(ANY_ROLE, BOTH, records[0]).profile == "own"


def test_what_came_to_nothing_says_nothing_of_the_rate() -> None:
    known = tally("own", 8, 10, 10.0)
    before, after = (choose(ANY_ROLE, ("own",), [item]).scores[0] for item in (known, replace(known, void=3)))
    assert before.price == after.price
    assert before.low < after.low < after.high < before.high


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
    given = picked(replace(assignment(), agents=AGENTS), steps, BOTH, [tally("own", in_progress=1)])
    assert given.picks == (
        Pick(role="coding", profile="own", why="it has not been tried yet"),
        Pick(role=ANY_ROLE, profile="other", why="it has not been tried yet"),
    )
