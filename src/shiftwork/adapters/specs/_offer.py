"""Texts that an agent is offered beside its story, bounded: what does not fit is named, so that it can be looked up."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from shiftwork.bounded import read_head
from shiftwork.ports.specs import Unused

OFFER_LIMIT: Final = 12_000
"""Characters. The prompt has a limit of its own; this one keeps the history small, which has them once a story."""


_NAMES: Final = 100
_LARGEST: Final = 1024 * 1024


def text_beside(file: Path) -> str:
    """The beginning of a file that may be there; nothing of one that is not, is no regular file or cannot be read."""
    try:
        return read_head(file, _LARGEST).decode(errors="replace")
    except OSError:
        return ""


_FILES: Final = 500
_NAMED: Final = re.compile(r"`([\w./-]+)`")


def unnamed(folder: Path, instructions: str) -> Iterator[Unused]:
    """The files of a change's folder that agents are not told of; of a folder that has none of the others, nothing."""
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
    """Instructions, then each text under its name until the room is used, then the names of those left out."""
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
    rest = ["Left out here for their length, and to be looked up:\n\n" + "\n".join(left[:_NAMES])] if left else []
    more = [f"and {len(left) - _NAMES} more"] if len(left) > _NAMES else []
    return "\n\n".join((instructions, lead, *parts, *rest, *more))
