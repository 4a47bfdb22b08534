"""What an agent may do through its client: access files of the workspace, and request permissions.

The harness opens these files outside the agent's sandbox while the agent runs, so a file may become a link at any
moment. Therefore a name is resolved once, and below the workspace no link is followed.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents.json_lines import Json, child, children, count, text

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_BYTES: Final = 64 * 1024 * 1024


class OutsideError(Exception):
    """Raised for a file that is outside the workspace, or that cannot be read or written as text."""


class Workspace:
    """One attempt's folder; links out of it are not followed. `denials` are the titles of refused requests."""

    def __init__(self, root: Path) -> None:
        self.denials: list[str] = []
        self._root = root.resolve()

    def read(self, params: Json) -> str:
        name = text(params, "path")
        try:
            with os.fdopen(self._opened(name, os.O_RDONLY), encoding="utf-8", errors="replace") as file:
                lines = file.read().splitlines(keepends=True)
        except OSError as failure:
            raise OutsideError(f"{name} cannot be read: {failure.strerror}") from failure
        first = max(count(params, "line") - 1, 0)
        limit = count(params, "limit") or len(lines)
        return "".join(lines[first : first + limit])

    def write(self, params: Json) -> None:
        name = text(params, "path")
        try:
            with os.fdopen(self._opened(name, os.O_WRONLY | os.O_CREAT), "w", encoding="utf-8") as file:
                file.truncate()
                file.write(text(params, "content"))
        except OSError as failure:
            raise OutsideError(f"{name} cannot be written: {failure.strerror}") from failure

    def permit(self, params: Json) -> str:
        """Returns the id of the option to choose, which differs per agent; empty to refuse without an option.

        Whatever stays in the workspace is allowed once: the harness has its own sandbox, and no user is present to ask.
        Only the kind of an option matters.
        """
        call = child(params, "toolCall")
        if all(self._is_inside(path) for path in _places(call)):
            return _option(params, "allow_once", "allow_always")
        self.denials.append(text(call, "title") or text(call, "kind"))
        return _option(params, "reject_once", "reject_always")

    def _opened(self, name: str, flags: int) -> int:
        """Opens a regular file; raises OutsideError for anything else, such as a pipe, which would block."""
        *folders, last = self._parts(name)
        folder = _descended(self._root, folders, make=bool(flags & os.O_CREAT))
        try:
            file = os.open(last, flags | _FILE, mode=0o666, dir_fd=folder)
        finally:
            os.close(folder)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            os.close(file)
            raise OutsideError(f"{name} is not a regular file, or is too large")
        return file

    def _parts(self, name: str) -> Sequence[str]:
        place = self._resolved(name)
        if place is None or place == self._root:
            raise OutsideError(f"{name} is not in the workspace")
        return place.relative_to(self._root).parts

    def _is_inside(self, name: str) -> bool:
        return self._resolved(name) is not None

    def _resolved(self, name: str) -> Path | None:
        """Returns the real path of the name; None if it is outside the workspace."""
        try:
            place = Path(self._root, name).resolve()
        except (OSError, ValueError, RuntimeError):  # a cycle of links, or a name that no file can have
            return None
        return place if place.is_relative_to(self._root) else None


def _descended(root: Path, folders: Sequence[str], *, make: bool) -> int:
    """Opens the last of the folders, each through its opened parent, so that renaming a folder has no effect."""
    at = os.open(root, _FOLDER)
    for folder in folders:
        try:
            if make:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(folder, dir_fd=at)
            below = os.open(folder, _FOLDER, dir_fd=at)
        finally:
            os.close(at)
        at = below
    return at


def _places(call: Json) -> Iterator[str]:
    for place in (*children(call, "locations"), *children(call, "content")):
        if path := text(place, "path"):
            yield path


def _option(params: Json, *kinds: str) -> str:
    offered = {text(option, "kind"): text(option, "optionId") for option in reversed(children(params, "options"))}
    return next((offered[kind] for kind in kinds if kind in offered), "")
