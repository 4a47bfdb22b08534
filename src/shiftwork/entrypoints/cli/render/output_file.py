"""Writes a document to where the user wants it."""

from pathlib import Path
from typing import Final

from shiftwork import umask
from shiftwork.bounded import first_link
from shiftwork.errors import UsageError

_HINT: Final = "name a file in a folder that is there"


def check(path: Path) -> None:
    """Refuse what could not be written, before anything is done for it."""
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder", hint=_HINT)
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}", hint=_HINT)


def check_unlinked(root: Path, path: Path) -> None:
    """Refuse to write, by a name that the user has not chosen, where a link of the repository's would lead."""
    if link := first_link(root, path):
        reason = f"{link} is a link, and nothing is written where it leads"
        raise UsageError(reason, hint=f"see where that is: ls -l {link}; then remove it")


def written(path: Path, text: str, *, private: bool = False) -> None:
    """A new file has the mode that the user is used to. What tells of runs is `private`, for its user alone: it holds
    prompts and what programs have printed. A file that was there keeps its mode.
    """
    check(path)
    new = not path.exists()
    try:
        path.write_text(text, encoding="utf-8")
        if new and not private:
            umask.share(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}", hint=_HINT) from error
