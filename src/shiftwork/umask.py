"""File permissions: the harness's own files are readable by their user only; programs that it starts, and files that it
writes for the user, get the user's usual umask.

The umask belongs to the whole process. It is closed once, where the command line starts, and never opened for a moment,
because another thread might write a file then.
"""

import os
from typing import Final

_OWN: Final = 0o077
_UNCHANGED: Final = -1
_remembered: Final = [_UNCHANGED]


def close() -> None:
    """From now on written files are readable by their user only; the previous umask is remembered."""
    before = os.umask(_OWN)
    if _remembered[0] == _UNCHANGED:
        _remembered[0] = before


def users() -> int:
    """The user's own umask for programs that are started, as `subprocess` expects it: -1 leaves it unchanged."""
    return _remembered[0]


def share(path: os.PathLike[str]) -> None:
    """Give a file or folder that was just made for the user the mode that their own umask would give it."""
    if _remembered[0] != _UNCHANGED:
        usual = 0o777 if os.path.isdir(path) else 0o666  # noqa: PTH112 - `--help` must not load pathlib
        os.chmod(path, usual & ~_remembered[0])  # noqa: PTH101 - as above
