"""A new table is a migration, the number of the newest migration, a type of row, and an entry for it in the views."""

import pytest

from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.store.sql.schema_version import HEAD
from tests.examples.package_copy import EXAMPLES, PackageCopy

pytestmark = pytest.mark.slow

NEXT = f"{int(HEAD) + 1:04}"

MIGRATION = f"""\
\"\"\"Who reviews which run.\"\"\"

import sqlalchemy as sa

from shiftwork.adapters.store.migrations.operations import Operations

revision = "{NEXT}"
down_revision = "{HEAD}"


def upgrade(op: Operations) -> None:
    op.create_table(
        "reviews",
        sa.Column("run", sa.Text, primary_key=True),
        sa.Column("reviewer", sa.Text, nullable=False),
    )
"""

ROW = '''
@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """Who reviews a run."""

    run: str
    reviewer: str


'''

VIEWS = "adapters/store/sql/view_columns.py"


@pytest.fixture
def reviews(package: PackageCopy) -> PackageCopy:
    package.write(f"adapters/store/migrations/versions/r{NEXT}_reviews.py", MIGRATION)
    package.replace("adapters/store/sql/schema_version.py", f'HEAD: Final = "{HEAD}"', f'HEAD: Final = "{NEXT}"')
    package.replace("ports/views.py", "\ntype Row = ", f"{ROW}type Row = ReviewRow | ")
    package.insert(VIEWS, "from shiftwork.ports.views import (\n    AttemptRow", ",\n    ReviewRow")
    package.insert(
        VIEWS, "\nVIEWS: Final[dict[type[Row], View]] = {", '\n    ReviewRow: _view("reviews", ReviewRow, "run"),'
    )
    return package


def test_a_database_of_an_earlier_release_gets_it(reviews: PackageCopy, database_url: str) -> None:
    open_store(database_url).close()
    assert reviews.python(str(EXAMPLES / "table.py"), database_url) == "[('r1', 'Grace')]\n"
