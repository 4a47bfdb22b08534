"""`just faults`: runs the whole matrix and prints it as a table; exits with 1 if any fault ended unexpectedly.

Rows can be named (`just faults 7 13`), and `--at-once` sets how many run in parallel.
"""

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from shiftwork.testing.model_server import ModelServer
from tests.faults.every import FAULTS
from tests.faults.matrix import Fault, played
from tests.faults.stage import PROGRAMS, Stage
from tests.own_folders import use_own_folders

ROOT: Final = Path(__file__).parents[2]


def main() -> int:
    asked = argparse.ArgumentParser(prog="just faults", description="Play the fault matrix and print it.")
    asked.add_argument("rows", nargs="*", type=int, help="of the list of pains; all of them if none is named")
    asked.add_argument("--at-once", type=int, default=2)
    given = asked.parse_args()
    faults = [fault for fault in FAULTS if not given.rows or fault.row in given.rows]
    programs = {agent: _program(name) for agent, name in PROGRAMS.items()}
    width = max(len(fault.name) for fault in faults)
    _say(f"row  {'what happens':{width}}  {'must end':19}  " + "  ".join(f"{agent:12}" for agent in programs))
    wrong: list[str] = []
    with ThreadPoolExecutor(given.at_once) as pool:
        cells = [[pool.submit(_cell, fault, *entry) for entry in programs.items()] for fault in faults]
        for fault, row in zip(faults, cells, strict=True):
            lines = [cell.result() for cell in row]
            wrong += [f"{fault.row} {fault.name}: {why}" for _, why in lines if why]
            shown = "  ".join(f"{text:12}" for text, _ in lines)
            _say(f"{fault.row:3}  {fault.name:{width}}  {fault.end:19}  {shown}".rstrip())
    _say(f"\n{len(faults) * len(programs) - len(wrong)} of {len(faults) * len(programs)} ended as they must")
    for item in wrong:
        _say(f"\n{item}")
    return 1 if wrong else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _program(name: str) -> Path:
    found = subprocess.run(
        [sys.executable, ROOT / "scripts" / "agents.py", name], capture_output=True, text=True, check=True
    )
    return Path(found.stdout.strip())


def _cell(fault: Fault, agent: str, program: Path) -> tuple[str, str]:
    """What the table shows, and what was wrong."""
    with tempfile.TemporaryDirectory(prefix="shiftwork-fault-") as root, ModelServer() as server:
        try:
            seconds = played(fault, Stage(root=Path(root), program=program, server=server, agent=agent))
        except Exception as error:  # noqa: BLE001 - an error belongs to this cell, and the others continue
            return "OTHERWISE", f"{agent}: {type(error).__name__}: {error}"
    return f"{seconds:4.0f} of {fault.within:.0f} s", ""


if __name__ == "__main__":
    with use_own_folders():
        sys.exit(main())
