"""Writes the page that lists every fault and its outcome: `python -m tests.faults.documentation`."""

from pathlib import Path
from typing import Final

from tests.faults.every import FAULTS
from tests.faults.matrix import PAINS, Fault

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"

HEAD: Final = """\
# What goes wrong, and how it ends

Each row is a test with the real Claude Code and the real Codex; only the model behind them is scripted. `just faults`
runs all rows, or the rows whose numbers it gets, and prints how long each took and how long it may take. Seconds in
which the machine makes a test wait do not count. The project's gate runs all rows before every change.

Besides the end in the table, this holds after each row: every commit on the base was proved as it is there, no file of
the user has changed, no process of an agent is alive, no lock is left, and a run that is over keeps no workspace.

| | the problem | what happens | the run is | landed | within |
|---:|---|---|---|---:|---:|
"""


def document() -> str:
    return HEAD + "".join(f"| {' | '.join(_cells(fault))} |\n" for fault in FAULTS)


def _cells(fault: Fault) -> tuple[str, ...]:
    status, landed = fault.end.split(", ")
    number = landed.removesuffix(" landed")
    return str(fault.row), PAINS[fault.row], fault.name, status, number, f"{fault.within:g} s"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
