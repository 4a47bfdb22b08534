"""Documents as responses: JSON as commands print it."""

import json
from collections.abc import Mapping

from starlette.responses import Response

from shiftwork.app.views.documents.document import Document, to_json

JSON = "application/json"


def json_text(document: Document) -> str:
    """ASCII only, on one line."""
    return json.dumps(to_json(document), separators=(",", ":"))


def json_response(document: Document, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(json_text(document), status_code=status, media_type=JSON, headers=dict(headers or {}))
