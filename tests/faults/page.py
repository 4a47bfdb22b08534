"""The page of the documentation that tells every fault and its end: `python -m tests.faults.page` writes it."""

from pathlib import Path
from typing import Final

from tests.faults.every import FAULTS
from tests.faults.matrix import PAINS, Fault

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "faults.md"

HEAD: Final = """\
# What goes wrong, and how it ends

Every row is played with the real Claude Code and the real Codex; only the model behind them is scripted. `just faults`
plays them all, or those whose numbers it is given, and prints how long each took of the seconds it has; those in which
the machine keeps somebody waiting do not count. This project's gate does the same before every change.

Beside the end that is told here, the same holds after each of them: every commit on the base was proved as it stands
there, no file of the user's has changed, no process of an agent is alive, no lock is left, and a run that is over keeps
no workspace.

| | what users suffer from | what happens | the run is | landed | within |
|---:|---|---|---|---:|---:|
"""


def page() -> str:
    return HEAD + "".join(f"| {' | '.join(_cells(fault))} |\n" for fault in FAULTS)


def _cells(fault: Fault) -> tuple[str, ...]:
    status, landed = fault.end.split(", ")
    number = landed.removesuffix(" landed")
    return str(fault.row), PAINS[fault.row], fault.name, status, number, f"{fault.within:g} s"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
