"""The queries of `status` use indexes, on both databases, however many runs there are."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader.queries import SqlQueries
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.adapters.store.sql.tables import view_tables
from shiftwork.adapters.store.sql.view_columns import values
from shiftwork.ports.views import ProfileRow, RunRow
from shiftwork.testing.conformance.store_stage import profile_row, run_row

RUNS = 4_000

type Ask = Callable[[SqlQueries], Awaitable[object]]


@pytest.fixture
def plan(database_url: str) -> Callable[[Ask], str]:
    """How the database runs a query of the views, in a database with so many runs that reading all does not pay."""
    open_store(database_url).close()
    engine = create_engine(database_url)
    runs = [run_row(f"r{number:05}", started_at=number, project=f"p{number % 2}") for number in range(RUNS)]
    profiles = [profile_row(row.run, started_at=row.started_at or 0) for row in runs]
    with engine.begin() as connection:
        connection.execute(sa.insert(view_tables[RunRow]), [values(row) for row in runs])
        connection.execute(sa.insert(view_tables[ProfileRow]), [values(row) for row in profiles])
        connection.execute(sa.text("ANALYZE"))
    explain = "EXPLAIN QUERY PLAN" if engine.dialect.name == "sqlite" else "EXPLAIN"

    def planned(ask: Ask) -> str:
        lines: list[str] = []

        async def fetch(query: str, parameters: tuple[Any, ...]) -> Sequence[Mapping[str, Any]]:
            marked = query if engine.dialect.name == "sqlite" else query.replace("?", "%s")
            with engine.connect() as connection:
                found = connection.exec_driver_sql(f"{explain} {marked}", parameters)
                lines.extend(str(row[-1]) for row in found)
            return []

        async def asked() -> None:
            await ask(SqlQueries(fetch, engine.dialect.name, "p1"))

        asyncio.run(asked())
        engine.dispose()
        return "\n".join(lines)

    return planned


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (lambda queries: queries.runs(limit=20), "runs_newest"),
        (lambda queries: queries.run("r0012"), "runs_prefix"),
        (lambda queries: queries.profiles(limit=20), "profiles_newest"),
    ],
    ids=["runs", "run", "profiles"],
)
def test_a_query_reads_only_what_it_returns(plan: Callable[[Ask], str], ask: Ask, index: str) -> None:
    found = plan(ask)
    assert index in found
    assert not re.search(r"Seq Scan|SCAN (runs|profiles)$", found), found
    assert not (index.endswith("newest") and re.search(r"Sort|TEMP B-TREE FOR ORDER BY", found)), found
