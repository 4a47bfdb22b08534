"""The records that only the HTTP API has: what a request leads to, who asks, parts of logs, and marks in the events."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from shiftwork.app.views.documents.commands.plan_documents import Plan
from shiftwork.app.views.documents.document import Document, Time
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedMark(Document):
    """`ready`: the events after this one follow. `reset`: events between the last one that the client knows and this
    one are left out, so the client must read the state again.
    """

    SCHEMA: ClassVar[str] = "feed"

    kind: Literal["ready", "reset"]
    event_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted(Document):
    """A request is recorded. The process that works on the run performs it; if there is none, the server starts one."""

    SCHEMA: ClassVar[str] = "accepted"

    run: str
    story: str | None
    asked: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart(Document):
    """A run that is being started or planned. When it is `over`, `run` is the run that was started, if any, or `plan`
    is what would be done.
    """

    SCHEMA: ClassVar[str] = "start"

    start: str
    over: bool
    run: str | None
    stop: str
    plan: Plan | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """Some bytes of a file of an attempt."""

    run: str
    story: str
    step: str
    attempt: int
    offset: int
    next_offset: int
    size: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart(FilePart, Document):
    """Some bytes of the log of an attempt. The next part begins at `next_offset`; the log has `size` bytes so far."""

    SCHEMA: ClassVar[str] = "log-part"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptPart(FilePart, Document):
    """Some bytes of the prompt of an attempt, as it was sent. The next part begins at `next_offset`."""

    SCHEMA: ClassVar[str] = "prompt-part"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiSession(Document):
    """Who asks, and which project answers. `csrf` must be sent with every change of the session; only the answer to the
    login has it.
    """

    SCHEMA: ClassVar[str] = "session"

    token_id: str
    name: str
    role: str
    project_name: str
    csrf: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFields:
    """A token without its word."""

    token_id: str
    name: str
    role: str
    created_at: Time


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiTokens(Document):
    """All tokens of the project, oldest first."""

    SCHEMA: ClassVar[str] = "tokens"

    all_tokens: Sequence[TokenFields]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToken(TokenFields, Document):
    """A token that was just created, with its word, which cannot be shown again."""

    SCHEMA: ClassVar[str] = "token"

    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedToken(TokenFields, Document):
    """A token that was just revoked."""

    SCHEMA: ClassVar[str] = "token-revoked"


RECORDS = (FeedMark, Accepted, RunStart, LogPart, PromptPart, ApiSession, ApiTokens, NewToken, RevokedToken)
