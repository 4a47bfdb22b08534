"""Remembers that a run was refused to continue, for `status`: until it continues, or is refused for another reason.

A file beside the history: a run that is refused has no process that could write to its history.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shiftwork.bounded import read_head
from shiftwork.config.site import Site
from shiftwork.errors import ShiftworkError

_FOLDER: Final = "refused"
_LARGEST: Final = 4000


@contextlib.contextmanager
def remembered(site: Site, run: str) -> Iterator[None]:
    """Around the checks before a run continues. A disk that is full must not hide the refusal itself."""
    try:
        yield
    except ShiftworkError as error:
        remember(site, run, error.message)
        raise
    with contextlib.suppress(OSError):
        _file(site, run).unlink(missing_ok=True)


def remember(site: Site, run: str, message: str) -> None:
    """That the run was refused to continue, and why."""
    with contextlib.suppress(OSError):
        _file(site, run).parent.mkdir(exist_ok=True, mode=0o700)
        _file(site, run).write_text(message.split("\n", maxsplit=1)[0][:_LARGEST], encoding="utf-8")


def reason_of(site: Site, run: str) -> tuple[str, float] | None:
    """Why the run was refused to continue the last time, and when; None if it was not."""
    file = _file(site, run)
    try:
        return read_head(file, _LARGEST).decode(errors="replace"), file.stat().st_mtime
    except OSError:
        return None


def _file(site: Site, run: str) -> Path:
    return site.state / _FOLDER / f"{run}.txt"
