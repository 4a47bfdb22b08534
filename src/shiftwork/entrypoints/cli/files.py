"""Writes a document to where the user wants it."""

from pathlib import Path

from shiftwork.errors import UsageError


def written(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
