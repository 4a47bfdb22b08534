"""The file of an archived run: JSON lines, compressed. `status` reads rows from it, so this module loads little."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from json import loads
from typing import Any, Final

from shiftwork.adapters.store.sql.view_columns import VIEWS, row_of
from shiftwork.errors import CodecError, StoreError
from shiftwork.ports.views import AttemptRow, Row, SpentRow, StepRow, StoryRow, WaitedRow

FOLDER: Final = "archive"
"""Below the state folder."""

FORMAT: Final = 1
TABLES: Final = {view.table: kind for kind, view in VIEWS.items()}


def name_of(run: str) -> str:
    return f"{run}.jsonl.gz"


@contextmanager
def reading(file: str) -> Iterator[None]:
    """Raises StoreError for everything that a damaged or foreign file can cause while it is read."""
    import zlib  # noqa: PLC0415 - only an archived run needs it

    try:
        yield
    except (
        *(OSError, EOFError, zlib.error, ValueError, LookupError),
        *(TypeError, AttributeError, RecursionError, StopIteration, CodecError),
    ) as error:
        what = f"{type(error).__name__}: {error}"
        raise StoreError(f"the archive {file} cannot be read: {what}", hint="restore it from a backup") from error


def lines(file: str, run: str) -> list[dict[str, Any]]:
    """The lines of the run's archive after its head; call it within `reading`."""
    import gzip  # noqa: PLC0415 - only an archived run needs it

    # Does not wait for the other end if it is a pipe.
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise StoreError(f"the archive {file} is not a file", hint="restore it from a backup")
        with gzip.open(opened, "rt", encoding="utf-8") as read:
            head = loads(next(read))
            if head["format"] != FORMAT:
                raise StoreError(f"{file} was written by another release of shiftwork", hint="use that release")
            found = [loads(line) for line in read]
    if len(found) != head["lines"]:
        raise StoreError(f"the archive {file} is incomplete", hint="restore it from a backup")
    if {head["run"], *map(_run_of, found)} != {run}:
        raise StoreError(f"the archive {file} has another run in it", hint="restore the file of this run from a backup")
    return found


def _run_of(line: dict[str, Any]) -> str:
    return str(line["values"]["run"] if "row" in line else line["stream"].split("/")[1])


def row_from(line: dict[str, Any]) -> Row:
    return row_of(TABLES[line["row"]], line["values"])


def row_lines(folder: str, run: str) -> list[dict[str, Any]]:
    """The lines with the rows of an archived run; raises StoreError if its archive is not here."""
    file = f"{folder}/{name_of(run)}"
    if not os.access(file, os.F_OK):
        raise StoreError(
            f"run {run} was archived to {file}, which does not exist",
            hint="copy it there from the machine where shiftwork gc archived the run, or from a backup",
        )
    with reading(file):
        return [line for line in lines(file, run) if "row" in line]


def rows[R: (StoryRow, StepRow, SpentRow, WaitedRow, AttemptRow)](
    folder: str, run: str, found: Sequence[dict[str, Any]], kind: type[R]
) -> list[R]:
    """The rows of one kind among the lines of an archived run."""
    with reading(f"{folder}/{name_of(run)}"):
        return [row_of(kind, line["values"]) for line in found if line["row"] == VIEWS[kind].table]
