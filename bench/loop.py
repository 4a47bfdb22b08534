"""What the `ralph` workflow costs compared with the bash loop that people write instead of it.

Five independent stories, each two seconds of a scripted model's time with the real Claude Code: it writes the story's
file and reports it. The loop starts `claude -p` for one story after the other, runs the gate and commits; `shiftwork
run` does the same with a workspace for every attempt, the gate on the exact commit that lands, and a history. Every run
has a fresh repository. They alternate, because timings on a shared machine drift. Claude Code gets the same options
from both, so that only its surroundings differ.

Prints medians, the processor time of all processes (more reliable than the clock on a busy machine), and the ratios to
the loop, with one story at a time and with three; the first alone on the last line.
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import shiftwork
from bench.cli import SHIFTWORK, compile_all
from bench.processor import processor
from scripts import agents
from shiftwork.config.site import environment
from shiftwork.testing.model_server import Hang, ModelRequest, ModelServer, Say, Turn, call

STORIES = 5
ROUNDS = 5
WORK_SECONDS = 2.0
GATE = "for part in part-*.txt; do test ! -e $part || test -s $part; done"
LOOP = f"""\
set -e
for number in $(seq {STORIES}); do
  claude -p --output-format stream-json --verbose --dangerously-skip-permissions --strict-mcp-config \\
    < ../prompt-$number.md > ../log-$number.jsonl
  {GATE}
  git add -A
  git commit -qm "US-$number"
done
"""
QUIET = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "IS_SANDBOX": "1",
    "SHIFTWORK_TRUST": "1",
}
RUN = (str(SHIFTWORK), "run", "prd.json", "--workflow", "ralph", "--parallel")
WAYS: dict[str, tuple[str, ...]] = {
    "bash loop": ("bash", "-c", LOOP),
    "shiftwork": (*RUN, "1"),
    "--parallel 3": (*RUN, "3"),
}


def model(request: ModelRequest) -> Turn:
    """Waits half of the time before the tool call, and half before the answer."""
    found = re.search(r"part-\d\.txt", request.prompt)
    assert found, request.prompt
    said = Say(text="The part is written.\n\nSUMMARY:\nwritten\n")
    turn = said if request.turn else call("Write", file_path=found[0], content="a part\n")
    return Hang(seconds=WORK_SECONDS / 2, then=turn)


def described(number: int) -> str:
    return f"Write part {number} into part-{number}.txt"


def repository(folder: Path, program: Path) -> Path:
    root = folder / "repository"
    root.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "claude").symlink_to(program)
    stories = [
        {"id": f"US-{n}", "title": f"Part {n}", "description": described(n), "acceptanceCriteria": ["It is there"]}
        for n in range(1, STORIES + 1)
    ]
    (root / "prd.json").write_text(json.dumps({"project": "Parts", "description": "Parts", "userStories": stories}))
    (root / "shiftwork.toml").write_text(f'[gates]\ntest = "{GATE}"\n')
    for number in range(1, STORIES + 1):
        (folder / f"prompt-{number}.md").write_text(described(number))
    for command in (
        ("init", "-q", "-b", "main"),
        ("config", "user.name", "Bench"),
        ("config", "user.email", "bench@localhost"),
        ("add", "-A"),
        ("commit", "-q", "-m", "start"),
    ):
        subprocess.run(("git", *command), cwd=root, check=True)
    return root


def surroundings(folder: Path, model_url: str) -> dict[str, str]:
    """The environment of every way: the folder is its home, and the model is scripted."""
    return QUIET | {
        "PYTHONPATH": str(Path(str(shiftwork.__file__)).parents[1]),
        "PATH": f"{folder / 'bin'}:{environment()['PATH']}",
        "HOME": str(folder),
        "SHIFTWORK_SANDBOX": "none",
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
    }


def seconds(way: tuple[str, ...], program: Path, server: ModelServer) -> tuple[float, float]:
    """How long it takes until all five are on the branch, and how much processor time."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        root = repository(folder, program)
        env = surroundings(folder, server.url("loop"))
        began, used = time.perf_counter(), processor(own=False)
        ran = subprocess.run(way, cwd=root, env=env, check=False, capture_output=True, text=True)
        taken = time.perf_counter() - began, processor(own=False) - used
        listed = subprocess.run(("git", "ls-tree", "--name-only", "main"), cwd=root, capture_output=True, text=True)  # noqa: PLW1510
        parts = [name for name in listed.stdout.split() if name.startswith("part-")]
        if ran.returncode or len(parts) != STORIES:
            raise RuntimeError(f"{way[0]}: exit code {ran.returncode}, {parts}\n{ran.stdout}{ran.stderr}")
    return taken


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    compile_all()
    agents.install()
    program = agents.program("claude")
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in WAYS}
    with ModelServer() as server:
        server.load("loop", model)
        for _ in range(rounds):
            for name, way in WAYS.items():
                taken[name].append(seconds(way, program, server))
    medians = {name: statistics.median(wall for wall, _ in runs) for name, runs in taken.items()}
    loop = medians["bash loop"]
    print(f"{'':<13} {'median':>8} {'best':>8} {'processor':>10} {'ratio':>6} {'goal':>6}")
    for (name, median), goal in zip(medians.items(), ("", "1.10", "0.55"), strict=True):
        best = min(wall for wall, _ in taken[name])
        used = statistics.median(used for _, used in taken[name])
        print(f"{name:<13} {median:>6.2f} s {best:>6.2f} s {used:>8.2f} s {median / loop:>6.2f} {goal:>6}")
    print(f"{medians['--parallel 3'] / loop:.2f} with --parallel 3; one at a time:")
    print(f"{medians['shiftwork'] / loop:.2f}")


if __name__ == "__main__":
    main()
