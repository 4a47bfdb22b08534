"""Extra texts for an agent's prompt beside its story, bounded: texts that do not fit are listed by name."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from shiftwork.bounded import read_head
from shiftwork.ports.specs import Unused
from shiftwork.regexes import regex

OFFER_LIMIT: Final = 12_000
"""Characters. The prompt has its own limit; this one keeps the history small, which stores these texts for each story.
"""


_NAMES: Final = 100
_LARGEST: Final = 1024 * 1024


def text_beside(file: Path) -> str:
    """The beginning of a file; empty where it does not exist, is not a regular file or cannot be read."""
    try:
        return read_head(file, _LARGEST).decode(errors="replace")
    except OSError:
        return ""


_FILES: Final = 500
_NAMED: Final = regex(r"`([\w./-]+)`")


def unnamed(folder: Path, instructions: str) -> Iterator[Unused]:
    """Files of a change's folder that the instructions do not mention; none where the folder has no mentioned file."""
    names = set(_NAMED.findall(instructions))
    folders = tuple(name for name in names if name.endswith("/"))
    files = [file.relative_to(folder).as_posix() for file in islice(_files(folder), _FILES)]
    if not any(name in names - {"tasks.md"} or name.startswith(folders) for name in files):
        return
    for name in sorted(files):
        if name not in names and not name.startswith(folders):
            yield Unused(path=name, known=name.startswith("."))


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, files in folder.walk():
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (place / name for name in files)


def offered(instructions: str, lead: str, texts: Sequence[tuple[str, str]]) -> str:
    """Instructions, then each text under its name until the limit is reached, then the names of those left out."""
    if not texts:
        return instructions
    room = OFFER_LIMIT - len(instructions) - len(lead)
    parts: list[str] = []
    left: list[str] = []
    for name, text in texts:
        part = f"{name}\n\n{text}"
        room -= len(part)
        if left or room < 0:
            left.append(f"- {name}")
        else:
            parts.append(part)
    rest = ["Left out here because of their length; look them up:\n\n" + "\n".join(left[:_NAMES])] if left else []
    more = [f"and {len(left) - _NAMES} more"] if len(left) > _NAMES else []
    return "\n\n".join((instructions, lead, *parts, *rest, *more))
