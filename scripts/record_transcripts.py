"""Record what the pinned Claude Code prints in each kind of ending, into `tests/golden/transcripts`.

Run it after raising the version in `agents/package.json`, read the difference, and mend the adapter where a test of the
transcripts fails. Only the model is scripted. What differs from machine to machine and from run to run is replaced.
Names of recordings as arguments make only those: an interrupted session does not always get to print its end.
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

from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.ports.agent import AgentLimits, AgentTask
from shiftwork.testing.model_server import Call, Fail, Hang, ModelServer, Say, Tokens, ToolCall, Turn, call

ROOT: Final = Path(__file__).resolve().parent.parent
PLACE: Final = ROOT / "tests" / "golden" / "transcripts"
SKIP: Final = "--dangerously-skip-permissions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One recording: what the model does, what is added to or left out of the command, and how it is ended early."""

    turns: Sequence[Turn]
    argv: tuple[str, ...] = ()
    asking: bool = False
    ended_by: signal.Signals | None = None
    toolbox: tuple[str, ...] = ()


EDIT: Final = Call(
    calls=(
        ToolCall(name="Write", input={"file_path": "a.txt", "content": "a\n"}),
        ToolCall(name="Bash", input={"command": "echo hello"}),
    ),
    text="I write a file and greet.",
    usage=Tokens(input=7, output=30, cache_read=1000, cache_write=500),
)

CASES: Final = {
    "ok": Case(turns=(EDIT, Say(text="SUMMARY: done", usage=Tokens(input=3, output=12, cache_read=1600)))),
    "rate_limited": Case(turns=(Fail(status=429, headers={"retry-after": "3600"}),)),
    "overloaded_once": Case(turns=(Fail(status=529), Say(text="Done."))),
    "overloaded": Case(turns=(Fail(status=529, repeat=3),)),
    "unauthorized": Case(turns=(Fail(status=401, message="invalid x-api-key", repeat=3),)),
    "killed": Case(turns=(Hang(seconds=60),), ended_by=signal.SIGKILL),
    "terminated": Case(turns=(call("Bash", command="sleep 60"), Say(text="no")), ended_by=signal.SIGTERM),
    "interrupted": Case(turns=(call("Bash", command="sleep 60"), Say(text="no")), ended_by=signal.SIGINT),
    "max_turns": Case(turns=(call("Bash", command="true"), Say(text="no")), argv=("--max-turns", "1")),
    "denied": Case(turns=(call("Bash", command="touch x"), Say(text="I may not.")), asking=True),
    "toolbox_dead": Case(turns=(call("mcp__shiftwork__note", text="x"), Say(text="No tools.")), toolbox=("false",)),
}


def main(names: list[str]) -> int:
    program = subprocess.run(
        [sys.executable, ROOT / "scripts" / "agents.py", "claude"], check=True, capture_output=True, text=True
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
        work.mkdir()
        home.mkdir()
        driver = ClaudeCode(
            program=program,
            env={"PATH": defpath, "CLAUDE_CODE_MAX_RETRIES": "2"},
            endpoint=Endpoint(base_url=server.url(name), api_key="sk-ant-scripted"),
            private_home=True,
            allow_root=True,
        )
        limits = AgentLimits(wall_seconds=60, silence_seconds=60)
        task = AgentTask(
            prompt="Do it.", workdir=work, home=home, log=home / "log", marker="", limits=limits, toolbox=case.toolbox
        )
        launch = driver.launch(task)
        argv = [word for word in launch.argv if not (case.asking and word == SKIP)]
        with subprocess.Popen(
            [*argv, *case.argv], cwd=work, env=launch.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
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
    """Without paths of this machine, moments, durations and random ids."""
    slug = folder.replace("/", "-")
    for found, put in ((folder, "/attempt"), (slug, "-attempt")):
        printed = printed.replace(found, put)
    known: dict[str, str] = {}

    def counted(match: re.Match[str]) -> str:
        return known.setdefault(match[0], f"00000000-0000-4000-8000-{len(known):012d}")

    printed = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", counted, printed)
    printed = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-01-01T00:00:00.000Z", printed)
    printed = re.sub(r"(cc-socks/)\d+", r"\g<1>1", printed)
    return re.sub(r'("[a-z_]*_ms":)[\d.]+', r"\g<1>100", printed)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
