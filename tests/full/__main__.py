"""`just full`: runs every recipe with small arguments, the whole test suite among them, and prints a table.

It continues after a red row, and ends with 1 if there was one. When all rows are green on a clean work tree, it writes
the name of the tree to `.ci/full-green`; the gate then knows what has changed since. Recipes can be named (`just full
docs lock`), and `--list` prints the table without running it. The output of each row is in `.cache/full`.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.limits import LIMIT_MISSED
from shiftwork.adapters.processes.host.this_host import this_host
from shiftwork.config.site import cache_home, environment, state_home
from shiftwork.config.user import user_folder
from tests.full.running import OVER_ITS_LIMIT, Ended, describe_folders, run_command
from tests.full.table import MOST_MINUTES, ROWS, Row
from tests.own_folders import HOMES

ROOT: Final = Path(__file__).parents[2]
LOGS: Final = ROOT / ".cache/full"
GREEN_FILE: Final = ".ci/full-green"


@dataclass(frozen=True, kw_only=True)
class Result:
    """`wrong` says what is red; `note` is about a figure that missed its limit, which is not."""

    row: Row
    ended: Ended
    wrong: tuple[str, ...]
    note: str = ""

    def __str__(self) -> str:
        outcome = f"RED: {'; '.join(self.wrong)}" if self.wrong else f"green{self.note}"
        return _line(self.row, f"{self.ended.seconds:6.0f} s {self.ended.processor:6.0f} s", outcome)


def main() -> int:
    asked = _asked()
    if unknown := set(asked.names) - {row.recipe for row in ROWS}:
        _say(f"no row is named {', '.join(sorted(unknown))}; `just full --list` prints all")
        return 64
    rows = [row for row in ROWS if not asked.names or row.recipe in asked.names]
    if asked.list:
        for row in rows:
            _say(_line(row, f"{row.minutes:5.1f} min", "").rstrip())
        _say(f"{sum(row.minutes for row in rows):.0f} minutes on two cores, of {MOST_MINUTES:.0f}")
        return 0
    before = _tree(), _changes()
    results = _run(rows)
    red = [result for result in results if result.wrong]
    _say("\n" + "\n".join(map(str, results)))
    minutes = sum(result.ended.seconds for result in results) / 60
    used = sum(result.ended.processor for result in results) / 60
    _say(f"\n{len(red)} of {len(results)} rows are red; {minutes:.0f} minutes, {used:.0f} of processor time")
    if not red and not asked.names:
        _keep_green(before)
    return 1 if red else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just full", description=__doc__)
    parser.add_argument("names", nargs="*", help="of recipes; all rows if none is named")
    parser.add_argument("--list", action="store_true", help="print the table only")
    return parser.parse_args()


def _run(rows: Sequence[Row]) -> list[Result]:
    LOGS.mkdir(parents=True, exist_ok=True)
    os.environ["CI"] = "true"  # noqa: TID251 - what is missing is an error there, and no reason to skip a test
    this_host().adopt_orphans()
    results = list[Result]()
    for row in rows:
        _say(f"{len(results) + 1} of {len(rows)}: {' '.join(row.command)}")
        results.append(_result_of(row))
        _say(str(results[-1]))
    return results


def _result_of(row: Row) -> Result:
    log = LOGS / f"{row.recipe}.log"
    changes, homes = _changes(), describe_folders(_user_folders())
    ended = run_command(row.command, log, seconds=row.most_seconds, address=row.address)
    wrong = [*_failures(row, ended)]
    wrong += [f"it has changed {line[3:]}" for line in sorted(_changes() - changes)]
    now = describe_folders(_user_folders())
    wrong += [f"it has written to {folder}" for folder, found in homes.items() if now[folder] != found]
    if wrong:
        wrong.append(f"see {log.relative_to(ROOT)}")
    note = ", a figure misses its limit" if ended.code == LIMIT_MISSED else ""
    return Result(row=row, ended=ended, wrong=tuple(wrong), note=note)


def _failures(row: Row, ended: Ended) -> list[str]:
    if row.address:
        return [] if ended.answered else [f"{row.address} did not answer"]
    if ended.code is OVER_ITS_LIMIT:
        return [f"ended after {row.most_seconds / 60:.0f} minutes"]
    return [] if ended.code in {0, LIMIT_MISSED} else [f"exit code {ended.code}"]


def _user_folders() -> tuple[Path, Path, Path]:
    """Those that the product uses if no variable of its own names others."""
    env: Mapping[str, str] = {name: value for name, value in environment().items() if name not in HOMES}
    return cache_home(env), state_home(env), user_folder(env)


def _tree() -> str:
    return _git("rev-parse", "HEAD^{tree}").strip()


def _changes() -> frozenset[str]:
    """What differs from the last commit, and is not ignored, as git prints it."""
    return frozenset(_git("status", "--porcelain", "--", ".", f":!{GREEN_FILE}").splitlines())


def _keep_green(before: tuple[str, frozenset[str]]) -> None:
    if before != (_tree(), frozenset()) or _changes():
        _say(f"the work tree is not that of one commit: {GREEN_FILE} stays as it is")
        return
    (ROOT / GREEN_FILE).write_text(f"tree {before[0]}\n", encoding="ascii")
    _say(f"written to {GREEN_FILE}: commit it")


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), cwd=ROOT, check=True, capture_output=True, text=True).stdout


def _line(row: Row, figures: str, outcome: str) -> str:
    return f"{row.recipe:16} {' '.join(row.words):38} {figures}  {outcome}"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is a program


if __name__ == "__main__":
    sys.exit(main())
