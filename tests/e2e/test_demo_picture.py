"""The picture in the README shows what `shiftwork demo` prints."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_picture_is_up_to_date() -> None:
    checked = subprocess.run(
        [sys.executable, "scripts/demo_picture.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"just docs: {checked.stdout}{checked.stderr}"
