"""Workflows and JSON Schemas as documents."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from shiftwork.app.views.documents.commands.plan_documents import FieldNote
from shiftwork.app.views.documents.document import Document
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowLine:
    """A workflow in the list; `hidden`: another one of its name is used; `default`: a run uses it."""

    name: str
    origin: str
    path: str
    hidden: bool
    default: bool
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflows(Document):
    """All workflows; the first of a name is used."""

    SCHEMA: ClassVar[str] = "workflows"

    workflows: Sequence[WorkflowLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowDefinition(Document):
    """A workflow. `definition` is its [file](workflow.md) with every short form expanded."""

    SCHEMA: ClassVar[str] = "workflow"

    workflow: str
    origin: str
    path: str
    definition: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowCheck(Document):
    """A workflow without mistakes, and its fields that have no effect. With mistakes, the document is an error."""

    SCHEMA: ClassVar[str] = "workflow-check"

    workflow: str
    path: str
    valid: bool
    field_notes: Sequence[FieldNote]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowRoute:
    """Where a decision leads: `back` to an earlier step, forward `to` a step, or to added steps."""

    value: str
    to: str
    back: bool
    adds: Sequence[str]
    rounds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowNode:
    """A step; `body` are the steps of a loop."""

    name: str
    kind: str
    agent: str
    routes: Sequence[WorkflowRoute]
    body: Sequence["WorkflowNode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowGraph(Document):
    """The steps and routes of a workflow; `file` is the SVG that was written, if any."""

    SCHEMA: ClassVar[str] = "workflow-graph"

    workflow: str
    file: str
    steps: Sequence[WorkflowNode]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowFile(Document):
    """A new workflow file, and the schema for editors beside it."""

    SCHEMA: ClassVar[str] = "workflow-file"

    file: str
    schema_file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchema(Document):
    """A JSON Schema: of workflow files, or of a kind of document."""

    SCHEMA: ClassVar[str] = "json-schema"

    name: str
    json_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaLine:
    """A kind of document, and the commands that print it."""

    name: str
    printed_by: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schemas(Document):
    """All kinds of documents."""

    SCHEMA: ClassVar[str] = "schemas"

    documents: Sequence[SchemaLine]
