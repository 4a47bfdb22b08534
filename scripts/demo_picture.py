"""Draws docs/demo.svg from a real run of `shiftwork demo`: `just docs`. `--check` only compares it with a new run.

A picture that differs only in times and names of commits stays as it is.
"""

import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Final

PICTURE: Final = Path(__file__).resolve().parents[1] / "docs/demo.svg"
SHIFTWORK: Final = Path(sysconfig.get_path("scripts")) / "shiftwork"
COLUMNS: Final = 118
COLOURS: Final = (
    (re.compile(r" failed | refused|sent back|was wrong"), "#f0883e"),
    (re.compile(r" passed |landed|has passed"), "#56d364"),
    (re.compile(r"^\$"), "#79c0ff"),
)
PLAIN: Final = "#c9d1d9"
VARIABLE: Final = re.compile(r"\b[0-9a-f]{10}\b|\d+(?:[.:]\d+)*")


def lines() -> list[str]:
    """The command and its output, up to the figures."""
    env = {"PATH": f"{SHIFTWORK.parent}:/usr/local/bin:/usr/bin:/bin", "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryDirectory() as home:
        own = {**env, "HOME": home}
        done = subprocess.run([SHIFTWORK, "demo"], env=own, capture_output=True, text=True, check=True)
    printed = done.stdout.splitlines()
    end = next(number for number, line in enumerate(printed) if line.lstrip().startswith("took "))
    return ["$ shiftwork demo", *printed[:end]]


def drawn(shown: Sequence[str]) -> str:
    return "\n".join(_elements(shown)) + "\n"


def _elements(shown: Sequence[str]) -> Iterator[str]:
    width, height = COLUMNS * 8 + 32, len(shown) * 19 + 32
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>'
    yield '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">'
    for number, line in enumerate(shown, start=1):
        colour = next((colour for pattern, colour in COLOURS if pattern.search(line)), PLAIN)
        yield f'<text x="16" y="{number * 19 + 12}" fill="{colour}">{escape(line[:COLUMNS])}</text>'
    yield "</g>\n</svg>"


def comparable(picture: str) -> str:
    """Without what differs between two runs: times and the names of commits."""
    return VARIABLE.sub("0", picture).replace("0 min 0 s", "0 s")


def main(arguments: list[str]) -> int:
    picture = drawn(lines())
    present = PICTURE.read_text(encoding="utf-8") if PICTURE.exists() else ""
    if comparable(present) == comparable(picture):
        return 0
    if "--check" not in arguments:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    print("docs/demo.svg is out of date: just docs")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
