"""Fixtures for tests of the installed command."""

from pathlib import Path

import pytest

from tests.e2e.cli_rig import Project, new_project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path)
