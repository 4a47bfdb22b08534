"""Changes that were left out when the stories of a run landed, as patches for `git apply`: one for each story, and one
for the whole run.
"""

import os
from pathlib import Path
from typing import Final

FOLDER: Final = "left-out"
_ENDING: Final = ".patch"


def patch_of_run(state: Path, run: str) -> Path:
    return state / FOLDER / f"{run}{_ENDING}"


def keep(state: Path, run: str, story: str, patch: bytes) -> None:
    """Replaces the patch of the story. The last writer has seen the files of all earlier writers."""
    folder = state / FOLDER / run
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    _replace(folder / f"{_named(story)}{_ENDING}", patch)
    parts = (file.read_bytes() for file in sorted(folder.glob(f"*{_ENDING}")))
    _replace(patch_of_run(state, run), b"".join(parts))


def _named(story: str) -> str:
    return "".join(
        character if character.isalnum() or character in "-_" else f"%{ord(character):x}" for character in story
    )


def _replace(path: Path, content: bytes) -> None:
    partial = path.with_suffix(".new")
    with open(partial, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
    partial.replace(path)
