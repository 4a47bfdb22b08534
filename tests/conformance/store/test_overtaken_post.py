"""A post that waits for another one on Postgres sees the message of that one."""

import contextlib
import threading
import time

import psycopg
import pytest

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.plain_store import open_plain_store
from shiftwork.domain.core.ids import Stream
from shiftwork.entrypoints.cli.env.sync_query import answer
from shiftwork.testing.conformance.store_stage import awaited

TARGET = Stream("run/1")


@pytest.mark.parametrize("plain", [True, False])
def test_a_post_that_waits_for_another_one_sees_its_message(postgres_url: str, *, plain: bool) -> None:
    posted: list[bool] = []
    with contextlib.closing(open_store(postgres_url)) as store, psycopg.connect(postgres_url) as first:

        @awaited
        async def post() -> None:
            inbox = answer(lambda: open_plain_store(postgres_url)).inbox if plain else store.inbox
            posted.append(await inbox.post(TARGET, "second", {}, after=0))

        first.execute("SELECT pg_advisory_xact_lock(21271, 2)")
        first.execute("INSERT INTO inbox (target, key, body) VALUES ('run/1', 'first', '{}')")
        second = threading.Thread(target=post)
        second.start()
        time.sleep(1)
        assert not posted
        first.commit()
        second.join(20)
    assert posted == [False]
