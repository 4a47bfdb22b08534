"""Prints one row for each file that a newcomer brings: what it became, the order, the gates that ran, what landed."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.newcomers.rig import Outcome, Row, scripted, tried
from tests.newcomers.rows import ROWS
from tests.own_folders import use_own_folders

_HEADINGS = ("", "brought", "became", "order", "gates that ran", "landed")


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def main(names: Sequence[str]) -> int:
    rows = [row for row in ROWS if not names or any(name in row.name for name in names)]
    results = [(row, _tried(row)) for row in rows]
    table = [_HEADINGS, *(_cells(row, outcome) for row, outcome in results)]
    widths = [max(len(line[column]) for line in table) for column in range(len(_HEADINGS))]
    for line in table:
        write("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    for problem in _problems(results):
        write(problem)
    right = sum(not outcome.wrong for _, outcome in results)
    write(f"{right} of {len(results)} rows are right")
    return 0 if results and right == len(results) else 1


def _tried(row: Row) -> Outcome:
    with TemporaryDirectory() as folder:
        return tried(row, scripted(Path(folder)))


def _cells(row: Row, outcome: Outcome) -> tuple[str, ...]:
    mark = "wrong" if outcome.wrong else "right"
    return mark, row.name, outcome.became, outcome.order, ", ".join(outcome.gates), ", ".join(outcome.landed)


def _problems(results: Sequence[tuple[Row, Outcome]]) -> Iterator[str]:
    for row, outcome in results:
        yield from (f"{row.name}: {problem}" for problem in outcome.wrong)


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main(sys.argv[1:]))
