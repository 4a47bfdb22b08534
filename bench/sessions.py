"""How much the workflows ask of a model for five small stories, compared with a bare loop.

The real Claude Code works with a scripted model. A session that does a story reads a file, writes the story's part,
runs the check and reports: four requests. A review reads the part, runs the check and reports: three. Any other session
reads a file and reports: two. The loop starts `claude -p` once for each story and reviews nothing. Bytes are those of
the request bodies that Claude Code sends, with its system prompt and tool definitions.

Prints sessions, requests and bytes of each way and the ratios to the loop; that of the default workflow alone on the
last line. Exits with 1 if it is above the goal.
"""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.cli import SHIFTWORK
from bench.loop import PARTS, STORIES, looping, repository, surroundings
from scripts import agents
from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn, call

GOAL = 3.0
WAYS: dict[str, tuple[str, ...]] = {
    "bare loop": looping(PARTS.gate),
    "default": (str(SHIFTWORK), "run", "prd.json"),
    "ralph": (str(SHIFTWORK), "run", "prd.json", "--workflow", "ralph"),
    "dynamic": (str(SHIFTWORK), "run", "prd.json", "--workflow", "dynamic"),
}

_STEP = re.compile(r"^- Step: \S+ \((\w+)\), attempt", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a way has sent to the model."""

    sessions: int
    requests: int
    bytes: int


def model(request: ModelRequest) -> Turn:
    part = re.search(r"Write part (\d)", request.prompt)
    step = _STEP.search(request.prompt)
    name = f"part-{part[1]}.txt" if part else "prd.json"
    turns: list[Turn] = [call("Read", file_path="prd.json")]
    kind = step[1] if step else "coding"
    if kind == "coding":
        turns += [call("Write", file_path=name, content="a part\n"), call("Bash", command=PARTS.gate)]
    if kind in {"review", "final_review"}:
        turns = [call("Read", file_path=name), call("Bash", command=PARTS.gate)]
    report = Say(text="It is done, and the check passes.\n\nSIZE: small\nSUMMARY:\nThe part is written and checked.\n")
    return [*turns, report][request.turn]


def asked(name: str, program: Path, server: ModelServer) -> Asked:
    script = name.replace(" ", "-")
    server.load(script, model)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        root = repository(folder, program, PARTS)
        env = surroundings(folder, server.url(script))
        ran = subprocess.run(WAYS[name], cwd=root, env=env, check=False, capture_output=True, text=True)
        listed = subprocess.run(("git", "ls-tree", "--name-only", "main"), cwd=root, capture_output=True, text=True)  # noqa: PLW1510
        if ran.returncode or len(re.findall(r"^part-", listed.stdout, re.MULTILINE)) != STORIES:
            raise RuntimeError(f"{name}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
    sent = server.requests(script)
    return Asked(
        sessions=len({request.session for request in sent if not request.auxiliary}),
        requests=len(sent),
        bytes=sum(len(json.dumps(request.body, ensure_ascii=False).encode()) for request in sent),
    )


def main() -> None:
    agents.install()
    program = agents.program("claude")
    with ModelServer() as server:
        found = {name: asked(name, program, server) for name in WAYS}
    base = found["bare loop"]
    print(f"{'':<10} {'sessions':>8} {'requests':>8} {'KiB':>7} {'ratio':>6}")
    for name, way in found.items():
        print(f"{name:<10} {way.sessions:>8} {way.requests:>8} {way.bytes / 1024:>7.0f} {way.bytes / base.bytes:>6.2f}")
    ratio = found["default"].bytes / base.bytes
    print(f"goal: at most {GOAL:.2f}, with a review of each story; the default workflow:")
    print(f"{ratio:.2f}")
    sys.exit(ratio > GOAL)


if __name__ == "__main__":
    main()
