"""A pytest plugin for tests that run real agents: the pinned programs, and a scripted model for them.

A test module that needs them sets `pytest_plugins = ["shiftwork.testing.agent_programs"]`.
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
    return _pinned("claude", pytestconfig)


@pytest.fixture(scope="session")
def codex_program(pytestconfig: pytest.Config) -> Path:
    """Codex's native binary, pinned in the same way."""
    return _pinned("codex", pytestconfig)


@pytest.fixture(scope="session")
def acp_program(pytestconfig: pytest.Config) -> Path:
    """An agent that supports the Agent Client Protocol: Codex behind its own adapter."""
    return _pinned("codex-acp", pytestconfig)


@pytest.fixture
def scripted_model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def _pinned(name: str, config: pytest.Config) -> Path:
    script = config.rootpath / "scripts" / "agents.py"
    done = subprocess.run([sys.executable, script, name], stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own script
    return Path(done.stdout.strip())
