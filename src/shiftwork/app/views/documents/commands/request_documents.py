"""The receipts of what users ask of a run: whether it is done, or when it will be."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Literal

from shiftwork.app.views.documents.document import Document
from shiftwork.records import dataclass


class Delivery(StrEnum):
    """Whether a request is done, is done when the run continues, or had no effect."""

    DONE = "done"
    WAITING = "waiting"
    NEEDLESS = "needless"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Document):
    """A request to a run. If it is `waiting`, it is done when the run continues; `needless`: nothing had to be done.
    `status` is that of the story, if it was cancelled; `spec_file` is the file of the spec, if a story was changed.
    """

    SCHEMA: ClassVar[str] = "receipt"

    run: str
    story: str | None = None
    asked: str
    delivery: Delivery
    status: str = ""
    spec_file: str = ""
    spec_file_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenReply:
    """An answer to a story: what it had asked, and the commit and its base that were approved, if any."""

    story: str
    question: str
    commit: str = ""
    base: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Document):
    """An answer, an approval or a rejection (`said`). `skipped` are stories whose patch has changed since it was
    approved: they must be approved by name.
    """

    SCHEMA: ClassVar[str] = "reply"

    run: str
    said: str
    replies: Sequence[GivenReply]
    skipped: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEdit(Document):
    """A change to the steps of a story. If it is `waiting`, `awaits` says for what: `resume`, `start`, `worker`, or the
    id of the step that must end first.
    """

    SCHEMA: ClassVar[str] = "step-edit"

    run: str
    story: str
    edit: Mapping[str, Any]
    delivery: Delivery
    awaits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(Document):
    """The last line of `undo`: whether the story is undone, and which gates its revert passed; or why it is not."""

    SCHEMA: ClassVar[str] = "undo"

    kind: Literal["result"] = "result"
    run: str
    story: str
    undone: bool
    pending: bool
    reason: str
    passed_gates: str
    exit_code: int
