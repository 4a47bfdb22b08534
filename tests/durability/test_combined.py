"""Half of the combinations cover every place: with both databases, and with the engine's memory kept and deleted."""

from itertools import product

import pytest

from tests.durability.combined import ENGINES, STORES, is_chosen
from tests.durability.test_kill import PLACES


@pytest.mark.parametrize("seed", range(20))
def test_every_place_is_tried_on_each_database_and_with_each_fate_of_the_engine(seed: int) -> None:
    for place in PLACES:
        tried = [
            (engine, store)
            for engine, store in product(ENGINES, STORES)
            if is_chosen(seed, "test_killed_at", {"engine": engine, "store_url": store, "place": place})
        ]
        engines, stores = zip(*tried, strict=True)
        assert (sorted(engines), sorted(stores)) == (sorted(ENGINES), sorted(STORES))


def test_another_seed_tries_others() -> None:
    kept = {"engine": "kept", "store_url": "sqlite", "place": PLACES[0]}
    assert {is_chosen(seed, "test_killed_at", kept) for seed in range(20)} == {True, False}


@pytest.mark.parametrize("seed", range(20))
def test_on_one_database_every_place_is_tried_once(seed: int) -> None:
    for place in PLACES:
        tried = [is_chosen(seed, "test", {"engine": engine, "place": place}) for engine in ENGINES]
        assert sorted(tried) == [False, True]


def test_what_varies_in_one_respect_alone_is_tried_whole() -> None:
    assert all(is_chosen(1, "test", {"engine": engine}) for engine in ENGINES)
