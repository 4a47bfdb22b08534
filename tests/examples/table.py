"""Opens the database that is named, writes a row to the table of the example and prints what the table contains."""

import asyncio
import sys
from typing import Any

import sqlalchemy as sa

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.adapters.store.sql.view_columns import VIEWS
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import RunId, run_stream

kind: Any = next(row for row, view in VIEWS.items() if view.table == "reviews")
store = open_store(sys.argv[1])
for number, reviewer in enumerate(("Ada", "Grace")):
    fact, row = MessagesRead(at=1, upto=number), kind(run="r1", reviewer=reviewer)
    asyncio.run(
        store.events.append(run_stream(RunId("r1")), [fact], expected=number, key=reviewer, rows=[row]),
    )
store.close()
with create_engine(sys.argv[1]).connect() as connection:
    print(connection.execute(sa.text("SELECT run, reviewer FROM reviews")).all())  # noqa: T201 - its result
