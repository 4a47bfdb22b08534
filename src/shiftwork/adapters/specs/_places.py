"""Where a spec is in the repository: its file, the files beside it, and every link on the way to any of them."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from shiftwork.domain.spec.spec import SpecPaths

_LINKS: Final = 40
"""As many as Linux follows."""

_FILES: Final = 500


def spec_paths(named: Path, root: Path, beside: Sequence[str]) -> SpecPaths:
    """The places of the spec that a person named with this absolute path, below the root of the repository.

    At the top of the repository no folder counts as a part of the spec: `specs/` may be anything there.
    """
    own = tuple(dict.fromkeys(_way_to(named, root)))
    folder = Path(os.path.realpath(named)).parent
    names = [name for name in beside if not name.endswith("/") or folder != root]
    places = (place for name in names for place in _with_links(folder, name, root))
    others = tuple(dict.fromkeys(place for place in places if place.strip("/") and place not in own))
    return SpecPaths(own=own, beside=others if own else ())


def _with_links(folder: Path, name: str, root: Path) -> Iterator[str]:
    """A file or a folder beside the spec, and where links in it lead to."""
    *links, end = ("", *_way_to(folder / name, root))
    yield from filter(None, links)
    if not name.endswith("/"):
        yield end
        return
    yield f"{end}/"
    for file in islice((folder / name).rglob("*"), _FILES):
        if file.is_symlink():
            yield from _way_to(file, root)


def _way_to(named: Path, root: Path) -> Iterator[str]:
    """The links on the way, as far as they are in the repository, and the file at its end if it is."""
    waiting, at, links = list(reversed(named.parts)), Path(named.anchor or "/"), 0
    while waiting:
        part = waiting.pop()
        if part == "..":
            at = at.parent
            continue
        place = at / part
        if not place.is_symlink() or links == _LINKS:
            at = place
            continue
        links += 1
        yield from _inside(place, root)
        leads = place.readlink()
        at = Path(leads.anchor) if leads.is_absolute() else at
        waiting += reversed(leads.parts)
    yield from _inside(at, root)


def _inside(place: Path, root: Path) -> Iterator[str]:
    if place.is_relative_to(root) and place != root:
        yield place.relative_to(root).as_posix()
