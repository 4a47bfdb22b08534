"""`just repositories`: takes ordinary repositories through `init`, `doctor --gates` and `run`, and prints a table.

An agent first breaks the code and calls it done, then does the work. The exit code is 0 only if no broken work landed
and all of the right work did. Rows can be named (`just repositories python-uv go`).
The sandbox is on, as it is by default; with SHIFTWORK_TEST_TIER=none it is off.
"""

import argparse
import contextlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from shiftwork.testing.postgres_cluster import private_postgres
from tests.ordinary.database_row import at
from tests.ordinary.every import ROWS
from tests.ordinary.row import Row
from tests.ordinary.trial import Doctor, Outcome, tried
from tests.ordinary.user import install_compilers
from tests.own_folders import use_own_folders

_NOTHING: Final = "-"
_HEAD: Final = ("row", "1st tree", "2nd tree", "canary", "broken refused", "right landed", "consents", "seconds")


def main() -> int:
    asked = _asked()
    rows = [ROWS[name] for name in asked.rows] or [row for row in ROWS.values() if row.in_ci or not asked.ci]
    install_compilers(rows)
    _say(_line(_HEAD))
    wrong: list[Outcome] = []
    for row in rows:
        with tempfile.TemporaryDirectory(prefix=f"shiftwork-{row.name}-", delete=not asked.keep) as folder:
            outcome = _outcome(row, Path(folder))
        _say(_line(_cells(outcome)))
        wrong += [outcome] if outcome.wrong else []
        if asked.keep:
            _say(f"  kept in {folder}")
    for outcome in wrong:
        _say(f"\n{outcome.row.name}\n" + "\n".join((*outcome.wrong, outcome.said)).rstrip())
    _say(f"\n{len(rows) - len(wrong)} of {len(rows)} rows are as they must be")
    return 1 if wrong else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="just repositories", description=__doc__)
    # Where none is named, argparse looks for the empty list among the choices.
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS], metavar="row", help=f"of: {', '.join(ROWS)}; else all")
    parser.add_argument("--ci", action="store_true", help="only those that need no compiler: what CI runs")
    parser.add_argument("--keep", action="store_true", help="leave the repositories where they are")
    return parser.parse_args()


def _outcome(row: Row, folder: Path) -> Outcome:
    began = time.monotonic()
    try:
        with private_postgres() if row.database else contextlib.nullcontext("") as address:
            return tried(at(address, row), folder)
    except Exception as error:  # noqa: BLE001 - an error belongs to this row, and the others are still tried
        return Outcome(
            row=row,
            environment=_NOTHING,
            first=Doctor(),
            second=Doctor(),
            refused=_NOTHING,
            landed="no",
            seconds=time.monotonic() - began,
            wrong=(f"{type(error).__name__}: {error}",),
        )


def _cells(outcome: Outcome) -> tuple[str, ...]:
    sights = outcome.second.sights or outcome.first.sights
    return (
        outcome.row.name,
        outcome.environment,
        outcome.second.environment,
        ", ".join(f"{gate} {sight}" for gate, sight in sights) or _NOTHING,
        outcome.refused,
        outcome.landed,
        str(outcome.consents or _NOTHING),
        f"{outcome.seconds:.0f}",
    )


def _line(cells: tuple[str, ...]) -> str:
    name, first, second, canary, refused, landed, consents, seconds = cells
    return f"{name:23} {first:13} {second:13} {canary:31} {refused:15} {landed:13} {consents:9} {seconds:>7}"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - this is a program


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
