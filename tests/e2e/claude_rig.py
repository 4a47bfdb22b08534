"""A repository in which the installed command hands work to a real agent with a scripted model."""

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn
from tests import warm
from tests.patience import SECONDS, STATUS_EVERY, eventually
from tests.repositories import first_commit
from tests.tier import TIER, TIER_VARIABLE

SETTINGS = """\
[agent]
use = "{agent}"
program = "{program}"
tools = {tools}
silence_minutes = {silence}

[run]
workflow = "{workflow}"

[gates]
test = "git rev-parse HEAD^{{tree}} >> {proved}; {gate}"
"""

SHARED = """
[sandbox.agents]
writable = ["{shared}"]

[sandbox.gates]
writable = ["{shared}"]
"""
"""What lets programs in a sandbox write where the test looks."""

type Play = Callable[[str, ModelRequest], Turn | None]
"""What the model says in a step of a type; None for the ordinary answer."""

_STEP = re.compile(r"^- Step: (?P<id>\S+) \((?P<type>\w+)\), attempt (?P<attempt>\d+)$", re.MULTILINE)


def step_of(request: ModelRequest) -> tuple[str, str]:
    """The id and the type of the step that a request belongs to, from its prompt."""
    found = _STEP.search(request.prompt)
    assert found, request.prompt[:500]
    return found["id"], found["type"]


def step_type(prompt: str) -> str:
    found = _STEP.search(prompt)
    assert found, prompt[:500]
    return found["type"]


def summary(text: str) -> Say:
    return Say(text=f"Here is what I did.\n\nSUMMARY:\n{text}\n")


@dataclass(frozen=True, kw_only=True)
class Handover:
    """A repository, and the model behind the agent that works on it."""

    root: Path
    program: Path
    server: ModelServer
    agent: str = "claude-code"
    tier: str = TIER

    @property
    def repo(self) -> Path:
        return self.root / "repo"

    @property
    def shared(self) -> Path:
        """A folder outside of the repository that agents and gates may write to, also in a sandbox."""
        return self.root / "shared"

    def sharing(self) -> str:
        """Make that folder; the settings that show it."""
        self.shared.mkdir()
        return SHARED.format(shared=self.shared)

    def prepare(
        self,
        *,
        gate: str = "test ! -e greeting.txt || test -s greeting.txt",
        tools: bool = True,
        silence: float = 5,
        workflow: str = "dynamic",
    ) -> None:
        self.repo.mkdir()
        text = SETTINGS.format(
            agent=self.agent,
            program=self.program,
            tools=str(tools).lower(),
            silence=silence,
            workflow=workflow,
            proved=self.shared / "proved",
            gate=gate,
        )
        (self.repo / "shiftwork.toml").write_text(text + self.sharing())
        first_commit(self.git)

    def play(self, play: Play) -> None:
        def answer(request: ModelRequest) -> Turn:
            _, kind = step_of(request)
            return play(kind, request) or summary(f"{kind} is done")

        self.server.load("model", answer)

    def shiftwork(self, *args: str, timeout: float = SECONDS) -> subprocess.CompletedProcess[str]:
        return warm.run(args, cwd=self.repo, env=self.environment(), timeout=timeout)

    @contextlib.contextmanager
    def started(self, *args: str) -> Iterator[warm.Started]:
        """The command in progress; it is ended on exit."""
        with (self.root / "output").open("a") as output:
            ends = {"out": output.fileno(), "err": output.fileno()}
            process = warm.start(args, cwd=self.repo, env=self.environment(), **ends)
        try:
            yield process
        finally:
            process.kill()

    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],  # noqa: TID251 - a test's own
            "SHIFTWORK_CACHE_HOME": os.environ["SHIFTWORK_CACHE_HOME"],  # noqa: TID251 - as above
            "SHIFTWORK_STATE_HOME": os.environ["SHIFTWORK_STATE_HOME"],  # noqa: TID251 - as above
            "HOME": str(self.root),
            "SHIFTWORK_TRUST": "1",
            TIER_VARIABLE: self.tier,
            "ANTHROPIC_BASE_URL": self.server.url("model"),
            "ANTHROPIC_API_KEY": "sk-ant-scripted",
            "CLAUDE_CODE_MAX_RETRIES": "1",
            "OPENAI_BASE_URL": f"{self.server.url('model')}/v1",
            "CODEX_API_KEY": "sk-scripted",
        }

    def git(self, *args: str) -> str:
        ran = subprocess.run(("git", *args), cwd=self.repo, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def log(self) -> list[str]:
        return self.git("log", "--format=%s", "main").splitlines()

    def proved(self) -> list[str]:
        """The trees on which the gate was run, in order."""
        file = self.shared / "proved"
        return file.read_text().split() if file.exists() else []

    def status(self) -> dict[str, Any]:
        view: dict[str, Any] = json.loads(self.shiftwork("status", "--json").stdout)
        return view

    def wait_until(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        """Waits until the stories in the output of `status` satisfy the predicate."""
        eventually(
            lambda: holds({item["story"]: item for item in self.status().get("stories", ())}), every=STATUS_EVERY
        )

    def prompts(self) -> dict[str, str]:
        """The prompt of each step's last attempt, by step id."""
        return {
            step_of(request)[0]: request.prompt for request in self.server.requests("model") if not request.auxiliary
        }

    def asked(self) -> list[str]:
        """The prompt of every attempt, in the order of their beginnings."""
        return [
            request.prompt for request in self.server.requests("model") if not request.auxiliary and request.turn == 0
        ]

    def attempts(self, story: str) -> list[tuple[str, int]]:
        """A story's attempts from the history, in the order they began: the step's name and the attempt's number."""
        message = json.loads(self.shiftwork("export").stdout)["stories"][story]
        item = next(entry for entry in self.status()["stories"] if entry["story"] == story)
        names = {step["step"]: step["name"] for step in item["steps"]}
        begun = [entry for entry in message["history"] if entry["action"] == "step_started"]
        return [(names[entry["step_id"]], entry["details"]["attempt"]) for entry in begun]
