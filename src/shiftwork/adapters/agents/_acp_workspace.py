"""What an agent may do through its client: files of the workspace, and answers to what it asks leave for."""

from collections.abc import Iterator
from pathlib import Path

from shiftwork.adapters.agents._reading import Json, child, children, count, text


class OutsideError(Exception):
    """A file that is not of the workspace, or cannot be read or written as text."""


class Workspace:
    """One attempt's folder; links out of it lead nowhere. `denials` are the titles of what was refused."""

    def __init__(self, root: Path) -> None:
        self.denials: list[str] = []
        self._root = root.resolve()

    def read(self, params: Json) -> str:
        path = self._inside(text(params, "path"))
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
        except OSError as failure:
            raise OutsideError(f"{path} cannot be read: {failure.strerror}") from failure
        first = max(count(params, "line") - 1, 0)
        limit = count(params, "limit") or len(lines)
        return "".join(lines[first : first + limit])

    def write(self, params: Json) -> None:
        path = self._inside(text(params, "path"))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(params, "content"), encoding="utf-8")
        except OSError as failure:
            raise OutsideError(f"{path} cannot be written: {failure.strerror}") from failure

    def permit(self, params: Json) -> str:
        """The id of the option to take, which differs per agent; empty to refuse without one.

        Whatever stays in the workspace is allowed, this once: the harness has its own walls, and nobody is there to
        ask. Options are told apart by their kind alone.
        """
        call = child(params, "toolCall")
        if all(self._is_inside(path) for path in _places(call)):
            return _option(params, "allow_once", "allow_always")
        self.denials.append(text(call, "title") or text(call, "kind"))
        return _option(params, "reject_once", "reject_always")

    def _inside(self, name: str) -> Path:
        if not self._is_inside(name):
            raise OutsideError(f"{name} is not in the workspace")
        return Path(self._root, name).resolve()

    def _is_inside(self, name: str) -> bool:
        try:
            return Path(self._root, name).resolve().is_relative_to(self._root)
        except (OSError, ValueError, RuntimeError):  # a circle of links, a name that no file can have
            return False


def _places(call: Json) -> Iterator[str]:
    for place in (*children(call, "locations"), *children(call, "content")):
        if path := text(place, "path"):
            yield path


def _option(params: Json, *kinds: str) -> str:
    offered = {text(option, "kind"): text(option, "optionId") for option in reversed(children(params, "options"))}
    return next((offered[kind] for kind in kinds if kind in offered), "")
