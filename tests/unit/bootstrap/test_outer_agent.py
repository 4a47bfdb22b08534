"""The session of an agent is recognised by the variables that agents set, and by the marks of Shiftwork's programs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from shiftwork.adapters.processes.host.host import MARKER_VARIABLE, is_tag, tag_for
from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.bootstrap.outer_agent import agent_session_sign

LOOK = "from shiftwork.bootstrap.outer_agent import agent_session_sign; print(agent_session_sign({}))"


@pytest.mark.parametrize(
    "name", [MARKER_VARIABLE, "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "AI_AGENT", "CODEX_THREAD_ID"]
)
def test_each_variable_that_an_agent_sets_is_a_sign(name: str) -> None:
    assert agent_session_sign({name: "1"}) == f"{name} is set"


@pytest.mark.skipif(bool(agent_session_sign({})), reason="these tests run in an attempt themselves")
def test_an_empty_variable_is_no_sign_and_neither_is_the_users_own() -> None:
    assert not agent_session_sign(
        {"CLAUDECODE": "", "CODEX_HOME": "/x", "CLAUDE_CONFIG_DIR": "/y", "SHIFTWORK_TRUST": "1"}
    )


def test_a_child_that_has_cleared_its_environment_is_recognised_by_its_parent(tmp_path: Path) -> None:
    script = tmp_path / "look.py"
    script.write_text(LOOK, encoding="utf-8")
    cleared = f"import subprocess, sys; subprocess.run([sys.executable, {str(script)!r}], env={{}}, check=True)"
    env = {**os.environ, MARKER_VARIABLE: "run/US-001/step-001/1"}  # noqa: TID251 - a test's own
    shown = subprocess.run([sys.executable, "-c", cleared], env=env, capture_output=True, text=True, check=True)
    assert shown.stdout == "an attempt or a gate of a run has started it\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has the tag")
def test_a_daemon_without_parent_and_environment_is_recognised_by_its_tag() -> None:
    with this_host().tagging(tag_for("run/US-001/step-001/1")):
        shown = subprocess.run([sys.executable, "-c", LOOK], env={}, capture_output=True, text=True, check=True)
    assert shown.stdout == "an attempt or a gate of a run has started it\n"
    assert not is_tag(2**64 - 1)
    assert not is_tag(1024)
