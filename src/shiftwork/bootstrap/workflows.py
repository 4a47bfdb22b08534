"""Workflows for front ends: finds them, reads them, and shows what they would run."""

from collections.abc import Collection
from pathlib import Path

from shiftwork.adapters.workflows.json_schema import SCHEMA_FILE
from shiftwork.adapters.workflows.loading import Note, load
from shiftwork.adapters.workflows.lookup import OWN_FOLDER, PACKAGED, Origin, find, find_all
from shiftwork.adapters.workflows.writing import document as spelt_out_document
from shiftwork.adapters.workflows.writing import expanded as spelt_out
from shiftwork.adapters.workflows.writing import with_personas
from shiftwork.bootstrap.workflow_claims import claim_of, replaced_by
from shiftwork.config.trust.consent_claims import Claim
from shiftwork.domain.workflow.workflow import WORKFLOWS, Workflow
from shiftwork.planning.workflow_checks import unresolved
from shiftwork.records import dataclass, replace

__all__ = [
    "OWN_FOLDER",
    "SCHEMA_FILE",
    "Choice",
    "Listed",
    "Note",
    "Origin",
    "choose",
    "every",
    "packaged_schema",
    "packaged_workflow",
    "spelt_out",
    "spelt_out_document",
    "with_personas",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A requested workflow. `claim` is what the user must agree to before it is used; `replaces` is the workflow of the
    same name that it replaces.
    """

    workflow: Workflow
    name: str
    origin: str
    path: Path | None = None
    notes: tuple[Note, ...] = ()
    claim: Claim | None = None
    replaces: str = ""

    def unresolved(self, given: Collection[str]) -> tuple[str, ...]:
        """What to say about names in its templates that nothing provides; the user has `given` some."""
        provided = replace(self.workflow, context=(*self.workflow.context, *((name, "") for name in given)))
        return tuple(f"step {flaw.step!r}: {flaw.message}" for flaw in unresolved(provided))


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """An available workflow; a `hidden` workflow is not used, because another of the same name takes precedence."""

    name: str
    origin: str
    path: Path | None
    hidden: bool


def every(root: Path, user: Path) -> tuple[Listed, ...]:
    """All workflows, in order of precedence; a workflow built into the program has no path."""
    files = [(finding.name, str(finding.origin), finding.path) for finding in find_all(root, _folder(user))]
    inside = [(name, str(Origin.PACKAGE), None) for name in WORKFLOWS]
    seen: set[str] = set()
    listed: list[Listed] = []
    for name, origin, path in (*files, *inside):
        if path is not None or name not in {item.name for item in listed if item.origin == Origin.PACKAGE}:
            listed.append(Listed(name=name, origin=origin, path=path, hidden=name in seen))
        seen.add(name)
    return tuple(listed)


def choose(wanted: str, root: Path, user: Path) -> Choice:
    """By name or path. Raises WorkflowError if the workflow does not exist or its file has mistakes."""
    inside = WORKFLOWS.get(wanted)
    if inside and not any(finding.name == wanted for finding in find_all(root, _folder(user))):
        return Choice(workflow=inside, name=wanted, origin=Origin.PACKAGE)
    found = find(wanted, root, _folder(user), WORKFLOWS)
    loaded = load(found.path, _shown(found.path, root), *found.within)
    replaced = replaced_by(found, root, _folder(user))
    return Choice(
        workflow=loaded.workflow,
        name=found.name,
        origin=found.origin,
        path=found.path,
        notes=loaded.notes,
        claim=claim_of(found, loaded, root, replaced),
        replaces=replaced,
    )


def packaged_workflow(name: str) -> Workflow:
    """A workflow of the package, by name, for the program's own use. No file of a repository can replace it."""
    found = find(name, PACKAGED, PACKAGED)
    return load(found.path, found.path.name, *found.within).workflow


def packaged_schema() -> str:
    return (PACKAGED / SCHEMA_FILE).read_text(encoding="utf-8")


def _folder(user: Path) -> Path:
    return user / "workflows"


def _shown(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
