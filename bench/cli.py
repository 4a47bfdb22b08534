"""How long the quick commands take, compared with a bare start of the same interpreter.

`shiftwork --help` and `shiftwork status` (in a repository with the history of one run, on SQLite) alternate with
`python -c pass`, because timings on a shared machine drift; the ratio is that of the medians. Bytecode is compiled
first: with PYTHONDONTWRITEBYTECODE set there would be none, and every start would pay for it.
"""

import compileall
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

import shiftwork
from shiftwork.config.site import environment

ROUNDS = 60
SHIFTWORK = Path(sys.executable).with_name("shiftwork")


def compile_all() -> None:
    for package in (shiftwork, click):
        compileall.compile_dir(str(Path(str(package.__file__)).parent), quiet=2)


def made_repository(folder: Path) -> Path:
    """A repository with the history of a run, created by the demo."""
    env = environment() | {"TMPDIR": str(folder)}
    subprocess.run([SHIFTWORK, "demo", "--keep"], env=env, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("shiftwork-demo-*"))


def seconds(command: list[str | Path], folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    compile_all()
    commands: dict[str, list[str | Path]] = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "shiftwork --help": [SHIFTWORK, "--help"],
        "shiftwork status": [SHIFTWORK, "status"],
    }
    with tempfile.TemporaryDirectory() as scratch:
        folder = made_repository(Path(scratch))
        taken: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                taken[name].append(seconds(command, folder))
    medians = {name: statistics.median(times) for name, times in taken.items()}
    bare = medians["python -c pass"]
    print(f"{'':<18} {'median':>9} {'best':>9} {'ratio':>7}")
    for name, median in medians.items():
        print(f"{name:<18} {1000 * median:>6.1f} ms {1000 * min(taken[name]):>6.1f} ms {median / bare:>7.2f}")
    print(f"{max(medians.values()) / bare:.2f}")


if __name__ == "__main__":
    main()
