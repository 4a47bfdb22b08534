"""The choice of profiles: the same record gives the same choice, what is worse is let be, and learning stays cheap."""

import math
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.model.picking import ANY_ROLE, Tally
from shiftwork.domain.rules.choosing import choose
from shiftwork.testing.strategies import QUICK

NAMES = ("a", "b", "c", "d")
MANY = settings(QUICK, max_examples=60)


@st.composite
def records(draw: st.DrawFn) -> list[Tally]:
    priced = draw(st.booleans())
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        ended = draw(st.integers(0, 300))
        cost = draw(st.floats(0.01, 50.0)) * ended if priced and ended else None
        found.append(
            Tally(
                role=ANY_ROLE,
                profile=name,
                ended=ended,
                verified=draw(st.integers(0, ended)),
                under_way=draw(st.integers(0, 5)),
                cost_usd=cost,
            )
        )
    return found


@given(records(), st.permutations(NAMES))
@MANY
def test_the_choice_follows_from_the_record_alone(record: list[Tally], candidates: list[str]) -> None:
    found = choose(ANY_ROLE, candidates, record)
    assert found.profile in candidates
    assert found.why
    assert found == choose(ANY_ROLE, candidates, list(reversed(record)))


@given(records())
@MANY
def test_a_profile_is_chosen_only_if_it_is_untried_leads_or_could_still_lead(record: list[Tally]) -> None:
    found = choose(ANY_ROLE, NAMES, record)
    chosen = next(one for one in found.standings if one.tally.profile == found.profile)
    assert chosen.low <= chosen.high
    assert not chosen.tally.tries or chosen.high >= max(one.low for one in found.standings)


def played(chances: list[float], costs: list[float], stories: int, seed: int) -> dict[str, Tally]:
    chance = random.Random(seed)  # noqa: S311 - nothing secret is drawn
    record: dict[str, Tally] = {}
    names = NAMES[: len(chances)]
    for _ in range(stories):
        name = choose(ANY_ROLE, names, record.values()).profile
        known, place = record.get(name, Tally(role=ANY_ROLE, profile=name)), names.index(name)
        record[name] = Tally(
            role=ANY_ROLE,
            profile=name,
            ended=known.ended + 1,
            verified=known.verified + (chance.random() < chances[place]),
            cost_usd=(known.cost_usd or 0.0) + costs[place],
        )
    return record


FLEETS = st.integers(2, 4).flatmap(
    lambda many: st.tuples(
        st.lists(st.floats(0.2, 1.0), min_size=many, max_size=many),
        st.lists(st.floats(0.2, 3.0), min_size=many, max_size=many),
        st.integers(0, 10_000),
    )
)


@given(records())
@MANY
def test_looking_at_another_stays_within_what_the_leader_would_have_landed_for_the_money(record: list[Tally]) -> None:
    found = choose(ANY_ROLE, NAMES, record)
    chosen = next(one for one in found.standings if one.tally.profile == found.profile)
    leader = max(found.standings, key=lambda one: one.low)
    if chosen.tally.tries and chosen.low < leader.low:
        stories = sum(one.tally.tries for one in found.standings)
        assert chosen.price * chosen.tally.tries * leader.low <= 1 + math.log(stories)


@given(FLEETS)
@settings(QUICK, max_examples=12, derandomize=True)
def test_learning_costs_a_bounded_share_whatever_the_fleet(fleet: tuple[list[float], list[float], int]) -> None:
    """Over few stories and with profiles fifteen times apart in price; the benchmark has the usual case."""
    chances, costs, seed = fleet
    best = min(cost / chance for cost, chance in zip(costs, chances, strict=True))
    records = [played(chances, costs, 200, seed + number) for number in range(4)]
    spent = sum(one.cost_usd or 0.0 for record in records for one in record.values())
    landed = sum(one.verified for record in records for one in record.values())
    assert spent / landed <= 1.75 * best


@given(st.integers(0, 10_000))
@settings(QUICK, max_examples=10, derandomize=True)
def test_a_profile_that_is_plainly_worse_gets_a_tenth_of_three_hundred_stories_at_most(seed: int) -> None:
    record = played([0.9, 0.2], [1.0, 2.0], 300, seed)
    assert record["b"].ended <= 30
