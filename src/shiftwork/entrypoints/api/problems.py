"""Errors as responses: a status and the same document that commands print with --json."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from shiftwork import errors
from shiftwork.app.views.documents.error_document import Error
from shiftwork.entrypoints.api.rendering import json_response
from shiftwork.redaction import redacted

_STATUS: Final[Mapping[type[errors.ShiftworkError], int]] = {
    errors.UnknownRunError: 404,
    errors.IntentError: 409,
    errors.SeveralRunsError: 409,
    errors.UnfinishedRunError: 409,
    errors.RunBusyError: 409,
    errors.TrustError: 409,
    errors.StateError: 503,
    errors.StoreError: 503,
    errors.UsageError: 422,
    errors.ShiftworkError: 409,
}
"""By the first class that fits. What is left says why a request cannot be fulfilled in the present state."""


_OF_KINDS: Final = {error.kind: status for error, status in _STATUS.items()}


def status_of(kind: str) -> int:
    """The status for an error that a command has printed."""
    return _OF_KINDS.get(kind, HTTPStatus.CONFLICT)


class Problem(HTTPException):
    """An answer that ends a request."""

    def __init__(
        self, status: int, kind: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
    ) -> None:
        unknown = {"www-authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else {}
        super().__init__(status, message, {**unknown, **(headers or {})})
        self.document = Error(kind=kind, message=redacted(message), hint=redacted(hint), exit_code=errors.EXIT_USAGE)

    def response(self) -> Response:
        return json_response(self.document, status=self.status_code, headers=self.headers)


def problem_of(error: errors.ShiftworkError) -> Problem:
    status = next(status for kind, status in _STATUS.items() if isinstance(error, kind))
    return Problem(status, error.kind, error.message, error.hint)


def problem_of_files(error: OSError) -> Problem:
    """A full disk, or too many open files; only the reason, because paths are nobody's business before a login."""
    reason = f"the state of the project cannot be read or written: {error.strerror or type(error).__name__}"
    return Problem(503, errors.StateError.kind, reason, "shiftwork doctor")


def internal_problem() -> Problem:
    """For an error that nobody expected: its details are in the log of the server."""
    return Problem(500, "internal", "the server has made an error", "see its log: shiftwork serve --status names it")
