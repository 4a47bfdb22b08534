"""Opens the database that is named, writes a row with the column of the example and prints the column."""

import asyncio
import sys
from dataclasses import replace
from typing import Any

from shiftwork.adapters.store.open import open_store
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import RunId, run_stream
from shiftwork.testing.conformance.store_stage import run_row

store = open_store(sys.argv[1])
new: Any = {"reviewer": "Ada"}


async def seen() -> list[Any]:
    rows = [replace(run_row("r2"), **new)]
    await store.events.append(run_stream(RunId("r2")), [MessagesRead(at=1, upto=1)], expected=0, key="k", rows=rows)
    return [await store.queries.run(run) for run in ("r1", "r2")]


print(*(repr(row.reviewer) for row in asyncio.run(seen())))  # noqa: T201 - its result
store.close()
