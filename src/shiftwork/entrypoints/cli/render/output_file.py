"""Writes a document to a file that the user names."""

from pathlib import Path
from typing import Final

from shiftwork import umask
from shiftwork.bounded import first_link
from shiftwork.errors import UsageError

_HINT: Final = "name a file in an existing folder"


def check(path: Path) -> None:
    """Refuses a path that cannot be written, before any work is done for it."""
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder", hint=_HINT)
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}", hint=_HINT)


def check_unlinked(root: Path, path: Path) -> None:
    """Refuses to write through a link of the repository, if the user has not chosen the name."""
    if link := first_link(root, path):
        reason = f"{link} is a link, and shiftwork does not write through links"
        raise UsageError(reason, hint=f"see where that is: ls -l {link}; then remove it")


def written(path: Path, text: str, *, private: bool = False) -> None:
    """Writes the file; a new file has the user's usual mode. Documents about runs are `private`, for the user alone:
    they contain prompts and output of programs. An existing file keeps its mode.
    """
    check(path)
    new = not path.exists()
    try:
        path.write_text(text, encoding="utf-8")
        if new and not private:
            umask.share(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint=_HINT) from error
