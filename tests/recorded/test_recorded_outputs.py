"""What commands, requests and tools print is what was recorded; a difference is a change that somebody has read.

`just record-outputs` writes the recordings again.
"""

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

import pytest

from tests.recorded.playing import RECORDINGS, play_project

OUTPUTS = Path(__file__).parent / "outputs"


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_project_prints_what_was_recorded(name: str, tmp_path: Path) -> None:
    printed = play_project(name, tmp_path)
    recorded = {path.stem: path.read_text(encoding="utf-8") for path in OUTPUTS.glob(f"{name}-*.txt")}
    assert sorted(recorded) == sorted(f"{name}-{part}" for part in printed)
    different = [line for part, text in printed.items() for line in _differences(recorded[f"{name}-{part}"], text)]
    assert not different, "\n".join(different)


def _differences(recorded: str, printed: str) -> Iterator[str]:
    return unified_diff(recorded.splitlines(), printed.splitlines(), "recorded", "printed", lineterm="")
