"""The file of a server: one server at a time, and nothing that a dead one has written is believed."""

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.hosting.server_file import ServedRun, ServerRecord, held, living
from shiftwork.adapters.processes.host.process_identity import this_owner
from shiftwork.records import replace
from tests.patience import SECONDS, eventually

ANOTHER = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from shiftwork.adapters.hosting.server_file import ServerRecord, held
    from shiftwork.adapters.processes.host.process_identity import this_owner

    with held(Path(sys.argv[1])) as file:
        if file is None:
            sys.exit("busy")
        if len(sys.argv) > 2:
            time.sleep(float(sys.argv[2]))
        file.write(ServerRecord(owner=this_owner("x"), store="s", address="a"))
        print("serving", flush=True)
        time.sleep(600)
""")


@contextlib.contextmanager
def refused_writes() -> Iterator[None]:
    """No file can be written by this process, as on a full disk."""
    given = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, given[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, given)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "server"


def another(path: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", ANOTHER, str(path), *more], stdout=subprocess.PIPE, text=True)


def test_a_server_is_found_while_it_lives_and_not_after_it_was_killed(path: Path) -> None:
    assert living(path) is None
    with another(path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = living(path)
        assert found is not None
        assert (found.owner.pid, found.store, found.address) == (process.pid, "s", "a")
        process.kill()
    assert path.read_text(encoding="utf-8"), "it could not clean up"
    assert living(path) is None


def test_of_servers_that_start_at_once_one_serves(path: Path) -> None:
    several = [another(path) for _ in range(3)]
    try:
        eventually(lambda: sum(process.poll() is None for process in several) == 1, seconds=SECONDS)
        (serving,) = [process for process in several if process.poll() is None]
        found = living(path)
        assert found is not None
        assert found.owner.pid == serving.pid
    finally:
        for process in several:
            process.kill()
            process.communicate()


def test_the_text_of_a_dead_server_is_not_taken_for_the_next_that_has_yet_to_write(path: Path) -> None:
    with another(path) as first:
        assert first.stdout is not None
        first.stdout.readline()
        first.kill()
    left = path.read_bytes()
    with another(path, "0.5") as second:
        eventually(lambda: path.read_bytes() != left)
        path.write_bytes(left)  # as if the dead one had written last
        found = living(path)
        second.kill()
    assert found is not None
    assert found.owner.pid == second.pid


def test_a_server_that_ends_in_order_leaves_nothing(path: Path) -> None:
    with held(path) as file:
        assert file is not None
        runs = (ServedRun(run="r1", phase="failed", reason="why"),)
        file.write(ServerRecord(owner=this_owner("x"), store="s", runs=runs))
        found = living(path)
        assert found is not None
        assert found.runs == runs
        assert json.loads(path.read_text(encoding="utf-8"))["pid"] == os.getpid()
        with held(path) as second:
            assert second is None
        assert file.remains()
        path.unlink()
        assert not file.remains(), "the repository was removed"
    assert living(path) is None


def test_a_server_whose_disk_is_full_is_still_found(path: Path) -> None:
    with held(path) as file:
        assert file is not None
        record = ServerRecord(owner=this_owner("x"), store="s", address="a")
        file.write(record)
        with refused_writes(), pytest.raises(OSError, match="File too large"):
            file.write(replace(record, stopping=True))
        assert living(path) == record
        file.write(replace(record, address=""))
        assert living(path) == replace(record, address="")


def test_a_frozen_server_still_has_the_repository(path: Path) -> None:
    with another(path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        try:
            assert living(path) is not None
            with held(path) as file:
                assert file is None
        finally:
            process.kill()
