"""Which files of a commit were written while a gate ran, also where they have the same content again afterwards.

By the time of the last change of a file's status, which no program can set, and by the identity of files and folders:
one that was put in the place of another is another. A folder that is moved away and back is not noticed.
"""

import os
from collections.abc import Iterator, Mapping

from shiftwork.adapters.workspace.checkout import Tracked

type Stamp = tuple[int, ...]


def stamps(tree: str, tracked: Tracked) -> Mapping[str, Stamp]:
    """Of all files of the commit and the folders that they lie in."""
    return dict(_stamps(tree, tracked))


def _stamps(tree: str, tracked: Tracked) -> Iterator[tuple[str, Stamp]]:
    # Plain text, not paths: there may be thousands of files, and every gate waits for this.
    for path in tracked.files:
        try:
            status = os.lstat(f"{tree}/{path}")
        except OSError:
            yield path, ()
            continue
        yield path, (status.st_ino, status.st_ctime_ns, status.st_size, status.st_mode)
    for path in tracked.folders:
        try:
            yield path, (os.lstat(f"{tree}/{path}").st_ino,)
        except OSError:
            yield path, ()


def written(before: Mapping[str, Stamp], after: Mapping[str, Stamp]) -> set[str]:
    return {path for path, stamp in before.items() if after[path] != stamp}
