"""A database that an earlier release has left: it can be looked at as it is, and upgraded when it is opened."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest
import sqlalchemy as sa

from shiftwork.adapters.store import migrating, tables
from shiftwork.adapters.store.engine import create_engine
from shiftwork.adapters.store.reader import open_queries
from shiftwork.adapters.store.schema import VERSION_TABLE
from shiftwork.adapters.store.views import values
from shiftwork.errors import StoreError
from shiftwork.ports.views import Row
from shiftwork.testing.store_suite import run_row, step_row, story_row


def left_behind(url: str, version: str, rows: Sequence[Row]) -> None:
    """The database as the release of that schema would have left it."""
    engine = create_engine(url)
    with engine.begin() as connection:
        migrating.migrate(connection, VERSION_TABLE, version)
        for row in rows:
            table = tables.view_tables[type(row)]
            columns = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
            known = {name: value for name, value in values(row).items() if name in columns}
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


def test_a_table_that_lacks_what_every_release_has_had_cannot_be_read(sqlite_url: str) -> None:
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        connection.execute("CREATE TABLE runs (run text)")
        connection.execute("INSERT INTO runs VALUES ('r')")
        connection.commit()
    with pytest.raises(StoreError, match="cannot be read"):
        asyncio.run(open_queries(sqlite_url).runs())
