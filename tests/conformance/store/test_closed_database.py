"""A history in a read-only folder is read as it is, or the error says why it cannot be read."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.store.open import Store, open_store
from shiftwork.adapters.store.reader.read_only_sqlite import check_unchanged, marked, readable
from shiftwork.domain.core.ids import Stream
from shiftwork.errors import StoreError
from shiftwork.testing.conformance.event_store import notes
from shiftwork.testing.conformance.store_stage import run_row

_STREAM = Stream("story/r/s")
_READING = str(Path(__file__).with_name("closed_database.py"))
# Root may do everything; without these two capabilities it is bound by permissions like any user.
_BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "state").mkdir()
    yield tmp_path / "state" / "state.db"
    (tmp_path / "state").chmod(0o700)


def written(file: Path) -> Store:
    store = open_store(f"sqlite:///{file}")
    asyncio.run(store.events.append(_STREAM, notes("a", "b"), expected=0, key="a", rows=[run_row("r")]))
    return store


def read_by_another(file: Path) -> list[str]:
    file.parent.chmod(0o500)
    completed = subprocess.run([*_BOUND, sys.executable, _READING, file], capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.splitlines()


def test_what_no_one_writes_to_is_read_and_cannot_be_written(file: Path) -> None:
    written(file).close()
    runs, versions, refused, hint = read_by_another(file)
    assert (runs, versions) == ("runs r", "versions 1 2")
    assert "readonly" in refused
    assert hint == "check that its folder is writable and has free space"
    assert [path.name for path in file.parent.iterdir()] == ["state.db"]


def test_what_a_living_writer_has_written_ahead_is_read(file: Path) -> None:
    store = written(file)
    assert file.with_name("state.db-wal").stat().st_size, "nothing of it is in the file itself"
    runs, versions, *_ = read_by_another(file)
    store.close()
    assert (runs, versions) == ("runs r", "versions 1 2")


def test_a_log_that_cannot_be_read_is_reported_and_not_passed_over(file: Path) -> None:
    store = written(file)
    log = file.with_name("state.db-wal").read_bytes()
    store.close()
    file.with_name("state.db-wal").write_bytes(log)
    message, hint = read_by_another(file)
    assert message.startswith(f"{file} cannot be read: its last writes are in {file}-wal")
    assert "use a copy" in hint


def test_a_file_that_is_not_for_everybody_is_reported(file: Path) -> None:
    written(file).close()
    file.chmod(0)
    message, hint = read_by_another(file)
    assert message == f"{file} cannot be read: permission denied"
    assert hint == f"check its permissions: ls -l {file}"


def test_what_was_written_to_meanwhile_does_not_count_as_read(file: Path) -> None:
    written(file).close()
    assert readable(str(file))[1] is None, "with write access, reading works as usual"
    mark = marked(str(file))
    check_unchanged(str(file), mark)
    store = open_store(f"sqlite:///{file}")
    asyncio.run(store.inbox.post(_STREAM, "key", {}))
    with pytest.raises(StoreError, match="was written to while it was read"):
        check_unchanged(str(file), mark)
    store.close()
