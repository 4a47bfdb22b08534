"""Every fault of the matrix with every agent; `just faults` prints the same as a table."""

from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelServer
from tests.faults.documentation import DOCUMENT, document
from tests.faults.every import FAULTS
from tests.faults.matrix import PAINS, Fault, played
from tests.faults.stage import PROGRAMS, Stage

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = [pytest.mark.real_agent, pytest.mark.slow]


@pytest.mark.parametrize("agent", PROGRAMS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.row:02d} {fault.name}")
def test_a_fault_ends_as_declared(
    fault: Fault, agent: str, tmp_path: Path, scripted_model: ModelServer, request: pytest.FixtureRequest
) -> None:
    program = request.getfixturevalue(f"{PROGRAMS[agent]}_program")
    played(fault, Stage(root=tmp_path, program=program, server=scripted_model, agent=agent))


def test_no_row_of_the_list_is_missing() -> None:
    assert {fault.row for fault in FAULTS} == set(PAINS)


def test_the_documentation_reports_every_fault() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "run python -m tests.faults.documentation"
