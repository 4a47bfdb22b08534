"""Records the output of a pinned agent for each kind of ending: the part that all agents share.

Record again after raising a version in `agents/package.json`, read the difference, and fix the adapter if a test of the
transcripts fails. Only the model is scripted. Values that depend on the machine or the run are replaced.
"""

import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents._driver import Driver
from shiftwork.adapters.agents._process import lay
from shiftwork.ports.agent import AgentLimits, AgentTask
from shiftwork.testing.model_server import ModelServer, Turn

ROOT: Final = Path(__file__).resolve().parent.parent
TRANSCRIPTS: Final = ROOT / "tests" / "golden" / "transcripts"
UUID: Final = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A recording: the model's turns, additions to and omissions from the command, and the signal that ends it
    early.
    """

    turns: Sequence[Turn]
    added: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    ended_by: signal.Signals | None = None
    toolbox: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorder:
    """An agent: its name, its driver for a program and a model's address, and a function that removes variable values
    from its output, beside paths and ports.
    """

    agent: str
    driver: Callable[[Path, str], Driver]
    scrubbed: Callable[[str], str]
    place: Path
    model: str = ""

    def record(self, cases: Mapping[str, Case], names: Sequence[str]) -> int:
        """Record all cases, or those named."""
        found = subprocess.run(
            [sys.executable, ROOT / "scripts" / "agents.py", self.agent], check=True, capture_output=True, text=True
        )
        program = Path(found.stdout.strip())
        self.place.mkdir(parents=True, exist_ok=True)
        with ModelServer() as server:
            for name in names or cases:
                server.load(name, cases[name].turns)
                exit_code, printed = self._session(self.driver(program, server.url(name)), server, name, cases[name])
                (self.place / f"{name}.jsonl").write_text(printed)
                print(f"{name}: {len(printed.splitlines())} lines, exit code {exit_code}")
        return 0

    def _session(self, driver: Driver, server: ModelServer, name: str, case: Case) -> tuple[int, str]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            work, home = Path(folder, "work"), Path(folder, "home")
            work.mkdir()
            task = AgentTask(
                prompt="Do it.",
                workdir=work,
                home=home,
                log=home / "log",
                marker="",
                limits=AgentLimits(wall_seconds=60, silence_seconds=60),
                toolbox=case.toolbox,
                model=self.model,
            )
            launch = driver.launch(task)
            lay(home, launch.files)
            argv = [word for word in launch.argv if word not in case.left_out]
            with subprocess.Popen(
                [*argv, *case.added], cwd=work, env=launch.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
            ) as agent:
                printed = _talk(agent, server, name, case, launch.stdin).decode()
            return agent.returncode, self.scrubbed(_without_places(printed, folder))


def _without_places(printed: str, folder: str) -> str:
    """Without this machine's paths and ports; an agent may name its own folder after its working directory."""
    named_after = re.sub(r"[^A-Za-z0-9]", "-", folder)
    printed = printed.replace(folder, "/attempt").replace(named_after, "-attempt")
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1", printed)


def _talk(agent: subprocess.Popen[bytes], server: ModelServer, name: str, case: Case, prompt: bytes) -> bytes:
    if case.ended_by is None:
        return agent.communicate(prompt)[0]
    if agent.stdin is not None:
        agent.stdin.write(prompt)
        agent.stdin.close()
        agent.stdin = None
    server.wait_for(name, 1, 30)
    time.sleep(1)
    agent.send_signal(case.ended_by)
    return agent.communicate()[0]
