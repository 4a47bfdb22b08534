"""How long the quick commands take, compared with a bare start of the same interpreter.

Each command runs in a repository with the history of a thousand runs, on SQLite, and alternates with `python -c pass`,
because timings on a shared machine drift; the ratio is that of the medians. `answer` goes to a run with a worker, and
is refused in the end, since the story has no question. Bytecode is compiled first: with PYTHONDONTWRITEBYTECODE set
there would be none, and every start would pay for it. The limits are of processor time, of the command and the
processes that it starts; a command above its limit makes the exit code 3. The last line is the ratio of `status`.
"""

import compileall
import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import click

import shiftwork
from bench.limits import LIMIT_MISSED
from shiftwork.adapters.processes.host.process_identity import this_owner
from shiftwork.config.site import environment
from tests.own_folders import use_own_folders

ROUNDS = 15
RUNS = 1000
SHIFTWORK = Path(sys.executable).with_name("shiftwork")
BARE = "python -c pass"
GOAL = "shiftwork status"
WORKED_ON = "0500"
COMMANDS = (
    "--help",
    "run --help",
    "status",
    "stories",
    "logs",
    "diff US-001",
    "plan prd.json",
    f"answer US-001 yes --run {WORKED_ON}",
)
MOST_SECONDS = 0.35
"""Of processor time, for each command but the help."""
MOST_RATIO = 5.5
"""Of processor time, for `status`."""
IN_RUN = {"facts": "stream", "inbox": "target"}
"""Tables with a column that contains the id of the run; the others have it in the column `run`."""


def compile_all() -> None:
    for package in (shiftwork, click):
        compileall.compile_dir(str(Path(str(package.__file__)).parent), quiet=2)


def made_repository(folder: Path) -> Path:
    """A repository in which the run of the demo has happened a thousand times."""
    env = environment() | {"TMPDIR": str(folder)}
    subprocess.run([SHIFTWORK, "demo", "--keep"], env=env, check=True, stdout=subprocess.DEVNULL)
    repository = next(folder.glob("shiftwork-demo-*"))
    with closing(sqlite3.connect(repository / ".git/shiftwork/state.db")) as database, database:
        for table in ("runs", "stories", "steps", "spent", *IN_RUN):
            repeat_rows(database, table)
        worker = this_owner("bench")
        database.execute(
            "INSERT INTO leases SELECT run, ?, ?, ?, ?, unixepoch(), 1 FROM runs WHERE substr(run, 1, 4) = ?",
            (worker.executor, worker.host, worker.pid, worker.pid_started, WORKED_ON),
        )
    stories = [{"id": f"US-{number:03}", "title": "A story", "acceptanceCriteria": ["It works"]} for number in range(9)]
    (repository / "prd.json").write_text(json.dumps({"project": "bench", "userStories": stories}), encoding="utf-8")
    return repository


def repeat_rows(database: sqlite3.Connection, table: str) -> None:
    """The copies are older than the run, and have other ids."""
    named = IN_RUN.get(table, "run")
    (run,) = database.execute("SELECT run FROM runs ORDER BY started_at DESC LIMIT 1").fetchone()
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})") if row[1:3] != ("position", "INTEGER")]
    changed = {named: f"replace({named}, :run, :copy)", "started_at": "started_at - :age"}
    chosen = ", ".join(changed.get(name, f'"{name}"') for name in names)
    columns = ", ".join(f'"{name}"' for name in names)
    copies = [{"run": run, "copy": f"{number:04}{run[4:]}", "age": number} for number in range(1, RUNS)]
    database.executemany(
        f"INSERT INTO {table} ({columns}) SELECT {chosen} FROM {table} WHERE instr({named}, :run)",  # noqa: S608 - of names in the database
        copies,
    )


def seconds(command: list[str | Path], folder: Path) -> tuple[float, float]:
    """Wall time and processor time."""
    # The commands run the code that this module has imported, whatever folder they start in.
    env = environment() | {"PYTHONPATH": str(Path(str(shiftwork.__file__)).parents[1])}
    before, began = processor(), time.perf_counter()
    subprocess.run(command, cwd=folder, env=env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    return wall, processor() - before


def processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def too_slow(used: dict[str, float]) -> list[str]:
    """The limits that do not hold, by the processor time of each command."""
    found = [
        f"{name}: {seconds:.2f} s of processor time, more than {MOST_SECONDS} s"
        for name, seconds in used.items()
        if not name.endswith("--help") and seconds >= MOST_SECONDS
    ]
    ratio = used[GOAL] / used[BARE]
    return [*found, *([f"{GOAL}: {ratio:.2f} bare starts, more than {MOST_RATIO}"] if ratio > MOST_RATIO else [])]


def main() -> int:
    compile_all()
    commands: dict[str, list[str | Path]] = {BARE: [sys.executable, "-c", "pass"]}
    commands |= {f"shiftwork {words}": [SHIFTWORK, *words.split()] for words in COMMANDS}
    with tempfile.TemporaryDirectory() as scratch:
        folder = made_repository(Path(scratch))
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(seconds(command, folder))
    medians = {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in taken.items()}
    print(f"{f'{RUNS} runs, {ROUNDS} rounds':<40} {'wall':>9} {'ratio':>7} {'processor':>10} {'ratio':>7}")
    for name, (wall, used) in medians.items():
        ratios = [mine / bare for mine, bare in zip((wall, used), medians[BARE], strict=True)]
        print(f"{name:<40} {1000 * wall:>6.0f} ms {ratios[0]:>7.2f} {1000 * used:>7.0f} ms {ratios[1]:>7.2f}")
    used = {name: seconds for name, (_, seconds) in medians.items()}
    slow = too_slow(used)
    print("\n".join(slow or ["all limits hold"]))
    print(f"{used[GOAL] / used[BARE]:.2f}")
    return LIMIT_MISSED if slow else 0


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
