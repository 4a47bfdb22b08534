"""Fixtures for all tests: databases, including fresh ones in the test run's own Postgres server."""

import contextlib
import gc
import itertools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings

from shiftwork.testing.postgres_cluster import PostgresMissingError, private_postgres
from tests import warm
from tests.gate.long_rows import SECONDS_FILE, choose_rows, current_change, read_seconds, suite_of_row
from tests.own_folders import use_own_folders
from tests.processor_times import ProcessorTimes

pytest.register_assert_rewrite(
    "shiftwork.testing.conformance.event_store",
    "shiftwork.testing.conformance.inbox",
    "shiftwork.testing.conformance.leases",
    "shiftwork.testing.conformance.engine_stage",
    "shiftwork.testing.conformance.engine",
    "shiftwork.testing.conformance.engine_endings",
    "shiftwork.testing.conformance.specs",
    "tests.conformance.agents.agent_rig",
    "tests.golden.recordings",
)

# Collecting makes many objects and little garbage: to look for it takes a third of the time.
gc.disable()

# What a test run is given from outside is read here, as the product's own settings are read in `config`.
_GIVEN_SERVER = os.environ.get("SHIFTWORK_TEST_POSTGRES", "")  # noqa: TID251 - see above
_CI = os.environ.get("CI", "") == "true"  # noqa: TID251 - see above
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")  # noqa: TID251 - see above

# How quickly examples are made says more about what else the machine is doing than about the test.
settings.register_profile("shiftwork", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("shiftwork"), max_examples=10)
settings.load_profile("shiftwork")

# In the background of a script it is ignored, and would be in all that tests start: a shell cannot trap it then.
signal.signal(signal.SIGINT, signal.default_int_handler)

_FOLDERS = use_own_folders()

_numbers = itertools.count(1)

_USUAL_TIMEOUT = 600  # as in pyproject.toml
_LONG_NAME = 200


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all-combinations", action="store_true", help="every combination of what durability tests vary, not half"
    )
    parser.addoption(
        "--long-rows", action="store_true", help="of the long suites, what is about the change, and a tenth"
    )
    parser.addoption("--processor-times", metavar="FILE", help="add what each test takes of the processor to this file")


def pytest_report_header(config: pytest.Config) -> str:
    return str(current_change()) if config.getoption("--long-rows") else ""


def pytest_configure(config: pytest.Config) -> None:
    """Workers count, and not the process that only gives them tests."""
    if (file := config.getoption("--processor-times")) is not None and config.getoption("dist", "no") == "no":
        config.pluginmanager.register(ProcessorTimes(Path(file)))


def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--long-rows"):
        _leave_out_long_rows(config, items)
    _spread_long_tests(config, items)


def _leave_out_long_rows(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = [item.nodeid for item in items if suite_of_row(item.nodeid)]
    chosen = choose_rows(long, read_seconds(SECONDS_FILE.read_text(encoding="utf-8")), current_change())
    left_out = [item for item in items if suite_of_row(item.nodeid) and item.nodeid not in chosen]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def _spread_long_tests(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each worker starts with tests that take minutes: none of them is alone at the end. `worksteal` gives each worker
    one piece of the list, and the last tests of a piece to workers that have finished theirs.
    """
    workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
    long = [item for item in items if _takes_minutes(item)]
    rest = [item for item in items if not _takes_minutes(item)]
    items[:] = [item for number in range(workers) for item in (*long[number::workers], *rest[number::workers])]


def _takes_minutes(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("timeout")
    return mark is not None and mark.args[0] > _USUAL_TIMEOUT


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """A long text is no name: each worker sends all names, and the name of a test is in its environment."""
    if isinstance(val, str | bytes) and len(val) > _LONG_NAME:
        return f"{argname} of {len(val)}"
    return None


@pytest.fixture(scope="session", autouse=True)
def _nothing_stays() -> Iterator[None]:
    yield
    warm.close()
    _FOLDERS.cleanup()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a server: the one that SHIFTWORK_TEST_POSTGRES names, or a private one, started when first asked.

    Where none is installed tests are skipped, but not in CI: there it is an error.
    """
    if _GIVEN_SERVER:
        yield _GIVEN_SERVER
        return
    with contextlib.ExitStack() as stack:
        try:
            address = stack.enter_context(private_postgres())
        except PostgresMissingError as error:
            if _CI:
                raise
            pytest.skip(str(error))
        yield address


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The address of an empty database; after the test, its connections are closed and it is removed."""
    name = f"test_{_WORKER}_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        server, _, _ = postgres_server.rpartition("/")
        yield f"{server}/{name}"
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/store.db"


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str:
    """For a test that must hold on both kinds of database; run on SQLite it starts no Postgres."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url
