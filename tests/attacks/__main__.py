"""`just attacks`: runs every attack on both tiers and prints the table. Exits with 1 when an attack's outcome differs
from its row, or when a row has an outcome that is not allowed.

Arguments select the rows, as `pytest -k` does.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.attacks.table import TIERS, Attack

_HERE: Final = Path(__file__).parent
_LEAST: Final = 100
"""How many rows the whole table has at least: those that once succeeded, and 72 of our own."""


class _Table:
    """Collects rows and outcomes from a test run, also from its workers."""

    def __init__(self) -> None:
        self.rows: dict[str, Attack] = {}
        self.outcomes: dict[tuple[str, str], str] = {}
        self.doubled: set[str] = set()

    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        tests: dict[str, str] = {}
        for item in items:
            if mark := item.get_closest_marker("attack"):
                row, test = mark.args[0], item.nodeid.partition("[")[0]
                self.rows[row.name] = row
                if tests.setdefault(row.name, test) != test:
                    self.doubled.add(row.name)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == "attack":
                row, tier, seen = str(value).split("\t")
                self.outcomes[row, tier] = seen if report.passed else seen.upper()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def main() -> int:
    chosen = sys.argv[1:]
    table = _Table()
    narrowed = ["-k", " or ".join(chosen)] if chosen else []
    code = pytest.main([str(_HERE), "-q", "--no-header", "-p", "no:randomly", *narrowed], plugins=[table])
    rows = sorted(table.rows.values(), key=lambda row: (row.layer, row.seen or 999, row.name))
    width = max((len(row.name) for row in rows), default=0)
    _say(f"\n{'attack':{width}}  {'layer':10}  {'severity':8}  {'auto':9}  none")
    for row in rows:
        auto, none = (table.outcomes.get((row.name, tier), "not run") for tier in TIERS)
        _say(f"{row.name:{width}}  {row.layer:10}  {row.severity:8}  {auto:9}  {none}")
    wrong = [f"{row.name}: {row.complaint}" for row in rows if row.complaint]
    wrong += [f"{name}: two tests have this row" for name in sorted(table.doubled)]
    if not chosen and len(rows) < _LEAST:
        wrong.append(f"the table has {len(rows)} rows, and must have {_LEAST}")
    if not chosen and (missing := sorted({*range(1, 40)} - {row.seen for row in rows})):
        wrong.append(f"attacks that once succeeded are missing: {', '.join(map(str, missing))}")
    _say("\n" + "\n".join(wrong) if wrong else f"\n{len(rows)} attacks, each as its row says")
    return 1 if wrong or code else 0


if __name__ == "__main__":
    sys.exit(main())
