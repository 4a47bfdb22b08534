"""Workflows for front ends: found, read, and told what they would have run."""

from dataclasses import dataclass
from pathlib import Path

from shiftwork.adapters.workflows.finding import OWN_FOLDER, PACKAGED, Found, Origin, find, find_all
from shiftwork.adapters.workflows.loading import Loaded, Note, load
from shiftwork.adapters.workflows.schema import SCHEMA_FILE
from shiftwork.adapters.workflows.writing import document as spelt_out_document
from shiftwork.adapters.workflows.writing import expanded as spelt_out
from shiftwork.config.site import Site, environment
from shiftwork.config.trust import Claim, Command
from shiftwork.config.user import user_folder
from shiftwork.domain.model.workflow import WORKFLOWS, Workflow

__all__ = [
    "OWN_FOLDER",
    "SCHEMA_FILE",
    "Choice",
    "Listed",
    "Note",
    "Origin",
    "choose",
    "every",
    "find_workflow",
    "packaged_schema",
    "spelt_out",
    "spelt_out_document",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A workflow that was asked for. `claim` is what its file would have run that the user must have trusted."""

    workflow: Workflow
    name: str
    origin: str
    path: Path | None = None
    notes: tuple[Note, ...] = ()
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A workflow that there is; `hidden` ones are not used, because one of the same name comes first."""

    name: str
    origin: str
    path: Path | None
    hidden: bool


def every(root: Path, user: Path) -> tuple[Listed, ...]:
    """All workflows, those that win first; what is part of the program itself has no path."""
    files = [(one.name, str(one.origin), one.path) for one in find_all(root, _folder(user))]
    inside = [(name, str(Origin.PACKAGE), None) for name in WORKFLOWS]
    seen: set[str] = set()
    listed: list[Listed] = []
    for name, origin, path in (*files, *inside):
        if path is not None or name not in {one.name for one in listed if one.origin == Origin.PACKAGE}:
            listed.append(Listed(name=name, origin=origin, path=path, hidden=name in seen))
        seen.add(name)
    return tuple(listed)


def choose(wanted: str, root: Path, user: Path) -> Choice:
    """By name or path. Raises WorkflowError: there is none, or its file has mistakes."""
    inside = WORKFLOWS.get(wanted)
    if inside and not any(one.name == wanted for one in find_all(root, _folder(user))):
        return Choice(workflow=inside, name=wanted, origin=Origin.PACKAGE)
    found = find(wanted, root, _folder(user), WORKFLOWS)
    loaded = load(found.path, _shown(found.path, root), found.within)
    return Choice(
        workflow=loaded.workflow,
        name=found.name,
        origin=found.origin,
        path=found.path,
        notes=loaded.notes,
        claim=_claim(found, loaded),
    )


def find_workflow(site: Site, wanted: str) -> Workflow:
    """One of the package's own, by name: what the program itself asks for."""
    return choose(wanted, site.root, user_folder(environment())).workflow


def packaged_schema() -> str:
    return (PACKAGED / SCHEMA_FILE).read_text(encoding="utf-8")


def _folder(user: Path) -> Path:
    return user / "workflows"


def _shown(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _claim(found: Found, loaded: Loaded) -> Claim | None:
    """What the user has put into their own folder, or has installed, they have trusted by that."""
    if found.origin in {Origin.USER, Origin.PACKAGE}:
        return None
    commands = (Command(where=f"run.{gate.name}", text=gate.command) for gate in loaded.commands)
    return Claim(file=found.path, commands=tuple(commands))
