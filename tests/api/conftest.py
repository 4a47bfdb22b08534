"""Fixtures: a project with tokens, and one with a run whose first story asks something."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.api.api_rig import Stage, staged


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """Of all tests of a module: what one asks of the run, the others see."""
    with staged(tmp_path_factory.mktemp("asking")) as opened:
        opened.start_run()
        opened.ask()
        yield opened


@pytest.fixture
def client(asking: Stage) -> Iterator[TestClient]:
    with asking.client() as opened:
        yield opened
