"""Persona files of agents, read only from the workflow's repository, pack or folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workflows._diagnostics import Diagnostics
from shiftwork.adapters.workflows._yaml import Place
from shiftwork.adapters.workflows.lookup import PACKAGED
from shiftwork.adapters.workflows.tree_reader import Entry
from shiftwork.bounded import read_text
from shiftwork.domain.workflow.workflow import AgentPlan
from shiftwork.planning.team import TEAM_ROLES
from shiftwork.prompts.answer.problem import shown

_LARGEST: Final = 64 * 1024
_ALL_TOGETHER: Final = 256 * 1024


class Personas:
    """`folder` contains the workflow's file, and paths are relative to it; nothing outside of the folders `within`
    is read.
    """

    def __init__(self, folder: Path, within: Sequence[Path], diagnostics: Diagnostics) -> None:
        self._folder = folder
        self._within = [place.resolve() for place in within]
        self._diagnostics = diagnostics
        self._left = _ALL_TOGETHER
        self.read: list[str] = []

    def of(self, agent: Entry) -> tuple[tuple[str, str], ...]:
        """Names and texts of an agent's files, in the order of the file."""
        workspace = agent.entry("workspace")
        if not workspace.has("files"):
            return ()
        places = {member.key: member.node.place for member in workspace.nodes["files"].members}
        named = workspace.pairs("files").items()
        return tuple((name, self._text(path, places[name])) for name, path in named)

    def _text(self, path: str, place: Place) -> str:
        try:
            text = self._read(path)
        except (OSError, ValueError) as error:
            self._diagnostics.mistake(place, f"the persona file {shown(path)} {_why(error)}")
            return ""
        self._left -= len(text)
        if self._left < 0:
            self._diagnostics.mistake(place, f"all persona files together have more than {_ALL_TOGETHER >> 10} KiB")
        return text

    def _read(self, path: str) -> str:
        """Resolves links before it checks where the file is."""
        if Path(path).is_absolute():
            raise ValueError("must be relative to the workflow's file, not absolute")
        file = (self._folder / path).resolve()
        if not any(file.is_relative_to(place) for place in self._within):
            named = " and ".join(dict.fromkeys(place.name for place in self._within))
            raise ValueError(f"is outside of {named}, and is not read")
        if any(part.casefold() == ".git" for part in file.parts):
            raise ValueError("is a file of git, and is not read")
        self.read.append(path)
        return read_text(file, _LARGEST)


def team_agent(role: str) -> AgentPlan:
    """An agent for a role of teams that comes with the package."""
    text = (PACKAGED / "personas" / f"{role}.md").read_text(encoding="utf-8")
    return AgentPlan(id=role, name=role.title(), role=TEAM_ROLES[role], persona=((role.title(), text),))


def _why(error: OSError | ValueError) -> str:
    match error:
        case FileNotFoundError():
            return "does not exist"
        case OSError():
            return f"cannot be read: {error.strerror or error}"
        case UnicodeDecodeError():
            return "is not UTF-8"
        case _:
            return str(error)
