"""Every file that a newcomer brings means here what it means where it comes from."""

from pathlib import Path

import pytest

from tests.newcomers.rig import Row, scripted, tried
from tests.newcomers.rows import ROWS


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_a_newcomers_file_means_what_it_meant(row: Row, tmp_path: Path) -> None:
    assert tried(row, scripted(tmp_path)).wrong == ()
