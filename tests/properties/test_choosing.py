"""Choosing profiles: the same record gives the same choice, worse profiles are avoided, and exploration is cheap."""

import random
from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from shiftwork.domain.agents.bandit import choose
from shiftwork.domain.agents.tally import ANY_ROLE, Tally
from shiftwork.testing.strategies import QUICK

NAMES = ("a", "b", "c", "d")
MANY = settings(QUICK, max_examples=60)


@st.composite
def records(draw: st.DrawFn) -> list[Tally]:
    priced = draw(st.booleans())
    found = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        ended = draw(st.integers(0, 300))
        dark = draw(st.integers(0, ended - 1)) if priced and ended else 0
        cost = draw(st.floats(0.01, 50.0)) * (ended - dark) if priced and ended else None
        found.append(
            Tally(
                role=ANY_ROLE,
                profile=name,
                ended=ended,
                verified=draw(st.integers(0, ended)),
                in_progress=draw(st.integers(0, 5)),
                void=draw(st.integers(0, 3)),
                cost_usd=cost,
                unpriced=dark,
                dearest=(cost or 0.0) / draw(st.integers(1, max(ended - dark, 1))),
            )
        )
    return found


def untried(tally: Tally) -> bool:
    return tally.tries == tally.void < 2


@given(records(), st.permutations(NAMES))
@MANY
def test_the_choice_follows_from_the_record_alone(record: list[Tally], candidates: list[str]) -> None:
    found = choose(ANY_ROLE, candidates, record)
    assert found.profile in candidates
    assert found.why
    assert found == choose(ANY_ROLE, candidates, list(reversed(record)))


@given(records())
@MANY
def test_no_one_is_chosen_who_is_ruled_out(record: list[Tally]) -> None:
    found = choose(ANY_ROLE, NAMES, record)
    chosen = next(status for status in found.scores if status.tally.profile == found.profile)
    assert all(status.low <= status.high for status in found.scores)
    assert untried(chosen.tally) or chosen.high >= max(status.low for status in found.scores)


@given(records())
@MANY
def test_everybody_is_tried_before_anybody_is_compared(record: list[Tally]) -> None:
    found = choose(ANY_ROLE, NAMES, record)
    new = [status.tally.profile for status in found.scores if untried(status.tally)]
    assert new[:1] in ([], [found.profile])


@given(records(), st.sampled_from(NAMES))
@MANY
def test_to_know_less_of_what_a_profile_cost_never_makes_it_cheaper(record: list[Tally], name: str) -> None:
    """One story more of which the money is unknown counts for no less than one of which it is known."""
    found = {status.tally.profile: status for status in choose(ANY_ROLE, NAMES, record).scores}
    darker = [
        replace(tally, ended=tally.ended + 1, unpriced=tally.unpriced + 1)
        if tally.profile == name and tally.ended
        else tally
        for tally in record
    ]
    after = choose(ANY_ROLE, NAMES, darker)
    assert all(status.price >= found[status.tally.profile].price - 1e-9 for status in after.scores)


@given(st.integers(0, 300), st.integers(0, 300), st.one_of(st.none(), st.floats(0.01, 50.0)), st.integers(0, 5))
@MANY
def test_of_equals_the_first_in_the_settings_is_chosen(
    verified: int, failed: int, price: float | None, in_progress: int
) -> None:
    ended = verified + failed
    cost = price * ended if price and ended else None
    record = [
        Tally(role=ANY_ROLE, profile=name, ended=ended, verified=verified, in_progress=in_progress, cost_usd=cost)
        for name in NAMES
    ]
    assert choose(ANY_ROLE, NAMES, record).profile == NAMES[0]


@given(records())
@MANY
def test_one_story_more_that_landed_never_loses_the_choice(record: list[Tally]) -> None:
    found = choose(ANY_ROLE, NAMES, record)
    better = [
        replace(tally, verified=tally.verified + (tally.profile == found.profile and tally.verified < tally.ended))
        for tally in record
    ]
    assert choose(ANY_ROLE, NAMES, better).profile == found.profile


@given(records(), st.sampled_from([0.25, 0.5, 2.0, 64.0]))
@MANY
def test_the_unit_of_money_does_not_matter(record: list[Tally], unit: float) -> None:
    exchanged = [
        replace(tally, cost_usd=tally.cost_usd and tally.cost_usd * unit, dearest=tally.dearest * unit)
        for tally in record
    ]
    assert choose(ANY_ROLE, NAMES, exchanged).profile == choose(ANY_ROLE, NAMES, record).profile


def played(
    chances: list[float], costs: list[float], stories: int, seed: int, before: Mapping[str, Tally] | None = None
) -> dict[str, Tally]:
    chance = random.Random(seed)  # noqa: S311 - nothing secret is drawn
    record = dict(before or {})
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


@given(FLEETS)
@settings(QUICK, max_examples=12, derandomize=True)
def test_learning_costs_a_bounded_share_whatever_the_fleet(fleet: tuple[list[float], list[float], int]) -> None:
    """Over few stories and with profiles fifteen times apart in price; the benchmark has the usual case."""
    chances, costs, seed = fleet
    best = min(cost / chance for cost, chance in zip(costs, chances, strict=True))
    records = [played(chances, costs, 200, seed + number) for number in range(4)]
    spent = sum(tally.cost_usd or 0.0 for record in records for tally in record.values())
    landed = sum(tally.verified for record in records for tally in record.values())
    assert spent / landed <= 1.4 * best


@given(st.floats(0.6, 1.0), st.floats(1.5, 5.0), st.integers(0, 10_000))
@settings(QUICK, max_examples=12, derandomize=True)
def test_one_that_lands_less_for_more_money_is_left_in_the_end(chance: float, dearer: float, seed: int) -> None:
    before = played([chance, chance / 2], [1.0, dearer], 200, seed)["b"].ended
    after = played([chance, chance / 2], [1.0, dearer], 600, seed)["b"].ended
    assert before <= 20
    assert after - before <= 4


@given(st.integers(0, 10_000))
@settings(QUICK, max_examples=12, derandomize=True)
def test_the_best_is_found_though_its_first_story_failed(seed: int) -> None:
    record = {
        "a": Tally(role=ANY_ROLE, profile="a", ended=6, verified=3, cost_usd=6.0),
        "b": Tally(role=ANY_ROLE, profile="b", ended=1, verified=0, cost_usd=1.0),
    }
    after = played([0.5, 0.95], [1.0, 1.0], 200, seed, record)
    assert after["b"].ended >= 150
