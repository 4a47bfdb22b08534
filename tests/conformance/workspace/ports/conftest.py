"""Every test here runs on the fake repository and on real git: what it states is the contract of a port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.workspace.ports.stage import Stage, open_stage


@pytest.fixture(params=["values", "git"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    with open_stage(request.param, tmp_path) as stage:
        yield stage
