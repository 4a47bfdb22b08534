"""Removing an archived run from a database, while somebody asks for something."""

import asyncio
import contextlib

import pytest

from shiftwork.adapters.store.open import open_store
from shiftwork.domain.core.ids import RunId, run_stream
from shiftwork.errors import VersionConflictError
from shiftwork.ports.store import Fence
from shiftwork.testing.conformance.event_store import notes
from shiftwork.testing.conformance.leases import ANN
from shiftwork.testing.conformance.store_stage import run_row


def test_a_request_that_comes_before_the_removal_keeps_the_run_and_itself(database_url: str) -> None:
    async def check() -> None:
        with contextlib.closing(open_store(database_url)) as store:
            stream = run_stream(RunId("r1"))
            await store.leases.acquire("r1", ANN)
            fence = Fence(resource="r1", executor=ANN.executor, epoch=(await store.leases.renew(ANN))["r1"])
            await store.events.append(stream, notes("a"), expected=0, key="a", rows=[run_row("r1")])
            await store.inbox.post(stream, "undo", {})
            with pytest.raises(VersionConflictError, match="has received a request meanwhile"):
                await store.retention.remove(run_row("r1"), {stream: 1}, 0, fence)
            assert await store.inbox.posted(stream, "undo")
            assert await store.events.version(stream) == 1

    asyncio.run(check())
