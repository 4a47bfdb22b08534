"""What every durability test may vary, and which combinations are tried."""

import pytest

from tests.durability.combined import ENGINES, STORES, is_chosen
from tests.gate.long_rows import current_change


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """What becomes of the engine's memory when a process is killed; the history stays."""
    return str(request.param)


@pytest.fixture(params=STORES)
def store_url(request: pytest.FixtureRequest) -> str:
    """Empty for SQLite."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed, every = config.getoption("randomly_seed", 0), bool(config.getoption("all_combinations"))
    every = every or (config.getoption("long_rows") and bool(current_change().whole_subjects))
    left_out = [item for item in items if not _is_chosen(seed, item, every=every)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def _is_chosen(seed: object, item: pytest.Item, *, every: bool) -> bool:
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return True
    return is_chosen(seed, f"{item.path.name}::{item.originalname}", item.callspec.params, every=every)
