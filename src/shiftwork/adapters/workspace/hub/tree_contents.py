"""How trees of the hub differ and which files they have, from memory if it follows from earlier answers.

A tree is named by its content, so an answer stays right. Every landing asks several times about the same few trees,
each of which differs from the one before in a few files.
"""

from collections.abc import Mapping, Sequence
from os import fsencode
from typing import Final, NamedTuple

from shiftwork.adapters.workspace.git.git import Git
from shiftwork.adapters.workspace.git.name_status import Row, differing, reverse
from shiftwork.records import dataclass, field

_DIFFERENCES: Final = 64
_ROWS: Final = 1000
"""Longer differences are not kept."""
_LISTINGS: Final = 16


class Listed(NamedTuple):
    """The mode of a path, and the name of its content."""

    mode: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeContents:
    """`origins` has an earlier tree for each tree whose difference from it is known."""

    differences: dict[tuple[str, str], tuple[Row, ...]] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    listings: dict[str, Mapping[str, Listed]] = field(default_factory=dict)

    async def differing(self, git: Git, old: str, new: str) -> Sequence[Row]:
        known = self._known(old, new)
        if known is not None:
            return known
        rows = tuple(await differing(git, old, new))
        if old != new and len(rows) <= _ROWS:
            self.differences[old, new] = rows
            self.origins[new] = old
            if len(self.differences) > _DIFFERENCES:
                oldest = next(iter(self.differences))
                del self.differences[oldest]
                self.origins.pop(oldest[1], None)
        return rows

    def _known(self, old: str, new: str) -> tuple[Row, ...] | None:
        if (old, new) in self.differences:
            return self.differences[old, new]
        back = self.differences.get((new, old))
        return None if back is None else tuple(map(reverse, back))

    async def listed(self, git: Git, tree: str) -> Mapping[str, Listed]:
        """The files of a tree, by path and in git's order."""
        if tree not in self.listings:
            listing = self._derived(tree)
            if listing is None:
                listing = _read((await git.run("ls-tree", "-r", "-z", "--full-tree", tree)).parts)
            self.listings[tree] = listing
            if len(self.listings) > _LISTINGS:
                del self.listings[next(iter(self.listings))]
        return self.listings[tree]

    def _derived(self, tree: str) -> Mapping[str, Listed] | None:
        """From the listing of an earlier tree and the differences since."""
        since: list[str] = []
        while tree not in self.listings:
            if tree in since or (self.origins.get(tree, ""), tree) not in self.differences:
                return None
            since.append(tree)
            tree = self.origins[tree]
        listing = self.listings[tree]
        for later in reversed(since):
            listing = _changed(listing, self.differences[self.origins[later], later])
        return listing


def _read(lines: Sequence[str]) -> Mapping[str, Listed]:
    rows = (line.partition("\t") for line in lines)
    heads = ((head.split(" "), path) for head, _, path in rows)
    return {path: Listed(mode, name) for (mode, _, name), path in heads}


def _changed(listing: Mapping[str, Listed], rows: Sequence[Row]) -> Mapping[str, Listed]:
    changed = {**listing, **{row.path: Listed(row.mode, row.new) for row in rows if not row.is_gone}}
    for row in rows:
        if row.is_gone:
            del changed[row.path]
    if any(row.path not in listing for row in rows):
        return dict(sorted(changed.items(), key=lambda item: fsencode(item[0])))
    return changed
