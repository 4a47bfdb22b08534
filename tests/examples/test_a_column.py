"""A new column is a migration, the number of the newest migration, and a field of the row."""

import asyncio

import pytest

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.sql.schema_version import HEAD
from shiftwork.domain.core.fact import MessagesRead
from shiftwork.domain.core.ids import RunId, run_stream
from shiftwork.testing.conformance.store_stage import run_row
from tests.examples.package_copy import EXAMPLES, PackageCopy

pytestmark = pytest.mark.slow

NEXT = f"{int(HEAD) + 1:04}"

MIGRATION = f"""\
\"\"\"Who reviews a run.\"\"\"

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "{NEXT}"
down_revision = "{HEAD}"


def upgrade(op: Operations) -> None:
    op.add_column("runs", sa.Column("reviewer", sa.Text, nullable=False, server_default=sa.text("''")))
"""


@pytest.fixture
def reviewer(package: PackageCopy) -> PackageCopy:
    package.write(f"adapters/store/migrations/versions/r{NEXT}_reviewer.py", MIGRATION)
    package.replace("adapters/store/sql/schema_version.py", f'HEAD: Final = "{HEAD}"', f'HEAD: Final = "{NEXT}"')
    package.insert("ports/views.py", '\n    undoing: str = ""', '\n    reviewer: str = ""')
    return package


def test_a_database_of_an_earlier_release_gets_it(reviewer: PackageCopy, database_url: str) -> None:
    earlier = open_store(database_url)
    fact = MessagesRead(at=1, upto=1)
    asyncio.run(earlier.events.append(run_stream(RunId("r1")), [fact], expected=0, key="k", rows=[run_row("r1")]))
    earlier.close()
    assert reviewer.python(str(EXAMPLES / "column.py"), database_url) == "'' 'Ada'\n"
