"""A small chaos campaign on each database; `just chaos` runs the large campaign."""

import time

import pytest

from tests.chaos.campaign import Campaign, Databases, fight, postgres, sqlite
from tests.chaos.project import NEEDS

pytestmark = [pytest.mark.durability, pytest.mark.timeout(1800)]

KILLS = 12
SEED = 7
LONGEST_SECONDS = 90.0


def assert_nothing_is_lost(campaign: Campaign, databases: Databases) -> None:
    lines: list[str] = []
    fight(campaign, databases, KILLS, lines.append, time.monotonic() + LONGEST_SECONDS)
    assert campaign.violations == [], "\n".join(lines)
    assert campaign.kills.total() > 0
    assert campaign.landings == campaign.runs * len(NEEDS)


def test_on_sqlite() -> None:
    with sqlite() as databases:
        assert_nothing_is_lost(Campaign(backend="sqlite", seed=SEED), databases)


def test_on_postgres(postgres_server: str) -> None:
    """On a server of its own, because that is restarted; where there is one for tests, this can be started too."""
    with postgres() as databases:
        assert_nothing_is_lost(Campaign(backend="postgres", seed=SEED), databases)
