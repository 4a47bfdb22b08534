"""Who may read what is written: of the harness's own files their user alone; what it starts, or writes for the user, is
as they are used to.

The mask belongs to the whole process, so it is closed once, where the command line begins, and never opened for a
moment: another thread may write a file then.
"""

import os
from typing import Final

_OWN: Final = 0o077
_UNCHANGED: Final = -1
_remembered: Final = [_UNCHANGED]


def close() -> None:
    """From here on what is written is for its user alone; the mask that was in force is remembered."""
    before = os.umask(_OWN)
    if _remembered[0] == _UNCHANGED:
        _remembered[0] = before


def users() -> int:
    """The user's own mask, for programs that are started, as `subprocess` takes it: -1 leaves it as it is."""
    return _remembered[0]


def share(path: os.PathLike[str]) -> None:
    """Give a file or a folder that was just made for the user the mode that it would have by their own mask."""
    if _remembered[0] != _UNCHANGED:
        usual = 0o777 if os.path.isdir(path) else 0o666  # noqa: PTH112 - `--help` loads no pathlib
        os.chmod(path, usual & ~_remembered[0])  # noqa: PTH101 - as above
