"""The file of an archived run: JSON lines, compressed. `status` reads rows from it, so this module loads little."""

import os
from collections.abc import Iterator
from json import loads
from typing import Any, Final

from shiftwork.adapters.store.sql.view_columns import VIEWS, row_of
from shiftwork.errors import StoreError
from shiftwork.ports.views import Row, SpentRow, StepRow, StoryRow, WaitedRow

FOLDER: Final = "archive"
"""Below the state folder."""

FORMAT: Final = 1
TABLES: Final = {view.table: kind for kind, view in VIEWS.items()}


def name_of(run: str) -> str:
    return f"{run}.jsonl.gz"


def lines(file: str) -> Iterator[dict[str, Any]]:
    """The lines of an archive after its head; raises StoreError if it cannot be read to its end."""
    import gzip  # noqa: PLC0415 - only an archived run needs it

    try:
        with gzip.open(file, "rt", encoding="utf-8") as read:
            head = loads(next(read))
            if head["format"] != FORMAT:
                raise StoreError(f"{file} was written by another release of shiftwork", hint="use that release")
            found = [loads(line) for line in read]
    except (OSError, EOFError, ValueError, LookupError, TypeError, StopIteration) as error:
        raise StoreError(f"the archive {file} cannot be read: {error}", hint=f"check it: gzip -t {file}") from error
    if len(found) != head["lines"]:
        raise StoreError(f"the archive {file} is incomplete", hint="restore it from a backup")
    yield from found


def row_from(line: dict[str, Any]) -> Row:
    return row_of(TABLES[line["row"]], line["values"])


def rows[R: (StoryRow, StepRow, SpentRow, WaitedRow)](folder: str, run: str, kind: type[R]) -> list[R]:
    """The rows of one kind of an archived run; none if it has no archive here."""
    file = f"{folder}/{name_of(run)}"
    if not os.access(file, os.F_OK):
        return []
    table = VIEWS[kind].table
    return [row_of(kind, line["values"]) for line in lines(file) if line.get("row") == table]
