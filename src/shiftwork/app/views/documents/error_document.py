"""The document of an error: what failed and why, what to type next, and the exit code."""

from typing import ClassVar

from shiftwork.app.views.documents.document import Document
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Document):
    """`message` is what failed and why, `hint` is what to type or to do next, `kind` is the kind of error."""

    SCHEMA: ClassVar[str] = "error"

    kind: str
    message: str
    hint: str
    exit_code: int
