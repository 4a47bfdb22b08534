"""A database of an earlier release: it can be read as it is, and it is upgraded when it is opened."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.reader import open_queries
from shiftwork.adapters.store.sql import migrate, tables
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.adapters.store.sql.schema_version import VERSION_TABLE
from shiftwork.adapters.store.sql.view_columns import values
from shiftwork.domain.core.ids import RunId, run_stream
from shiftwork.errors import StoreError
from shiftwork.ports.rows.row_columns import built, columns
from shiftwork.ports.rows.row_parts import WaitCause, WaitingPart
from shiftwork.ports.views import Row, StoryRow
from shiftwork.testing.conformance.store_stage import run_row, step_row, story_row

WAITING: dict[str, dict[str, Any]] = {
    "": {},
    "question: limit: or not?": {"hold": "question"},
    "approval: it has spent 1.00 of 2.00 USD": {"hold": "approval"},
    "limit: nobody knows why": {"hold": "limit"},
    "limit: the story has spent at least 1.20 of 1.00 USD": {
        "hold": "limit",
        "limit_of": "story",
        "limit_usd": 1.0,
        "limit_spent_usd": 1.2,
    },
    "limit: step-001 coding has spent 9000 of 7000 tokens": {
        "hold": "limit",
        "limit_of": "step",
        "limit_tokens": 7000,
        "limit_spent_tokens": 9000,
    },
    "limit: the run has spent 3.00 of 4.00 USD and 50 of 100 tokens (0.50 USD and 5 tokens of it guessed: nobody told)"
    ", one attempt up to 2.00 USD and 40 tokens more than was set aside for it"
    "; coding may need 4.50 USD and 75 tokens": {
        "hold": "limit",
        "limit_of": "run",
        "limit_usd": 4.0,
        "limit_tokens": 100,
        "limit_spent_usd": 3.0,
        "limit_spent_tokens": 50,
        "limit_needed_usd": 4.5,
        "limit_needed_tokens": 75,
    },
}


def waits(story: str, **values: Any) -> StoryRow:
    return built(StoryRow, columns(story_row("r", story)) | values)


def left_behind(url: str, version: str, rows: Sequence[Row]) -> None:
    """The database as the release of that schema would have left it."""
    engine = create_engine(url)
    with engine.begin() as connection:
        migrate.migrate(connection, VERSION_TABLE, version)
        for row in rows:
            table = tables.view_tables[type(row)]
            present = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
            known = {name: value for name, value in values(row).items() if name in present}
            connection.execute(sa.insert(table).values(known))
    engine.dispose()


def test_what_an_earlier_release_has_left_can_be_looked_at_before_anybody_upgrades_it(database_url: str) -> None:
    run, story, step = run_row("r"), story_row("r", "s"), step_row("r", "s", "step-001")
    left_behind(database_url, "0001", [run, story, step])
    queries = open_queries(database_url)
    assert list(asyncio.run(queries.runs())) == [run]
    assert list(asyncio.run(queries.stories("r"))) == [story]
    assert list(asyncio.run(queries.steps("r"))) == [step]
    assert list(asyncio.run(queries.waited("r"))) == []


def test_the_views_and_the_history_of_the_last_release_can_be_read_before_anybody_upgrades_them(
    database_url: str,
) -> None:
    """Schema 0018 has no snapshots, and no column `archived`."""
    run, story, step = run_row("r", project="p"), story_row("r", "s"), step_row("r", "s", "step-001")
    left_behind(database_url, "0018", [run, story, step])
    queries = open_queries(database_url, "p", keeping=True)
    assert list(asyncio.run(queries.runs())) == [run]
    assert list(asyncio.run(queries.runs(unended=True))) == [run]
    assert asyncio.run(queries.run("r")) == run
    assert list(asyncio.run(queries.stories("r"))) == [story]
    assert list(asyncio.run(queries.steps("r", "s"))) == [step]
    for nothing in (queries.profiles(), queries.spent("r"), queries.waited("r"), queries.attempts("r")):
        assert list(asyncio.run(nothing)) == []
    assert asyncio.run(queries.holder("r")) is None
    assert asyncio.run(queries.history.snapshot(run_stream(RunId("r")))) is None
    assert list(asyncio.run(queries.history.read(run_stream(RunId("r"))))) == []


def test_what_was_recorded_before_there_were_projects_is_nobodys(database_url: str) -> None:
    run = run_row("r")
    left_behind(database_url, "0011", [run, story_row("r", "s")])
    confined = open_queries(database_url, "p")
    assert list(asyncio.run(confined.runs())) == []
    assert list(asyncio.run(confined.stories("r"))) == []
    store = open_store(database_url)
    assert list(asyncio.run(store.queries.runs())) == [run]
    assert list(asyncio.run(store.confined("p").runs())) == []
    store.close()


def test_a_table_that_lacks_what_every_release_has_had_cannot_be_read(sqlite_url: str) -> None:
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("CREATE TABLE runs (run text)")
        connection.execute("INSERT INTO runs VALUES ('r')")
        connection.commit()
    with pytest.raises(StoreError, match="cannot be read"):
        asyncio.run(open_queries(sqlite_url).runs())


def test_who_waited_before_the_upgrade_waits_for_the_same_after_it(database_url: str) -> None:
    left_behind(database_url, "0005", [waits(f"s{place}", waiting=waiting) for place, waiting in enumerate(WAITING)])
    store = open_store(database_url)
    expected = [
        waits(f"s{place}", **known | {"waiting": waiting.partition(": ")[2]})
        for place, (waiting, known) in enumerate(WAITING.items())
    ]
    assert list(asyncio.run(store.queries.stories("r"))) == expected
    store.close()


UNPACKED = {
    ("question: Tabs? [1] yes [2] no", "question", None): ("Tabs? [1] yes [2] no", WaitCause.QUESTION),
    ("question: Tabs?", "", None): ("Tabs?", WaitCause.QUESTION),
    ("limit: question: or not?", "limit", None): ("question: or not?", WaitCause.LIMIT),
    ("reset: 429", "", 9.0): ("429", WaitCause.RATE_LIMIT),
    ("fancy: an unknown cause", "", None): ("fancy: an unknown cause", WaitCause.UNKNOWN),
    ("", "", None): ("", WaitCause.UNKNOWN),
}
"""The columns `waiting`, `hold` and `until` before 0017; text and cause since then."""


@pytest.mark.parametrize("version", ["0001", "0006", "0016"])
def test_what_a_story_waits_for_is_read_from_a_packed_text_before_and_after_the_upgrade(
    database_url: str, version: str
) -> None:
    packed = [
        waits(f"s{place}", waiting=text, hold=hold, until=until) for place, (text, hold, until) in enumerate(UNPACKED)
    ]
    expected = [
        WaitingPart(cause=cause, detail=text, until=until)
        for (_, _, until), (text, cause) in zip(UNPACKED, UNPACKED.values(), strict=True)
    ]
    left_behind(database_url, version, packed)
    assert [row.waiting for row in asyncio.run(open_queries(database_url).stories("r"))] == expected
    store = open_store(database_url)
    assert [row.waiting for row in asyncio.run(store.queries.stories("r"))] == expected
    store.close()


def test_why_a_landing_was_refused_before_the_upgrade_is_known_after_it(database_url: str) -> None:
    refused = replace(story_row("r", "s1"), cause="refused", failure="not landed (gates) after 2 repairs: red")
    empty = replace(refused, story="s2", failure="not landed (empty) and no step left of 50")
    quoted = replace(refused, story="s3", cause="step", failure="not landed (gates) is what the agent said")
    left_behind(database_url, "0006", [refused, empty, quoted])
    store = open_store(database_url)
    expected = [
        *(
            replace(row, landing=replace(row.landing, refusal=why))
            for row, why in ((refused, "gates"), (empty, "empty"))
        ),
        quoted,
    ]
    assert list(asyncio.run(store.queries.stories("r"))) == expected
    store.close()
