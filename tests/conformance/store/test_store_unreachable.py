"""A Postgres server that is unreachable for a while: every request is executed, and exactly once."""

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
import pytest
import sqlalchemy as sa

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.sql.database import Database, create_engine
from shiftwork.adapters.unanswered import connecting
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError
from shiftwork.testing.conformance.event_store import notes
from shiftwork.testing.conformance.leases import ANN, BOB
from shiftwork.testing.conformance.store_stage import run_row
from shiftwork.testing.postgres_cluster import PostgresMissingError, PrivateServer, private_server

STREAM = Stream("story/r/s")

_COMMITTING = (b"COMMIT", b"pg_notify")
"""What commits: the end of a transaction, and the only statement that is a transaction of its own."""


@dataclass
class Wire:
    """A wire to the server; cut after the next commit, whose answer never arrives. `cuts` counts."""

    server: tuple[str, int]
    armed: bool = False
    cuts: int = 0
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._join, args=(client,), daemon=True).start()

    def _join(self, client: socket.socket) -> None:
        with client, socket.create_connection(self.server) as server:
            answers = threading.Thread(target=self._answer, args=(server, client), daemon=True)
            answers.start()
            with contextlib.suppress(OSError):
                while said := client.recv(65536):
                    if self.armed and any(word in said for word in _COMMITTING):
                        self.armed, self.cuts = False, self.cuts + 1
                        # No answer gets through from here on; the server has done it when it has answered.
                        client.shutdown(socket.SHUT_WR)
                        server.sendall(said)
                        answers.join(timeout=10)
                        return
                    server.sendall(said)

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while said := server.recv(65536):
                client.sendall(said)


@pytest.fixture
def wire(postgres_url: str) -> Iterator[tuple[Wire, str]]:
    """A wire, and the address at its near end."""
    url = sa.make_url(postgres_url)
    assert url.host
    assert url.port
    wire = Wire((url.host, url.port))
    threading.Thread(target=wire.serve, daemon=True).start()
    yield wire, url.set(port=wire.listener.getsockname()[1]).render_as_string(hide_password=False)
    wire.listener.close()


def test_what_was_committed_before_the_connection_was_cut_happens_once(wire: tuple[Wire, str]) -> None:
    cutter, url = wire
    store = open_store(url, patience=60)

    async def scenario() -> None:
        for number in range(5):
            cutter.armed = True
            facts, rows = notes("a", "b"), [run_row("r", title=str(number))]
            assert await store.events.append(STREAM, facts, expected=2 * number, key=str(number), rows=rows) == (
                2 * number + 2
            )
            cutter.armed = True
            await store.inbox.post(STREAM, str(number), {"number": number})
        assert [entry.key for entry in await store.events.read(STREAM)] == [str(n) for n in range(5) for _ in "ab"]
        assert len(await store.inbox.receive(STREAM, after=0)) == 5
        cutter.armed = True
        assert await store.leases.acquire("r", ANN) is None, "it holds it, and does not find itself in the way"
        cutter.armed = True
        assert await store.leases.acquire("r", BOB, replacing=ANN) is None
        cutter.armed = True
        assert list(await store.leases.renew(BOB)) == ["r"]
        cutter.armed = True
        await store.leases.release("r", BOB)
        assert await store.leases.holders() == []

    asyncio.run(scenario())
    store.close()
    assert cutter.cuts == 14, "every commit was cut off once"


def test_who_has_no_patience_is_reported_at_once(wire: tuple[Wire, str]) -> None:
    cutter, url = wire
    store = open_store(url)
    cutter.armed = True
    with pytest.raises(StoreError, match="failed"):
        asyncio.run(store.events.append(STREAM, notes("a"), expected=0, key="a"))
    assert asyncio.run(store.events.version(STREAM)) == 1
    store.close()


@pytest.fixture(scope="module")
def server() -> Iterator[PrivateServer]:
    try:
        with private_server() as server:
            yield server
    except PostgresMissingError as error:
        pytest.skip(str(error))


def test_a_server_that_is_restarted_is_waited_for(server: PrivateServer) -> None:
    store = open_store(server.address, patience=60)

    async def write() -> None:
        for number in range(40):
            assert await store.events.append(STREAM, notes("a"), expected=number, key=str(number)) == number + 1
            await asyncio.sleep(0.02)

    async def scenario() -> None:
        writing = asyncio.ensure_future(write())
        await asyncio.sleep(0.2)
        await asyncio.to_thread(server.stop)
        reading = asyncio.ensure_future(store.queries.runs())
        await asyncio.sleep(1.5)
        assert not writing.done()
        assert not reading.done()
        await asyncio.to_thread(server.start)
        await asyncio.gather(writing, reading)

    asyncio.run(scenario())
    store.close()


def test_a_server_that_stays_away_is_given_up_in_time_or_when_the_store_is_closed(server: PrivateServer) -> None:
    store, other = open_store(server.address, patience=1), open_store(server.address, patience=600)
    server.stop()
    try:
        began = time.monotonic()
        with pytest.raises(StoreError):
            asyncio.run(store.events.version(STREAM))
        assert time.monotonic() - began >= 1

        async def leave() -> None:
            asking = asyncio.ensure_future(other.events.version(STREAM))
            await asyncio.sleep(0.3)
            await asyncio.to_thread(other.close)
            with pytest.raises(StoreError):
                await asking

        began = time.monotonic()
        asyncio.run(leave())
        assert time.monotonic() - began < 300
    finally:
        store.close()
        server.start()


def test_a_question_that_is_wrong_is_not_asked_again(postgres_url: str) -> None:
    store = open_store(postgres_url, patience=600)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DROP TABLE inbox")
    with pytest.raises(StoreError, match="inbox"):
        asyncio.run(store.inbox.post(STREAM, "a", {}))
    store.close()


def test_who_stands_still_inside_a_transaction_keeps_no_one_waiting_and_does_it_again(postgres_url: str) -> None:
    """A process that is frozen while it holds a lock on the leases."""
    store, engine = open_store(postgres_url), create_engine(postgres_url)
    database, tries = Database(engine, patience=60), []

    def act(connection: sa.Connection) -> int:
        tries.append(1)
        connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = '200ms'")
        connection.exec_driver_sql("LOCK TABLE leases IN EXCLUSIVE MODE")
        if len(tries) == 1:
            locked.set()
            assert taken.wait(60)
        return int(connection.execute(sa.text("SELECT 1")).scalar_one())

    locked, taken = threading.Event(), threading.Event()

    async def scenario() -> None:
        frozen = asyncio.ensure_future(database.write(act))
        await asyncio.to_thread(locked.wait, 60)
        assert await store.leases.acquire("run/1", BOB, replacing=ANN) is None
        taken.set()
        assert await frozen == 1

    asyncio.run(scenario())
    assert len(tries) == 2
    database.close()
    store.close()


def test_every_connection_has_limits_of_time(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    for _ in range(2):  # also when it is used again
        with engine.connect() as connection:
            assert connection.scalar(sa.text("SHOW statement_timeout")) == "15s"
            assert connection.scalar(sa.text("SHOW idle_in_transaction_session_timeout")) == "20s"
            assert connection.connection.dbapi_connection is not None
            limits = connection.connection.dbapi_connection.info.get_parameters()
            assert (limits["connect_timeout"], limits["tcp_user_timeout"]) == ("5", "10000")
    engine.dispose()
    assert "connect_timeout" not in connecting({"connect_timeout": "60"}), "what the address says stays"
