"""Writes the processor seconds of the long rows from what `pytest --processor-times FILE` has measured."""

import sys
from pathlib import Path

from tests.gate.long_rows import SECONDS_FILE, write_seconds

if __name__ == "__main__":
    SECONDS_FILE.write_text(write_seconds(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()), encoding="utf-8")
