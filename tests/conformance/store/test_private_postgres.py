"""The private Postgres server of the tests: nothing of it remains, even when the process that uses it is killed."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

_USER = """
import sys
from shiftwork.testing.postgres_cluster import private_postgres
with private_postgres() as address:
    print(address, flush=True)
    sys.stdin.readline()
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, None])
def test_a_server_ends_with_its_user(postgres_server: str, end: signal.Signals | None) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _USER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as user:
        assert user.stdout is not None
        address = user.stdout.readline().strip()
        files = served_from(address)
        assert files is not None
        folder = files.parent
        assert folder.exists()
        if end is not None:
            user.send_signal(end)
    deadline = time.monotonic() + 60
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not folder.exists()
    assert served_from(address) != files


def served_from(address: str) -> Path | None:
    """Where the files are of the server that answers, which may be another that was given the same port."""
    try:
        with psycopg.connect(address, connect_timeout=5) as connection:
            row = connection.execute("SELECT current_setting('data_directory')").fetchone()
    except psycopg.OperationalError:
        return None
    assert row is not None
    return Path(row[0])
