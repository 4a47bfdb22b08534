"""Writes the tree of an index as git would, without starting git: see `commit_object`."""

import hashlib
import zlib
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.index_file import Index
from shiftwork.adapters.workspace.tree.untrusted_files import write_whole

_DEEPEST: Final = 200
"""Git itself has to write the tree of folders that are deeper."""


def write_tree(index: Index, objects: Path) -> str | None:
    """Writes the trees that git has not written yet, and returns the name of the whole; None if it is too deep."""
    if any(path.count(b"/") > _DEEPEST for path in index.entries):
        return None
    return _Writer(index, objects).tree(b"").hex()


class _Writer:
    """Goes through the entries once: the order of their paths is that of a tree's own entries."""

    def __init__(self, index: Index, objects: Path) -> None:
        self._index = index
        self._objects = objects
        self._paths = list(index.entries)
        self._at = 0

    def tree(self, folder: bytes) -> bytes:
        if known := self._index.trees.get(folder):
            self._at += known.entries
            return known.name
        rows: list[bytes] = []
        while self._at < len(self._paths) and (path := self._paths[self._at]).startswith(folder):
            slash = path.find(b"/", len(folder))
            if slash < 0:
                entry = self._index.entries[path]
                rows.append(b"%o %s\0%s" % (entry.mode, path[len(folder) :], entry.name))
                self._at += 1
            else:
                rows.append(b"40000 %s\0%s" % (path[len(folder) : slash], self.tree(path[: slash + 1])))
        return self._write(b"".join(rows))

    def _write(self, text: bytes) -> bytes:
        content = b"tree %d\0" % len(text) + text
        digest = hashlib.new(self._index.object_format, content)
        name = digest.hexdigest()
        path = self._objects / name[:2] / name[2:]
        if not path.exists():
            write_whole(path, zlib.compress(content, level=1))
        return digest.digest()
