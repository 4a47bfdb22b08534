"""What the commands that set up and maintain a project print, as documents."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from shiftwork.app.views.documents.commands.plan_documents import SourcedGate
from shiftwork.app.views.documents.document import Document
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorCheck:
    """A check: `ok`, `warn` or `fail`, and what to type if it is not ok. `values` are details of some checks."""

    name: str
    result: str
    detail: str
    hint: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor(Document):
    """Whether everything that a run needs is available."""

    SCHEMA: ClassVar[str] = "doctor"

    ok: bool
    checks: Sequence[DoctorCheck]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedGate(SourcedGate):
    """A gate that was found, and how it ended on the last commit; null if it did not run. `reason` is why it is red."""

    kind: str
    passed: bool | None
    duration_seconds: float | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Init(Document):
    """The settings file with the gates that were found. `checked_on` is the branch on which they were tried, or
    `not_checked` says why they were not.
    """

    SCHEMA: ClassVar[str] = "init"

    file: str
    written: bool
    gates: Sequence[TriedGate]
    setup: str
    setup_reason: str
    setup_seconds: float | None
    checked_on: str
    not_checked: str
    needs: Sequence[str]
    choices: Sequence[str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InitSpec(Document):
    """A spec to fill in."""

    SCHEMA: ClassVar[str] = "init"

    file: str
    written: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedCommand:
    """Something that a file runs, calls or gives away; or, if it does not `execute` anything, a guard or a limit."""

    where: str
    text: str
    execute: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustClaim:
    """A file, what it runs, and whether you have agreed to that. `files` match the patterns of a list of files."""

    file: str
    sha256: str
    trusted: bool
    commands: Sequence[TrustedCommand]
    files: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust(Document):
    """What you have been asked to trust, and the git settings of the repository."""

    SCHEMA: ClassVar[str] = "trust"

    claims: Sequence[TrustClaim]
    git: TrustClaim


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTrust(Document):
    """How much of the machine a gate may use."""

    SCHEMA: ClassVar[str] = "gate-trust"

    gate: str
    command: str
    access: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLine:
    """A profile: the agent that it uses, and whether its program is installed."""

    name: str
    use: str
    model: str | None
    installed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileScore:
    """The record of a profile in a role; `low` and `high` bound the verified stories per dollar, or per story."""

    agent: str
    tries: int
    ended: int
    verified: int
    cost_usd: float | None
    unpriced: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleChoice:
    """Which profile would be chosen for a role next, and why; `priced`: by cost."""

    role: str
    chosen: str
    why: str
    priced: bool
    scores: Sequence[ProfileScore]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents(Document):
    """The profiles of the settings; `choose` is how one is chosen."""

    SCHEMA: ClassVar[str] = "agents"

    choose: str
    agents: Sequence[AgentLine]
    roles: Sequence[RoleChoice]


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A channel for notices; `error` says why it rejected the test."""

    name: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Channels(Document):
    """Which channels receive notices, and on which occasions."""

    SCHEMA: ClassVar[str] = "channels"

    occasions: Sequence[str]
    tested: bool
    channels: Sequence[Channel]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion(Document):
    """The script that completes commands in a shell, and the line that installs it."""

    SCHEMA: ClassVar[str] = "completion"

    shell: str
    install: str
    script: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command as help lists it."""

    command: str
    purpose: str
    summary: str
    first_day: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Help(Document):
    """All commands, by what one wants to do."""

    SCHEMA: ClassVar[str] = "help"

    all_commands: Sequence[CommandLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenEntry:
    """Something that was written on this machine."""

    location: str
    purpose: str
    bytes: int
    repository: str
    stays: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Uninstall(Document):
    """Everything that was written on this machine, as it was before it was removed."""

    SCHEMA: ClassVar[str] = "uninstall"

    is_removed: bool
    everything: Sequence[WrittenEntry]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption(Document):
    """State that was taken over; `same` is false if the original project still exists and keeps its runs."""

    SCHEMA: ClassVar[str] = "adoption"

    folder: str
    project: str
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Export(Document):
    """A run in the form of workflow_state.json; null if it was written to `file`."""

    SCHEMA: ClassVar[str] = "export"

    run: str
    file: str | None
    workflow_state: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Freed:
    """What was removed, and how many bytes that frees."""

    workspaces: int
    attempt_folders: int
    refs: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanedRun:
    """A cleaned run: `saved` are bundles of work that had not landed."""

    run: str
    freed: Freed
    saved: Sequence[str]
    ended_processes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SparedRun:
    """A run that was left alone, and why."""

    run: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRun:
    """A run that has left the database, and the file that has its facts now."""

    run: str
    file: str
    facts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneRepositoryLine:
    """A repository that is no longer there; `folder` is where it was."""

    folder: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning(Document):
    """What was cleaned up, or would be with `dry_run`; `leases` are the resources of ended workers."""

    SCHEMA: ClassVar[str] = "cleaning"

    dry_run: bool
    freed: Freed
    cleaned: Sequence[CleanedRun]
    spared: Sequence[SparedRun]
    archived_runs: Sequence[ArchivedRun]
    not_archived: Sequence[SparedRun]
    leases: Sequence[str]
    gone_repositories: Sequence[GoneRepositoryLine]
    kept_for_next_run: Freed
