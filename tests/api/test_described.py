"""Every route keeps what its description says, for requests that fit it and for requests that do not."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from shiftwork.config.access.tokens import Role
from shiftwork.entrypoints.api.access.request_guard import PREFIX
from shiftwork.entrypoints.api.application import routes
from tests.api.api_rig import Stage, served

CHECKS = [
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = 6
SLOW = {"POST /api/v1/runs", "POST /api/v1/runs/{run}/limits"}
"""Each request starts a command."""


def operations() -> Iterator[Any]:
    """All but the stream of events, which does not end."""
    schema = schemathesis.openapi.from_dict(routes().openapi())
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        if not found.ok().path.endswith("/events"):
            yield found.ok()


@pytest.fixture(scope="module")
def address(asking: Stage) -> Iterator[str]:
    """Nobody has trusted its settings, so no request starts a run."""
    (asking.site.root / "shiftwork.toml").write_text('[gates]\ntest = "true"\n')
    with served(asking) as url:
        yield url.removesuffix(PREFIX)


@pytest.mark.parametrize("operation", list(operations()), ids=lambda operation: operation.label)
@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
def test_an_answer_is_as_described(address: str, asking: Stage, operation: Any, mode: Any) -> None:
    known = {"run": "r1", "story": "US-001", "step": "step-001"}

    @given(case=operation.as_strategy(generation_mode=mode), right=st.booleans())
    @settings(
        max_examples=1 if operation.label in SLOW else EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def check(case: Any, *, right: bool) -> None:
        if right:  # otherwise nearly no request gets beyond an unknown run
            case.path_parameters = {
                **case.path_parameters,
                **{name: value for name, value in known.items() if name in case.path_parameters},
            }
        case.headers = {**(case.headers or {}), **asking.bearer(Role.ADMIN)}
        response = case.call(base_url=address)
        case.validate_response(response, checks=CHECKS)

    check()


def test_the_description_can_be_written_without_a_server(tmp_path: Path) -> None:
    script, file = Path(__file__).parents[2] / "scripts/openapi.py", tmp_path / "openapi.json"
    subprocess.run([sys.executable, str(script), str(file)], check=True, cwd=tmp_path)
    assert json.loads(file.read_text()) == routes().openapi()
