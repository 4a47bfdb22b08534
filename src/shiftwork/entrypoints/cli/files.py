"""Writes a document to where the user wants it."""

from pathlib import Path
from typing import Final

from shiftwork.errors import UsageError

_HINT: Final = "name a file in a folder that is there"


def check(path: Path) -> None:
    """Refuse what could not be written, before anything is done for it."""
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder", hint=_HINT)
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}", hint=_HINT)


def written(path: Path, text: str) -> None:
    check(path)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint=_HINT) from error
