"""A pytest plugin for tests that drive real agents: the pinned programs, and a scripted model to drive them with.

A test module that needs them says `pytest_plugins = ["shiftwork.testing.agent_programs"]`.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shiftwork.testing.model_server import ModelServer


@pytest.fixture(scope="session")
def claude_program(pytestconfig: pytest.Config) -> Path:
    """Claude Code at the version that `agents/package.json` pins; installed on first use."""
    script = pytestconfig.rootpath / "scripts" / "agents.py"
    done = subprocess.run([sys.executable, script, "claude"], stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own script
    return Path(done.stdout.strip())


@pytest.fixture
def scripted_model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server
