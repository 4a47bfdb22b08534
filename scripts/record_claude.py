"""Record the output of the pinned Claude Code in `tests/golden/transcripts`: `python -m scripts.record_claude`.

With names of recordings as arguments, records only those: an interrupted session does not always print its end.
"""

import re
import signal
import sys
from os import defpath
from pathlib import Path
from typing import Final

from scripts.recording import TRANSCRIPTS, UUID, Case, Recorder
from shiftwork.adapters.agents.claude_code import ClaudeCode, Endpoint
from shiftwork.testing.model_server import Call, Fail, Hang, Say, Tokens, ToolCall, call

SKIP: Final = "--dangerously-skip-permissions"

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
    "max_turns": Case(turns=(call("Bash", command="true"), Say(text="no")), added=("--max-turns", "1")),
    "denied": Case(turns=(call("Bash", command="touch x"), Say(text="I may not.")), left_out=(SKIP,)),
    "toolbox_dead": Case(turns=(call("mcp__shiftwork__note", text="x"), Say(text="No tools.")), toolbox=("false",)),
}


def driver(program: Path, url: str) -> ClaudeCode:
    return ClaudeCode(
        program=program,
        env={"PATH": defpath, "CLAUDE_CODE_MAX_RETRIES": "2"},
        endpoint=Endpoint(base_url=url, api_key="sk-ant-scripted"),
        private_home=True,
        allow_root=True,
    )


def scrubbed(printed: str) -> str:
    """Without times, durations and random ids."""
    known: dict[str, str] = {}

    def counted(match: re.Match[str]) -> str:
        return known.setdefault(match[0], f"00000000-0000-4000-8000-{len(known):012d}")

    printed = re.sub(UUID, counted, printed)
    printed = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-01-01T00:00:00.000Z", printed)
    printed = re.sub(r"(cc-socks/)\d+", r"\g<1>1", printed)
    return re.sub(r'("[a-z_]*_ms":)[\d.]+', r"\g<1>100", printed)


CLAUDE: Final = Recorder(agent="claude", driver=driver, scrubbed=scrubbed, place=TRANSCRIPTS)

if __name__ == "__main__":
    raise SystemExit(CLAUDE.record(CASES, sys.argv[1:]))
