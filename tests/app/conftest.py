"""The rigs that tests of the application use."""

from pathlib import Path

import pytest

from tests.app.projects import make_repository
from tests.app.rig import Rig, fake_rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return fake_rig(tmp_path)


@pytest.fixture
def git_rig(tmp_path: Path) -> Rig:
    """For tests where git is the point, or landing from end to end."""
    return Rig(repo=make_repository(tmp_path))
