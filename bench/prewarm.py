"""What a session of Claude Code would save if its process were started before its prompt is known, and what it would
then see of its workspace.

Cold: `claude -p` with the prompt on its input, as Shiftwork starts it. Prewarmed: the same options with `--input-format
stream-json`, started a while before the prompt is sent. The model is scripted and answers at once. Between start and
prompt of the prewarmed one, CLAUDE.md in the workspace is replaced, as the landing of the story before would do it: the
line before the last says which text the model receives.

Prints medians from prompt to end, and the ratio of prewarmed to cold alone on the last line.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.loop import surroundings
from bench.processor import processor
from scripts import agents
from shiftwork.testing.model_server import ModelRequest, ModelServer, Say, Turn

ROUNDS = 7
AHEAD_SECONDS = 3.0
"""How long before its prompt a session is started: longer than a start takes."""

ARGUMENTS = (
    *("claude", "-p", "--output-format", "stream-json", "--verbose"),
    *("--dangerously-skip-permissions", "--strict-mcp-config"),
)
BEFORE, AFTER = "INSTRUCTIONS OF THE TREE BEFORE", "INSTRUCTIONS OF THE TREE AFTER"
PROMPT = "Say that the work is done."


def message(text: str) -> bytes:
    content = [{"type": "text", "text": text}]
    return json.dumps({"type": "user", "message": {"role": "user", "content": content}}).encode() + b"\n"


def session(tree: Path, env: dict[str, str], *, prewarmed: bool) -> tuple[float, float]:
    """Seconds from the prompt to the end of the session, and the processor time of all of it."""
    used = processor(own=False)
    (tree / "CLAUDE.md").write_text(BEFORE)
    more = ("--input-format", "stream-json") if prewarmed else ()
    # The clock of a cold session includes the start of its process.
    began = time.perf_counter()
    with subprocess.Popen(
        (*ARGUMENTS, *more), cwd=tree, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        if prewarmed:
            time.sleep(AHEAD_SECONDS)
            (tree / "CLAUDE.md").write_text(AFTER)
            began = time.perf_counter()
        printed, _ = process.communicate(message(PROMPT) if prewarmed else PROMPT.encode(), timeout=60)
    taken = time.perf_counter() - began
    if process.returncode:
        raise RuntimeError(printed.decode(errors="replace"))
    return taken, processor(own=False) - used


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    agents.install()
    received = list[str]()

    def model(request: ModelRequest) -> Turn:
        received.append(json.dumps(request.body))
        return Say(text="It is done.")

    taken: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as scratch, ModelServer() as server:
        folder = Path(scratch)
        tree = folder / "tree"
        (folder / "bin").mkdir()
        (folder / "bin" / "claude").symlink_to(agents.program("claude"))
        tree.mkdir()
        server.load("prewarm", model)
        env = surroundings(folder, server.url("prewarm"))
        for _ in range(rounds):
            for prewarmed, runs in taken.items():
                received.clear()
                runs.append(session(tree, env, prewarmed=prewarmed))
    cold, warm = (statistics.median(seconds for seconds, _ in runs) for runs in taken.values())
    print(f"{'':<10} {'median':>8} {'processor':>10}")
    for name, median, runs in zip(("cold", "prewarmed"), (cold, warm), taken.values(), strict=True):
        print(f"{name:<10} {median:>6.2f} s {statistics.median(used for _, used in runs):>8.2f} s")
    seen = " and ".join(text for text in (BEFORE, AFTER) if any(text in body for body in received)) or "neither"
    print(f"a prewarmed session sends the model: {seen}")
    print(f"{warm / cold:.2f}")


if __name__ == "__main__":
    main()
