"""All kinds of documents, and the records that each of them may be."""

from collections.abc import Mapping
from typing import Final

from shiftwork.app.views.documents import api_records as api
from shiftwork.app.views.documents import attempt_documents as attempts
from shiftwork.app.views.documents import event_records as events
from shiftwork.app.views.documents import run_records as runs
from shiftwork.app.views.documents.commands import config_documents as config
from shiftwork.app.views.documents.commands import plan_documents as plans
from shiftwork.app.views.documents.commands import request_documents as requests
from shiftwork.app.views.documents.commands import result_documents as results
from shiftwork.app.views.documents.commands import server_documents as server
from shiftwork.app.views.documents.commands import setup_documents as setup
from shiftwork.app.views.documents.commands import workflow_documents as workflows
from shiftwork.app.views.documents.document import Document
from shiftwork.app.views.documents.error_document import Error
from shiftwork.app.views.documents.served.activity_document import ActivityPart
from shiftwork.app.views.documents.served.landing_document import LandingQueue
from shiftwork.app.views.documents.served.needs_you_document import NeedsYou
from shiftwork.app.views.documents.served.project_records import AgentRecords, Costs
from shiftwork.app.views.documents.served.proof_document import ProofOfStory
from shiftwork.app.views.documents.served.timeline_document import Timeline

_RECORDS: Final[tuple[type[Document], ...]] = (
    runs.Run,
    runs.Runs,
    runs.Story,
    runs.Stories,
    runs.StoriesOfRuns,
    attempts.Steps,
    attempts.Attempts,
    *events.EVENTS,
    server.ServerEvent,
    server.HostedEvent,
    runs.Result,
    runs.EmptyResult,
    server.Detached,
    Error,
    attempts.Log,
    attempts.GateLog,
    results.Diff,
    results.Proof,
    results.ProofCheck,
    results.Report,
    results.Notes,
    requests.Receipt,
    requests.Reply,
    requests.StepEdit,
    requests.Undo,
    runs.Cancellation,
    plans.Plan,
    plans.DryRun,
    plans.Import,
    setup.Init,
    setup.InitSpec,
    setup.Doctor,
    config.Settings,
    config.Setting,
    config.SettingMeaning,
    config.SettingSet,
    config.SettingUnset,
    config.SettingsCheck,
    setup.Trust,
    setup.GateTrust,
    results.OwedGates,
    setup.Agents,
    setup.Channels,
    setup.Completion,
    setup.Help,
    setup.Uninstall,
    setup.Adoption,
    server.ServerStatus,
    server.ServerStop,
    server.BoardLink,
    server.McpServer,
    setup.Export,
    setup.Cleaning,
    workflows.Workflows,
    workflows.WorkflowDefinition,
    workflows.WorkflowCheck,
    workflows.WorkflowGraph,
    workflows.WorkflowFile,
    workflows.JsonSchema,
    workflows.Schemas,
    *api.RECORDS,
    ProofOfStory,
    ActivityPart,
    Timeline,
    AgentRecords,
    Costs,
    LandingQueue,
    NeedsYou,
)

DOCUMENTS: Final[Mapping[str, tuple[type[Document], ...]]] = {
    kind: tuple(record for record in _RECORDS if kind == record.SCHEMA)
    for kind in dict.fromkeys(record.SCHEMA for record in _RECORDS)
}
