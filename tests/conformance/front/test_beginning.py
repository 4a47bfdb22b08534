"""Of several runs of one spec started at once, one begins, whichever database holds the history."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.adapters.store.open import open_store
from tests.app.commands import test_beginning as in_memory
from tests.app.projects import make_repository
from tests.app.rig import Rig


@pytest.fixture
def rig(database_url: str, tmp_path: Path) -> Iterator[Rig]:
    with contextlib.closing(open_store(database_url)) as store:
        yield Rig(repo=make_repository(tmp_path), store=store)  # type: ignore[arg-type]  # of the same shape


def test_of_many_at_once_one_begins(rig: Rig) -> None:
    in_memory.test_of_many_runs_of_one_spec_that_are_begun_at_once_one_begins(rig)


def test_who_was_killed_while_beginning_keeps_no_one_from_it(rig: Rig) -> None:
    in_memory.test_who_was_killed_while_beginning_keeps_no_one_from_it(rig)
