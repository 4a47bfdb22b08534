"""The real Claude Code at a rate limit that its service reports: the run waits until it ends."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shiftwork.testing.model_server import Fail, ModelRequest, ModelServer, Turn, call
from tests.e2e.claude_rig import Handover
from tests.patience import SECONDS

pytest_plugins = ["shiftwork.testing.agent_programs"]
pytestmark = pytest.mark.real_agent

REQUEST = "Write a greeting into greeting.txt"
LIMITED_SECONDS = 60
"""Enough time to see that the run waits, and to stop it before it continues."""


class LoggedIn(Handover):
    """With a subscription instead of a key: only then does Claude Code report when a limit ends."""

    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in super().environment().items() if name != "ANTHROPIC_API_KEY"}
        return {**kept, "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-scripted"}


@pytest.fixture
def handover(tmp_path: Path, claude_program: Path, scripted_model: ModelServer) -> Handover:
    return LoggedIn(root=tmp_path, program=claude_program, server=scripted_model)


def limited_once(seconds: float) -> Callable[[str, ModelRequest], Turn | None]:
    """The first request of the coding step is refused until so many seconds later; then the work is done."""
    ends: list[int] = []

    def play(kind: str, request: ModelRequest) -> Turn | None:
        if kind != "coding":
            return None
        if not ends:
            ends.append(int(time.time() + seconds))  # noqa: TID251 - a server's own clock
            values = {"status": "rejected", "reset": str(ends[0]), "representative-claim": "five_hour"}
            headers = {f"anthropic-ratelimit-unified-{name}": value for name, value in values.items()}
            return Fail(status=429, headers={**headers, "retry-after": "3600"})
        return call("Write", file_path="greeting.txt", content="hello\n") if request.turn == 0 else None

    return play


def waits(stories: dict[str, Any]) -> bool:
    return bool(stories) and stories["US-001"]["until"] is not None


def coding(handover: Handover) -> dict[str, Any]:
    steps = handover.status()["stories"][0]["steps"]
    return next(step for step in steps if step["type"] == "coding")


def test_a_run_waits_for_the_reset_without_asking_and_outlives_its_process(handover: Handover) -> None:
    handover.prepare()
    handover.play(limited_once(LIMITED_SECONDS))
    # With a limit in money as well: what was refused has cost nothing, and the next attempt may cost something.
    with handover.started("run", REQUEST, "--workflow", "ralph", "--max-cost", "20") as first:
        handover.wait_until(waits)
        first.send_signal(signal.SIGSTOP)  # nothing continues during the checks
        document = handover.status()
        assert (document["activity"], document["stories"][0]["activity"]) == ("limited", "waiting")
        assert "continues at " in handover.shiftwork("status").stdout
        asked = len(handover.server.requests("model"))
        first.kill()
        first.wait(timeout=SECONDS)
    until = handover.status()["stories"][0]["until"]
    resumed = handover.shiftwork("resume")
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert handover.log() == [f"feat: {REQUEST}", "start"]
    step = coding(handover)
    assert (step["attempts"], step["restarts"]) == (2, 0), "one attempt was refused, and the next did the work"
    assert step["started_at"] >= until, "no request was sent before the limit had ended"
    assert len(handover.server.requests("model")) > asked
    message = json.loads(handover.shiftwork("export").stdout)["stories"]["US-001"]["history"]
    troubles = [entry["details"]["trouble"] for entry in message if entry["action"] == "step_cancelled"]
    assert troubles == ["limited"]
