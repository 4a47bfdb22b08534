"""Which rows of the long suites the gate runs: first those about what has changed, then one tenth of all, in turn.

`pytest --long-rows` leaves only these of what it has collected. Every row has one of ten turns by its name, and the
number of the commit says whose turn it is, so each row runs within ten commits.
"""

import subprocess
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.gate.subjects import LONG_SUITES, WHOLE_SUBJECTS, longest_folder, suites_of_change, whole_subjects_of

ROOT: Final = Path(__file__).parents[2]
FULL_GREEN: Final = ROOT / ".ci/full-green"
SECONDS_FILE: Final = Path(__file__).with_name("row_seconds.txt")

TURNS: Final = 10
MOST_PROCESSOR_SECONDS: Final = 4 * 60 * 2  # four minutes of two cores
_UNKNOWN_SECONDS: Final = 3.0


@dataclass(frozen=True, kw_only=True)
class Change:
    """What has changed since the tree on which everything was green. `files` is None if that tree is not known."""

    files: tuple[str, ...] | None
    commit_number: int

    @property
    def turn(self) -> int:
        return self.commit_number % TURNS

    @property
    def suites(self) -> frozenset[str]:
        return frozenset(LONG_SUITES) if self.files is None else suites_of_change(self.files)

    @property
    def whole_subjects(self) -> tuple[str, ...]:
        """The subjects whose change runs every attack, and every kill on every database."""
        return tuple(WHOLE_SUBJECTS) if self.files is None else whole_subjects_of(self.files)

    def __str__(self) -> str:
        suites = ", ".join(sorted(self.suites)) or "none"
        whole = f"; all attacks and kills, for {', '.join(self.whole_subjects)}" if self.whole_subjects else ""
        since = "no known green tree" if self.files is None else f"{len(self.files)} files changed"
        return f"long suites: {since}, rows of {suites}{whole}; turn {self.turn + 1} of {TURNS}"


def choose_rows(rows: Sequence[str], seconds: Mapping[str, float], change: Change) -> frozenset[str]:
    """Rows are node ids. Rows whose turn it is always run, and all attacks where the change needs them; rows about the
    change fill the time that is left, and begin at another turn with every commit.
    """
    suites = change.suites
    attacks = {row for row in rows if change.whole_subjects and suite_of_row(row) == "attacks"}
    chosen = attacks | {row for row in rows if turn_of_row(row) == change.turn}
    left = MOST_PROCESSOR_SECONDS - sum(_seconds_of(row, seconds) for row in chosen - attacks)
    others = [row for row in rows if suite_of_row(row) in suites and row not in chosen]
    for row in sorted(others, key=lambda row: ((turn_of_row(row) - change.turn) % TURNS, row)):
        if (cost := _seconds_of(row, seconds)) <= left:
            chosen.add(row)
            left -= cost
    return frozenset(chosen)


def turn_of_row(row: str) -> int:
    return zlib.crc32(row.encode()) % TURNS


def suite_of_row(row: str) -> str:
    """The long suite of a node id; empty for a test of another folder."""
    for suite, folders in LONG_SUITES.items():
        if longest_folder(row.partition("::")[0], folders):
            return suite
    return ""


def function_of_row(row: str) -> str:
    return row.partition("[")[0]


def _seconds_of(row: str, seconds: Mapping[str, float]) -> float:
    return seconds.get(row, seconds.get(function_of_row(row), _UNKNOWN_SECONDS))


def read_seconds(text: str) -> dict[str, float]:
    """Processor seconds of a row, or of each case of a function, by its node id."""
    return {row: float(seconds) for seconds, row in (line.split(" ", 1) for line in text.splitlines() if line)}


def write_seconds(lines: Sequence[str]) -> str:
    """The file of seconds from what `--processor-times` has written: a line for each row that is not quick."""
    longest: dict[str, float] = {}
    for line in lines:
        seconds, _, row = line.rstrip("\n").partition(" ")
        if suite_of_row(row):
            longest[row] = max(longest.get(row, 0.0), float(seconds))
    functions: dict[str, list[float]] = {}
    for row, cost in longest.items():
        functions.setdefault(function_of_row(row), []).append(cost)
    return "".join(f"{cost:.1f} {name}\n" for name, cost in sorted(_thinned(functions, longest)))


def _thinned(functions: Mapping[str, Sequence[float]], rows: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """A line for a function whose cases cost nearly the same, else a line for each case."""
    for function, costs in functions.items():
        if max(costs) - min(costs) < _UNKNOWN_SECONDS:
            yield function, max(costs)
        else:
            yield from ((row, cost) for row, cost in rows.items() if function_of_row(row) == function)


def current_change() -> Change:
    """What the work tree has changed since `just full` was green; files that git does not track count too."""
    number = int(_git("rev-list", "--count", "HEAD") or 0)
    tree = FULL_GREEN.read_text(encoding="ascii").split()[-1] if FULL_GREEN.exists() else ""
    if not tree or _git("cat-file", "-t", tree) != "tree":
        return Change(files=None, commit_number=number)
    tracked = _git("diff", "--name-only", "--no-renames", tree, "--").splitlines()
    new = _git("ls-files", "--others", "--exclude-standard").splitlines()
    return Change(files=tuple({*tracked, *new} - {".ci/full-green"}), commit_number=number)


def _git(*words: str) -> str:
    ended = subprocess.run(("git", *words), cwd=ROOT, capture_output=True, text=True, check=False)
    return ended.stdout.strip() if ended.returncode == 0 else ""
