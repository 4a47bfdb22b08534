"""Plans, prompts and imported files as documents."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from shiftwork.app.views.documents.document import Document, Json
from shiftwork.app.views.documents.gate_records import GateCommand, StartOrder, UnusedField
from shiftwork.domain.core.plain import to_plain
from shiftwork.domain.spec import spec
from shiftwork.planning.preview import Preview
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCriterion:
    """An acceptance criterion."""

    criterion: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStory:
    """A story of a plan; [how to write a spec](../howto/write-a-spec.md) explains the fields."""

    story: str
    title: str
    description: str
    criteria: Sequence[PlannedCriterion]
    depends_on: Sequence[str]
    priority: int
    may_be_empty: bool
    complexity: int
    touches: Sequence[str]
    verification: Sequence[Mapping[str, Any]]
    planned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CostBand:
    """What the work may cost, from `known_stories` earlier stories."""

    low_usd: float
    high_usd: float
    known_stories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRemark:
    """A warning about a story; `criterion` is the criterion that it concerns, if any."""

    story: str
    kind: str
    text: str
    criterion: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFields:
    """The stories of a piece of work. `waves` are stories that can run at the same time, one wave after the other;
    `critical_path` is the longest chain of dependencies.
    """

    title: str
    ordered: bool
    stories: Sequence[PlannedStory]
    waves: Sequence[Sequence[str]]
    critical_path: Sequence[str]
    cost_band: CostBand | None
    remarks: Sequence[PlanRemark]
    may_change: Mapping[str, Sequence[str]]
    gates: Sequence[GateCommand]
    unused: Sequence[UnusedField]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(PlanFields, Document):
    """A plan: its open stories. `done_count` stories are done already; `file` is where the plan was written to."""

    SCHEMA: ClassVar[str] = "plan"

    done_count: int
    file: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The first step of a story, and its prompt; empty if Shiftwork or a person does the step."""

    story: str
    step_name: str
    kind: str
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun(Document):
    """What a run would send first."""

    SCHEMA: ClassVar[str] = "dry-run"

    prompts: Sequence[Prompt]
    order: StartOrder
    unused: Sequence[UnusedField]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSpec(PlanFields):
    """A spec, and `target`, by which a run finds it. `done` are the stories that it marks as done."""

    file: str
    format: str
    target: str
    branch: str
    done: Sequence[str]
    carried_notes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldNote:
    """A field of a workflow that has no effect here."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedWorkflow:
    """A workflow, and `target`, its name for `run --workflow`."""

    workflow: str
    file: str
    target: str
    step_names: Sequence[str]
    field_notes: Sequence[FieldNote]


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedGate(GateCommand):
    """A gate, and the file that it is from."""

    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Document):
    """The files of other tools, what they mean here, the files that were written, and the commands to type next."""

    SCHEMA: ClassVar[str] = "import"

    specs: Sequence[ImportedSpec]
    workflows: Sequence[ImportedWorkflow]
    gates: Sequence[SourcedGate]
    written_files: Sequence[str]
    next: Sequence[str]


def plan_values(shown: Preview, unused: Sequence[UnusedField]) -> Json:
    """The fields of a plan, or of an imported spec."""
    band = shown.band
    return {
        "title": shown.spec.title,
        "ordered": shown.ordered,
        "stories": [_story(story) for story in shown.spec.stories],
        "waves": shown.waves,
        "critical_path": shown.critical,
        "cost_band": CostBand(low_usd=band.low_usd, high_usd=band.high_usd, known_stories=band.known) if band else None,
        "remarks": [
            PlanRemark(story=remark.story, kind=remark.kind, text=remark.text, criterion=remark.criterion)
            for remark in shown.remarks
        ],
        "may_change": shown.opened,
        "gates": [GateCommand(name=gate.name, command=gate.command) for gate in shown.spec.gates],
        "unused": unused,
    }


def _story(story: spec.Story) -> PlannedStory:
    return PlannedStory(
        story=story.id,
        title=story.title,
        description=story.description,
        criteria=[PlannedCriterion(criterion=item.id, text=item.text) for item in story.criteria],
        depends_on=story.depends_on,
        priority=story.priority,
        may_be_empty=story.may_be_empty,
        complexity=story.complexity,
        touches=story.touches,
        verification=[to_plain(step) for step in story.verification],
        planned=story.planned,
    )
