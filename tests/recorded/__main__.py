"""`just record-outputs`: writes what commands, requests and tools print in the recorded projects, to `outputs/`.

A change of behaviour shows as a difference of these files: read it before you commit it.
"""

import tempfile
from pathlib import Path
from typing import Final

from tests import warm
from tests.own_folders import use_own_folders
from tests.recorded.playing import RECORDINGS, play_project

OUTPUTS: Final = Path(__file__).parent / "outputs"


def main() -> None:
    with use_own_folders(), tempfile.TemporaryDirectory() as folder:
        try:
            for name in RECORDINGS:
                place = Path(folder) / name
                place.mkdir()
                for part, text in play_project(name, place).items():
                    (OUTPUTS / f"{name}-{part}.txt").write_text(text, encoding="utf-8")
        finally:
            warm.close()


if __name__ == "__main__":
    main()
