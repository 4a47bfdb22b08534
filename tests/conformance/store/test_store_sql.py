"""Faults that only a database has: opened by many at once, upgraded, read while written, or out of reach."""

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from shiftwork.adapters.store.event_store import HELD, VERSION
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.reader import reader
from shiftwork.adapters.store.sql import migrate, schema, tables
from shiftwork.adapters.store.sql.database import create_engine
from shiftwork.adapters.store.sql.schema_version import HEAD, VERSION_TABLE
from shiftwork.adapters.store.sql.view_columns import VIEWS
from shiftwork.adapters.store.wakeup import WakeUps, first_messages
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError
from shiftwork.ports.store import Message
from shiftwork.testing.conformance.event_store import notes
from shiftwork.testing.conformance.store_stage import run_row

_STREAM = Stream("story/r/s")

# Eight processes, forked when all is loaded and let go together: each opens the store and appends its notes, loading
# the version again after a conflict. The exit code is the number of processes that failed.
_EIGHT = """
import asyncio, os, sys, traceback
from shiftwork.adapters.store.open import open_store
from shiftwork.domain.story.facts.steps import NoteWritten
from shiftwork.domain.core.ids import StepId, Stream
from shiftwork.errors import VersionConflictError

async def append(events, name):
    fact = NoteWritten(at=1.0, by=StepId("step-001"), text=name)
    for number in range(5):
        while True:
            version = await events.version(Stream(stream))
            try:
                await events.append(Stream(stream), [fact], expected=version, key=f"{name} {number}")
            except VersionConflictError:
                continue
            break

def child(name):
    os.close(starter)
    os.read(gate, 1)
    store = open_store(url)
    asyncio.run(append(store.events, name))
    store.close()

url, stream = sys.argv[1:]
gate, starter = os.pipe()
children = []
for number in range(8):
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            child(f"p{number}")
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    children.append(pid)
os.close(starter)
sys.exit(sum(os.waitpid(pid, 0)[1] != 0 for pid in children))
"""


def test_eight_processes_open_it_first_and_lose_no_append(database_url: str) -> None:
    command = [sys.executable, "-W", "error", "-c", _EIGHT, database_url, _STREAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    store = open_store(database_url)
    history = asyncio.run(store.events.read(_STREAM))
    store.close()
    assert [entry.version for entry in history] == list(range(1, 41))
    assert {entry.key for entry in history} == {f"p{name} {number}" for name in range(8) for number in range(5)}


@pytest.mark.parametrize("way", ["made", "migrated"])
def test_a_database_has_exactly_the_tables_that_are_used(database_url: str, way: str) -> None:
    """Whether it was made by this release, or has come through all migrations."""
    engine = create_engine(database_url)
    if way == "made":
        schema.upgrade(engine)
    else:
        with engine.begin() as connection:
            migrate.migrate(connection, VERSION_TABLE)
        schema.upgrade(engine)  # finds nothing to do
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE, "compare_type": True})
        assert compare_metadata(context, tables.metadata) == []
        assert context.get_current_revision() == HEAD
        assert constraints(connection) == EXPECTED_UNIQUE
    engine.dispose()


def constraints(connection: sa.Connection) -> set[str]:
    """Unique ones by name, which the comparison above does not look at everywhere; an append relies on them."""
    found = sa.inspect(connection)
    return {
        str(constraint["name"])
        for table in tables.metadata.tables
        for constraint in found.get_unique_constraints(table)
    }


EXPECTED_UNIQUE = {"facts_stream_version", "facts_stream_key_ordinal", "inbox_target_key"}


def test_the_newest_migration_is_the_one_that_new_databases_are_marked_with() -> None:
    assert migrate.known()[0] == HEAD


def test_each_migration_follows_the_one_before_it() -> None:
    found = migrate.migrations()
    assert [migration.down_revision for migration in found] == [None, *(one.revision for one in found[:-1])]
    assert all(Path(str(migration.__file__)).name.startswith(f"r{migration.revision}_") for migration in found)


def test_views_have_the_columns_of_their_rows() -> None:
    for row, view in VIEWS.items():
        table = tables.view_tables[row]
        assert tuple(table.columns.keys()) == tuple(view.columns)
        assert tuple(column.name for column in table.primary_key) == view.identity


def test_a_database_of_a_newer_release_is_refused_and_left_alone(database_url: str) -> None:
    open_store(database_url).close()
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))  # noqa: S608 - a constant
    with pytest.raises(StoreError, match="newer release") as refusal:
        open_store(database_url)
    assert "upgrade" in refusal.value.hint
    with engine.connect() as connection:
        assert connection.scalar(sa.text(f"SELECT version_num FROM {VERSION_TABLE}")) == "9999"  # noqa: S608
    engine.dispose()


def test_reading_waits_for_no_writer(database_url: str) -> None:
    store = open_store(database_url)
    asyncio.run(store.events.append(_STREAM, notes("a"), expected=0, key="a", rows=[run_row("r")]))
    writer = create_engine(database_url)
    with writer.begin() as connection:
        connection.execute(sa.update(tables.view_tables[type(run_row("r"))]).values(title="unfinished"))

        async def read() -> None:
            async with asyncio.timeout(25):  # a writer is waited for longer
                assert await store.queries.run("r") == run_row("r")
                assert await store.events.version(_STREAM) == 1
                assert not await store.inbox.receive(_STREAM, after=0)
                assert not await store.leases.holders()

        asyncio.run(read())
    writer.dispose()
    store.close()


def test_an_append_whose_rows_do_not_fit_leaves_nothing(database_url: str) -> None:
    store = open_store(database_url)
    misfit = run_row("r", title=None)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="title"):
        asyncio.run(store.events.append(_STREAM, notes("a"), expected=0, key="a", rows=[misfit]))
    assert asyncio.run(store.events.version(_STREAM)) == 0
    store.close()


def test_looking_before_an_append_uses_an_index(sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    engine = create_engine(sqlite_url)
    with engine.connect() as connection:
        for statement in (VERSION, HELD):
            asked = statement.params(stream=_STREAM, key="k")
            text = asked.compile(dialect=engine.dialect, compile_kwargs={"literal_binds": True})
            plan = " ".join(row[-1] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}"))
            assert "USING" in plan
            assert "INDEX" in plan
            assert "SCAN" not in plan
            assert "TEMP B-TREE" not in plan
    engine.dispose()


def test_a_database_that_was_never_written_reads_as_empty(tmp_path: Path, postgres_url: str) -> None:
    empty = tmp_path / "empty.db"
    empty.touch()
    for url in (f"sqlite:///{tmp_path}/none.db", f"sqlite:///{empty}", postgres_url):
        queries = reader.open_queries(url)
        assert not asyncio.run(queries.runs())
        assert asyncio.run(queries.run("r")) is None
    assert [file.name for file in tmp_path.iterdir()] == ["empty.db"]


def test_a_database_that_cannot_be_read_says_so(tmp_path: Path, postgres_url: str) -> None:
    broken = tmp_path / "broken.db"
    broken.write_text("this is no database" * 100)
    with pytest.raises(StoreError, match="cannot be read"):
        asyncio.run(reader.open_queries(f"sqlite:///{broken}").runs())
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE runs (run text)")
    with pytest.raises(StoreError, match="cannot be read"):
        asyncio.run(reader.open_queries(postgres_url).runs())


def test_a_file_name_may_hold_what_means_something_in_an_address(tmp_path: Path) -> None:
    file = tmp_path / "50% off? #1 ü.db"
    store = open_store(f"sqlite:///{file}")
    asyncio.run(store.events.append(_STREAM, (), expected=0, key="a", rows=[run_row("r")]))
    assert asyncio.run(store.queries.run("r")) == run_row("r")
    store.close()
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT run FROM runs").fetchall() == [("r",)]
    connection.close()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("sqlite:////nowhere/at/all/store.db", "unable to open"),
        ("postgresql://ann:secret@127.0.0.1:1/none", "127.0.0.1"),
        ("sqlite:///relative.db", "not a database address"),
        ("mysql://ann:secret@host/name", "not a database address"),
    ],
)
def test_what_cannot_be_opened_is_reported_without_the_password(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as refusal:
        open_store(url)
    assert refusal.value.hint
    assert "secret" not in refusal.value.message + refusal.value.hint


def test_a_dropped_connection_is_replaced(postgres_url: str) -> None:
    store = open_store(postgres_url)
    asyncio.run(store.events.append(_STREAM, notes("a"), expected=0, key="a"))
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        others = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()"
        assert connection.execute(f"{others} AND pid <> pg_backend_pid()").fetchall()
    assert asyncio.run(store.events.append(_STREAM, notes("b"), expected=1, key="b")) == 2
    store.close()


def test_a_message_becomes_visible_only_after_those_before_it(postgres_url: str) -> None:
    store = open_store(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        # The position is drawn before the trigger runs, so the slow message is held between drawing and committing.
        connection.execute("""
            CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN IF NEW.key = 'slow' THEN PERFORM pg_sleep(0.5); END IF; RETURN NEW; END $$;
            CREATE TRIGGER linger BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION linger();
        """)

        def drawn() -> None:
            while connection.execute("SELECT is_called FROM inbox_position_seq").fetchone() != (True,):
                time.sleep(0.01)

        async def scene() -> list[str]:
            slow = asyncio.create_task(store.inbox.post(_STREAM, "slow", {}))
            await asyncio.to_thread(drawn)
            await store.inbox.post(_STREAM, "quick", {})
            seen = [message.key for message in await store.inbox.receive(_STREAM, after=0)]
            await slow
            return seen

        assert asyncio.run(scene()) == ["slow", "quick"]
    store.close()


def test_the_bell_alone_wakes_and_no_one_is_left_listening() -> None:
    wake_ups, posted = WakeUps(), list[Message]()

    async def receive() -> list[Message]:
        return posted

    async def scene() -> None:
        async with asyncio.timeout(60):
            waiting = asyncio.create_task(first_messages(wake_ups, "t", receive, None))
            await asyncio.sleep(0.01)
            posted.append(Message(position=1, key="k", body={}))
            wake_ups.wake("other")
            await asyncio.sleep(0.01)
            assert not waiting.done()
            wake_ups.wake("t")
            assert await waiting == posted

    asyncio.run(scene())
    assert not wake_ups._waiters
    wake_ups.wake("t")


def test_reading_the_views_loads_nothing_heavy(sqlite_url: str) -> None:
    open_store(sqlite_url).close()
    code = f"""
import json, sys
from shiftwork.adapters.store.reader.reader import open_queries
try:
    open_queries({sqlite_url!r}).runs().send(None)
except StopIteration as done:
    assert done.value == []
print(json.dumps(sorted(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"alembic", "asyncio", "dbos", "psycopg", "pydantic", "sqlalchemy"}
    assert not heavy & set(json.loads(done.stdout))


def test_opening_a_file_loads_nothing_of_postgres(sqlite_url: str) -> None:
    message = (
        f"import sys\nfrom shiftwork.adapters.store.open import open_store\nopen_store({sqlite_url!r}).close()\n"
        "print(*(name for name in sys.modules if 'postgresql' in name or name == 'psycopg'))"
    )
    done = subprocess.run([sys.executable, "-c", message], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
