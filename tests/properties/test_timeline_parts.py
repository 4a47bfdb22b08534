"""Parts of a timeline: none of it is missing between two of them, and what is settled does not change any more."""

import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from shiftwork.adapters.store.in_memory import MemoryStore
from shiftwork.app.views.documents.document import moment, to_json
from shiftwork.app.views.documents.served.timeline_document import SETTLED_SECONDS
from shiftwork.app.views.feed.timeline_reader import KINDS, Part, known_facts, nothing_known, read_timeline
from shiftwork.records import replace
from shiftwork.testing.builders import RUN
from shiftwork.testing.conformance.store_stage import attempt_row

TIMES = st.floats(min_value=100.0, max_value=300.0)


async def read(store: MemoryStore, part: Part, now: float) -> dict[str, Any]:
    known = await known_facts(store.events, nothing_known(RUN))
    return to_json(await read_timeline(store.queries, known, part, now))


@given(st.lists(st.tuples(TIMES, TIMES), max_size=12), TIMES, TIMES)
def test_what_is_settled_and_what_came_since_are_all_and_windows_have_what_is_in_them(
    times: list[tuple[float, float]], now: float, middle: float
) -> None:
    async def act() -> None:
        store = MemoryStore()
        rows = [
            replace(attempt_row(RUN, "US-001", "step-001", number), started_at=min(pair), ended_at=max(pair))
            for number, pair in enumerate(times, start=1)
        ]
        store.queries.write(rows)
        whole = (await read(store, Part(), 400.0))["segments"]
        overview = await read(store, Part(kinds=KINDS - {"attempt"}), now + SETTLED_SECONDS)
        settled = [each for each in whole if each["ended_at"] < overview["settled_at"]]
        later = (await read(store, Part(since=round(now, 3)), 400.0))["segments"]
        assert sorted(map(str, [*settled, *later])) == sorted(map(str, whole))
        assert sum(each["attempts"] for each in overview["totals"]) == len(settled)
        cut = moment(middle)
        window = (await read(store, Part(since=round(middle, 3), until=round(middle, 3)), 400.0))["segments"]
        assert window == [each for each in whole if each["started_at"] <= cut <= each["ended_at"]]

    asyncio.run(act())
