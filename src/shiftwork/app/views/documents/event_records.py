"""The events of a stream: a line for each. All have a time, the run, the story, the step, the attempt and a kind."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from shiftwork.app.views.documents.document import Document, Time
from shiftwork.app.views.documents.gate_records import (
    GateCommand,
    GateOutcome,
    SettingChange,
    StartOrder,
    UnusedField,
)
from shiftwork.ports.agent import EventKind
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Document):
    """What every event has. `run`, `story`, `step` and `attempt` are null if the event does not concern one."""

    SCHEMA: ClassVar[str] = "event"

    time: Time
    run: str | None = None
    story: str | None = None
    step: str | None = None
    attempt: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEvent(Event):
    """A change of a run, a story or a step. `until` is when a wait ends; `proof_text` says how far work is proved."""

    kind: str
    type: str
    name: str
    text: str
    until: Time | None
    proof_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport(Event):
    """Something that an agent reports while it works."""

    kind: Literal["agent"] = "agent"
    action: EventKind
    tool: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateEvent(Event):
    """A gate has started on the work of a story."""

    kind: Literal["gate"] = "gate"
    gate: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent(Event):
    """An entry of the log of an attempt. Logs have no times: `time` is when the entry was read."""

    kind: Literal["log"] = "log"
    who: str
    tool: str
    text: str


# Before the work starts ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecEvent(Event):
    """The spec was read: the gates that it names itself, and its fields that are not used."""

    kind: Literal["spec"] = "spec"
    file: str
    gates: Sequence[GateCommand]
    unused: Sequence[UnusedField]


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxEvent(Event):
    """There is no sandbox (`sandbox`), or agents keep this machine's network (`network`)."""

    kind: Literal["sandbox", "network"]
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchEvent(Event):
    """The branch to land on does not exist yet: it is created from `base`."""

    kind: Literal["branch"] = "branch"
    branch: str
    base: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsEvent(Event):
    """How many sessions the work takes at least: `each` for a story, `around` before and after, and `more` for a story
    that is rated so.
    """

    kind: Literal["sessions"] = "sessions"
    workflow: str
    at_least: int
    story_count: int
    each: int
    around: int
    more: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderEvent(Event):
    """The order in which stories start."""

    kind: Literal["order"] = "order"
    order: StartOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class UncommittedEvent(Event):
    """Files that agents do not see, because they are not committed."""

    kind: Literal["uncommitted"] = "uncommitted"
    files: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallLimitEvent(Event):
    """A limit in US dollars is less than one attempt may need, which may pass it."""

    kind: Literal["small_limit"] = "small_limit"
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionEvent(Event):
    """The command of a criterion starts a program, or runs in a folder, that is not there before the work."""

    kind: Literal["criterion"] = "criterion"
    gate: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MayChangeEvent(Event):
    """The protected files that stories may change."""

    kind: Literal["may_change"] = "may_change"
    may_change: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupEvent(Event):
    """The setup command that was found in the project."""

    kind: Literal["setup"] = "setup"
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RedBranchEvent(Event):
    """Gates are red on the branch as it is: what they need, and the commands to choose from."""

    kind: Literal["base"] = "base"
    branch: str
    passed: bool
    gate_results: Sequence[GateOutcome]
    needs: Sequence[str]
    choices: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsEvent(Event):
    """Settings differ from those that the run started with."""

    kind: Literal["settings_changed"] = "settings_changed"
    settings: Sequence[SettingChange]


EVENTS = (
    ChangeEvent,
    AgentReport,
    GateEvent,
    LogEvent,
    SpecEvent,
    SandboxEvent,
    BranchEvent,
    SessionsEvent,
    OrderEvent,
    UncommittedEvent,
    SmallLimitEvent,
    CriterionEvent,
    MayChangeEvent,
    SetupEvent,
    RedBranchEvent,
    SettingsEvent,
)
