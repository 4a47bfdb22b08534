"""The rig that every test of the application uses."""

from pathlib import Path

import pytest

from tests.app.rig import Rig, make_repository


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(repo=make_repository(tmp_path))
