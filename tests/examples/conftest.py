"""The package to which an example adds something."""

from pathlib import Path

import pytest

from tests.examples.package_copy import PackageCopy, copied


@pytest.fixture
def package(tmp_path: Path) -> PackageCopy:
    folder = tmp_path / "package"
    folder.mkdir()
    return copied(folder)
