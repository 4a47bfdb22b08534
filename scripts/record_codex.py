"""Record what the pinned Codex prints in each kind of ending, into `tests/golden/transcripts/codex`.

As `record_transcripts.py` does it for Claude Code: names of recordings as arguments make only those.
"""

import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from os import defpath
from pathlib import Path
from typing import Final

from shiftwork.adapters.agents.codex import Codex, CodexEndpoint
from shiftwork.ports.agent import AgentLimits, AgentTask
from shiftwork.testing.model_server import Call, DropMid, Fail, Hang, ModelServer, Say, Tokens, ToolCall, Turn, call

ROOT: Final = Path(__file__).resolve().parent.parent
PLACE: Final = ROOT / "tests" / "golden" / "transcripts" / "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One recording: what the model does, and how it is ended early."""

    turns: Sequence[Turn]
    ended_by: signal.Signals | None = None
    toolbox: tuple[str, ...] = ()


PATCH: Final = "*** Begin Patch\n*** Add File: a.txt\n+a\n*** End Patch\n"
EDIT: Final = Call(
    calls=(
        ToolCall(name="apply_patch", input=PATCH),
        ToolCall(name="exec_command", input={"cmd": "echo hello; exit 3"}),
    ),
    text="I write a file and greet.",
    usage=Tokens(input=7, output=30, cache_read=1000),
)
USED_UP: Final = Fail(
    status=429, body={"error": {"type": "usage_limit_reached", "message": "used up", "resets_at": 2_000_000_000}}
)
NOTE: Final = Call(calls=(ToolCall(name="note", namespace="mcp__shiftwork", input={"text": "x"}),))
TOOLBOX: Final = (sys.executable, str(ROOT / "tests" / "conformance" / "toolbox_server.py"))

CASES: Final = {
    "ok": Case(turns=(EDIT, Say(text="SUMMARY: done", usage=Tokens(input=3, output=12, cache_read=1600)))),
    "toolbox": Case(turns=(NOTE, Say(text="Noted.")), toolbox=TOOLBOX),
    "rate_limited": Case(turns=(Fail(status=429, repeat=9),)),
    "used_up": Case(turns=(USED_UP,)),
    "dropped_once": Case(turns=(DropMid(), Say(text="Done."))),
    "overloaded": Case(turns=(Fail(status=529, repeat=9),)),
    "unauthorized": Case(turns=(Fail(status=401, message="invalid key", repeat=9),)),
    "killed": Case(turns=(Hang(seconds=60),), ended_by=signal.SIGKILL),
    "interrupted": Case(turns=(call("exec_command", cmd="sleep 60"), Say(text="no")), ended_by=signal.SIGINT),
}


def main(names: list[str]) -> int:
    program = subprocess.run(
        [sys.executable, ROOT / "scripts" / "agents.py", "codex"], check=True, capture_output=True, text=True
    ).stdout.strip()
    PLACE.mkdir(parents=True, exist_ok=True)
    with ModelServer() as server:
        for name in names or CASES:
            case = CASES[name]
            server.load(name, case.turns)
            exit_code, printed = record(Path(program), server, name, case)
            (PLACE / f"{name}.jsonl").write_text(printed)
            print(f"{name}: {len(printed.splitlines())} lines, exit code {exit_code}")
    return 0


def record(program: Path, server: ModelServer, name: str, case: Case) -> tuple[int, str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        work, home = Path(folder, "work"), Path(folder, "home")
        for made in (work, home / "codex", home / "tmp"):
            made.mkdir(parents=True)
        endpoint = CodexEndpoint(base_url=f"{server.url(name)}/v1", api_key="sk-scripted", retries=1)
        driver = Codex(program=program, env={"PATH": defpath}, endpoint=endpoint)
        task = AgentTask(
            prompt="Do it.",
            workdir=work,
            home=home,
            log=home / "log",
            marker="",
            limits=AgentLimits(wall_seconds=60, silence_seconds=60),
            toolbox=case.toolbox,
            model="gpt-5.5",
        )
        launch = driver.launch(task)
        with subprocess.Popen(
            launch.argv, cwd=work, env=launch.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as agent:
            printed = talk(agent, server, name, case, launch.stdin)
        return agent.returncode, scrubbed(printed.decode(), folder)


def talk(agent: subprocess.Popen[bytes], server: ModelServer, name: str, case: Case, prompt: bytes) -> bytes:
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


def scrubbed(printed: str, folder: str) -> str:
    """Without paths of this machine, ports and random ids."""
    printed = printed.replace(folder, "/attempt")
    printed = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "00000000-0000-7000-8000-000000000000", printed)
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1", printed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
