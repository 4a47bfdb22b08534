"""The rows that need no compiler; `just repositories` prints all of them as a table."""

from pathlib import Path

import pytest

from tests.ordinary.database_row import at
from tests.ordinary.every import CI_ROWS
from tests.ordinary.row import Row
from tests.ordinary.trial import tried

pytestmark = [pytest.mark.ordinary, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("row", CI_ROWS, ids=lambda row: row.name)
def test_broken_work_is_refused_and_right_work_lands(row: Row, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    ready = at(request.getfixturevalue("postgres_url"), row) if row.database else row
    outcome = tried(ready, tmp_path, measured=False)
    assert not outcome.wrong, "\n".join((*outcome.wrong, outcome.said))
    assert outcome.refused == ("yes" if row.gated else "-")
