"""What the `ralph` workflow costs compared with the bash loop that people write instead of it.

Five independent stories, each two seconds of a scripted model's time with the real Claude Code. The loop starts `claude
-p` for one story after the other, runs the gate and commits; `shiftwork run` does the same with a workspace for every
attempt, the gate on the exact commit that lands, and a history. Every run has a fresh repository. They alternate,
because timings on a shared machine drift. Claude Code gets the same options from both, so that only its surroundings
differ. There are two cases:

- *parts*: each story writes one text file, and the gate is a line of shell;
- *ordinary*: each story adds a module and its test, and the gate is pytest, which is a criterion of each story too. The
  baseline is a loop without any gate, which is what people look at first.

Prints medians, the processor time of all processes (more reliable than the clock on a busy machine), and the ratios to
the loop, with one story at a time and with three. For the ordinary case one more run, one story at a time, shows the
seconds of a story that are neither agent nor gate, by kind (`bench.seconds_by_kind`). The last line is the ratio of the
case `parts` one at a time.
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import shiftwork
from bench.cli import SHIFTWORK, compile_all
from bench.processor import processor
from bench.seconds_by_kind import KINDS, REST
from scripts import agents
from shiftwork.config.site import environment
from shiftwork.testing.model_server import Call, Hang, ModelRequest, ModelServer, Say, ToolCall, Turn

STORIES = 5
ROUNDS = 5
WORK_SECONDS = 2.0
SHELL_GATE = "for part in part-*.txt; do test ! -e $part || test -s $part; done"
TEST_GATE = "env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q -p no:cacheprovider tests"


def looping(gate: str) -> tuple[str, ...]:
    """A bash loop over the stories; without a gate it commits what the agent has left."""
    return (
        "bash",
        "-c",
        f"""\
set -e
for number in $(seq {STORIES}); do
  claude -p --output-format stream-json --verbose --dangerously-skip-permissions --strict-mcp-config \\
    < ../prompt-$number.md > ../log-$number.jsonl
  {gate or ":"}
  git add -A
  git commit -qm "US-$number"
done
""",
    )


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the stories write, by number, how it is checked, and the wanted ratios: one at a time, and three."""

    name: str
    gate: str
    criterion: str
    files: Callable[[int], Mapping[str, str]]
    start: Mapping[str, str] = field(default_factory=dict)
    baseline: str
    goals: tuple[str, str]

    @property
    def ways(self) -> Mapping[str, tuple[str, ...]]:
        loops = {"bash loop": looping(self.gate)}
        if not self.baseline:
            loops = {"loop, no gate": looping(""), "loop, gate": looping(self.gate)}
        return {**loops, "shiftwork": (*RUN, "1"), "--parallel 3": (*RUN, "3")}


OWN_SECONDS = 0.4
"""The goal for the seconds of a story that are neither agent nor gate."""

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
PARTS = Case(
    name="parts",
    gate=SHELL_GATE,
    criterion="It is there",
    files=lambda number: {f"part-{number}.txt": "a part\n"},
    baseline=SHELL_GATE,
    goals=("1.10", "0.55"),
)
ORDINARY = Case(
    name="ordinary",
    gate=TEST_GATE,
    criterion=f"`{TEST_GATE}` passes",
    files=lambda number: {
        f"shop/part_{number}.py": f"def part() -> int:\n    return {number}\n",
        f"tests/test_part_{number}.py": (
            f"from shop.part_{number} import part\n\n\ndef test_part() -> None:\n    assert part() == {number}\n"
        ),
    },
    start={
        "shop/__init__.py": "",
        "shop/price.py": "def price(amount: int) -> int:\n    return 2 * amount\n",
        "tests/test_price.py": "from shop.price import price\n\n\ndef test_price():\n    assert price(2) == 4\n",
        ".gitignore": "__pycache__/\n",
    },
    baseline="",
    goals=("1.30", "0.65"),
)


def model_of(case: Case) -> Callable[[ModelRequest], Turn]:
    """Waits half of the time before the tool calls, and half before the answer."""

    def model(request: ModelRequest) -> Turn:
        found = re.search(r"Write part (\d)", request.prompt)
        assert found, request.prompt
        written = case.files(int(found[1]))
        said = Say(text="The part is written.\n\nSUMMARY:\nwritten\n")
        writes = (ToolCall(name="Write", input={"file_path": name, "content": text}) for name, text in written.items())
        turn = said if request.turn else Call(calls=tuple(writes))
        return Hang(seconds=WORK_SECONDS / 2, then=turn)

    return model


def described(number: int) -> str:
    return f"Write part {number}"


def repository(folder: Path, program: Path, case: Case) -> Path:
    root = folder / "repository"
    root.mkdir(parents=True)
    (folder / "bin").mkdir()
    (folder / "bin" / "claude").symlink_to(program)
    stories = [
        {"id": f"US-{n}", "title": f"Part {n}", "description": described(n), "acceptanceCriteria": [case.criterion]}
        for n in range(1, STORIES + 1)
    ]
    (root / "prd.json").write_text(json.dumps({"project": "Parts", "description": "Parts", "userStories": stories}))
    for name, text in {"shiftwork.toml": f'[gates]\ntest = "{case.gate}"\n', **case.start}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
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
        "PYTHONPATH": f"{Path(str(shiftwork.__file__)).parents[1]}:{Path(__file__).parents[1]}",
        "PATH": f"{folder / 'bin'}:{Path(sys.executable).parent}:{environment()['PATH']}",
        "HOME": str(folder),
        "SHIFTWORK_SANDBOX": "none",
        "ANTHROPIC_BASE_URL": model_url,
        "ANTHROPIC_API_KEY": "sk-ant-scripted",
    }


def seconds(way: tuple[str, ...], program: Path, server: ModelServer, case: Case) -> tuple[float, float]:
    """How long it takes until all five are on the branch, and how much processor time."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        root = repository(folder, program, case)
        env = surroundings(folder, server.url(case.name))
        began, used = time.perf_counter(), processor(own=False)
        ran = subprocess.run(way, cwd=root, env=env, check=False, capture_output=True, text=True)
        taken = time.perf_counter() - began, processor(own=False) - used
        listed = subprocess.run(
            ("git", "ls-tree", "-r", "--name-only", "main"), check=True, cwd=root, capture_output=True, text=True
        )
        missing = {name for number in range(1, STORIES + 1) for name in case.files(number)} - {*listed.stdout.split()}
        if ran.returncode or missing:
            raise RuntimeError(f"{way[0]}: exit code {ran.returncode}, no {missing}\n{ran.stdout}{ran.stderr}")
    return taken


def print_kinds(runs: list[dict[str, Any]]) -> None:
    """The medians of all stories."""
    stories = [story for run in runs for story in run["stories"]]
    kinds = [*KINDS[1:], REST]
    medians = {kind: statistics.median(story.get(kind, 0.0) for story in stories) for kind in kinds}
    whole = statistics.median(sum(story.get(kind, 0.0) for kind in kinds) for story in stories)
    listed = ", ".join(f"{kind} {seconds:.2f}" for kind, seconds in medians.items())
    print(f"a story, neither agent nor gate: {whole:.2f} s, goal {OWN_SECONDS:.2f} ({listed})")
    before = {kind: statistics.median(run["before"].get(kind, 0.0) for run in runs) for kind in (*KINDS, REST)}
    listed = ", ".join(f"{kind} {seconds:.2f}" for kind, seconds in before.items())
    after = statistics.median(run["after"] for run in runs)
    print(f"before the first story: {sum(before.values()):.2f} s ({listed}); after the last: {after:.2f} s")


def compared(case: Case, rounds: int, program: Path, server: ModelServer) -> tuple[float, float]:
    """Prints the table of a case; the ratios one at a time, and three."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in case.ways}
    by_kind: list[dict[str, Any]] = []
    for _ in range(rounds):
        for name, way in case.ways.items():
            taken[name].append(seconds(way, program, server, case))
        if not case.baseline:
            with tempfile.NamedTemporaryFile() as file:
                seconds(
                    (sys.executable, "-m", "bench.seconds_by_kind", file.name, *RUN[1:], "1"), program, server, case
                )
                by_kind.append(json.loads(Path(file.name).read_text()))
    medians = {name: statistics.median(wall for wall, _ in runs) for name, runs in taken.items()}
    loop = next(iter(medians.values()))
    goals = dict(zip(("shiftwork", "--parallel 3"), case.goals, strict=True))
    print(f"{case.name:<13} {'median':>8} {'best':>8} {'processor':>10} {'ratio':>6} {'goal':>6}")
    for name, median in medians.items():
        best = min(wall for wall, _ in taken[name])
        used = statistics.median(used for _, used in taken[name])
        goal = goals.get(name, "")
        print(f"{name:<13} {median:>6.2f} s {best:>6.2f} s {used:>8.2f} s {median / loop:>6.2f} {goal:>6}")
    if by_kind:
        print_kinds(by_kind)
    return medians["shiftwork"] / loop, medians["--parallel 3"] / loop


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    wanted = [case for case in (ORDINARY, PARTS) if case.name in (sys.argv[2:] or (PARTS.name, ORDINARY.name))]
    compile_all()
    agents.install()
    program = agents.program("claude")
    with ModelServer() as server:
        for case in wanted:
            server.load(case.name, model_of(case))
            alone, three = compared(case, rounds, program, server)
            print(f"{three:.2f} with --parallel 3; one at a time:")
            print(f"{alone:.2f}", flush=True)


if __name__ == "__main__":
    main()
