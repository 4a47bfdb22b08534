"""The OpenAPI description: the routes, and the documents from the same records as --json and its schemas."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from shiftwork.app.views.documents.catalogue import DOCUMENTS
from shiftwork.app.views.documents.document_schema import schema

_OWN = frozenset({"$schema", "$id", "$defs"})


def described(app: FastAPI) -> dict[str, Any]:
    """The description, made once."""
    if app.openapi_schema is None:
        found = get_openapi(title=app.title, version="1", routes=app.routes, description=_TEXT)
        parts = found.setdefault("components", {})
        parts["schemas"] = parts.get("schemas", {}) | documents()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
        app.openapi_schema = found
    return app.openapi_schema


_TEXT = "What a project's runs are doing, as it happens, and what people ask of them."


def documents() -> dict[str, Any]:
    """All kinds of documents and their parts, as schemas that refer to each other."""
    found: dict[str, Any] = {}
    for kind in DOCUMENTS:
        whole = schema(kind)
        found |= {name: _lifted(part) for name, part in whole.get("$defs", {}).items()}
        found[kind] = _lifted({name: value for name, value in whole.items() if name not in _OWN})
    return found


def _lifted(part: Any) -> Any:
    """With references to the components of a description instead of those within a schema."""
    if isinstance(part, dict):
        return {name: _reference(value) if name == "$ref" else _lifted(value) for name, value in part.items()}
    return [_lifted(each) for each in part] if isinstance(part, list) else part


def _reference(value: Any) -> Any:
    return str(value).replace("#/$defs/", "#/components/schemas/")
