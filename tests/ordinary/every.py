"""Every row of the table."""

from typing import Final

from tests.ordinary.database_row import DATABASE_ROW
from tests.ordinary.node_rows import NODE_ROWS
from tests.ordinary.other_rows import OTHER_ROWS
from tests.ordinary.python_rows import PYTHON_ROWS
from tests.ordinary.row import Row
from tests.ordinary.web_rows import WEB_ROWS

ROWS: Final[dict[str, Row]] = {
    row.name: row for row in (*PYTHON_ROWS, *NODE_ROWS, *WEB_ROWS, *OTHER_ROWS, DATABASE_ROW)
}
CI_ROWS: Final = [row for row in ROWS.values() if row.in_ci]
