"""One test run tries every place on both databases; on Postgres, with the engine's memory kept or deleted."""

from itertools import product

import pytest

from tests.durability.combined import ENGINES, STORES, is_chosen
from tests.durability.test_kill import PLACES


@pytest.mark.parametrize("seed", range(20))
def test_every_place_is_tried_on_each_database(seed: int) -> None:
    for place in PLACES:
        tried = [
            (engine, store)
            for engine, store in product(ENGINES, STORES)
            if is_chosen(seed, "test_killed_at", {"engine": engine, "store_url": store, "place": place})
        ]
        assert [store for _, store in sorted(tried, key=lambda combination: combination[1])] == ["postgres", "sqlite"]
        assert ("kept", "sqlite") in tried


def test_another_seed_tries_others() -> None:
    kept = {"engine": "kept", "store_url": "postgres", "place": PLACES[0]}
    assert {is_chosen(seed, "test_killed_at", kept) for seed in range(20)} == {True, False}


def test_all_are_tried_when_all_are_asked_for() -> None:
    for engine in ENGINES:
        assert is_chosen(1, "test", {"engine": engine, "store_url": "postgres"}, every=True)


def test_what_varies_in_one_respect_alone_is_tried_whole() -> None:
    assert all(is_chosen(1, "test", {"store_url": store}) for store in STORES)
