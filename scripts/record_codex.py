"""Record the output of the pinned Codex in `tests/golden/transcripts/codex`: `python -m scripts.record_codex`.

With names of recordings as arguments, records only those.
"""

import re
import signal
import sys
from os import defpath
from pathlib import Path
from typing import Final

from scripts.recording import ROOT, TRANSCRIPTS, UUID, Case, Recorder
from shiftwork.adapters.agents.codex import Codex, CodexEndpoint
from shiftwork.testing.model_server import Call, DropMid, Fail, Hang, Say, Tokens, ToolCall, call

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


def driver(program: Path, url: str) -> Codex:
    endpoint = CodexEndpoint(base_url=f"{url}/v1", api_key="sk-scripted", retries=1)
    return Codex(program=program, env={"PATH": defpath}, endpoint=endpoint)


def scrubbed(printed: str) -> str:
    """Without random ids."""
    return re.sub(UUID, "00000000-0000-7000-8000-000000000000", printed)


CODEX: Final = Recorder(agent="codex", driver=driver, scrubbed=scrubbed, place=TRANSCRIPTS / "codex", model="gpt-5.5")

if __name__ == "__main__":
    raise SystemExit(CODEX.record(CASES, sys.argv[1:]))
