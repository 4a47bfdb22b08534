"""Reads spec files and replaces them atomically, one writer at a time."""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from shiftwork.bounded import read_bytes
from shiftwork.errors import SpecError
from shiftwork.file_locks import locked_within

_LARGEST: Final = 16 * 1024 * 1024
_LOCK_SECONDS: Final = 5.0
_TRIES: Final = 5


def text_of(path: Path, name: str) -> str:
    """Returns the text with its line ends; raises SpecError, which names the file as `name`."""
    content = _bytes_of(path, name)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line, column = before.count(b"\n") + 1, len(before.rpartition(b"\n")[2]) + 1
        raise SpecError(f"{name}:{line}:{column}: this is not UTF-8", hint="save the file as UTF-8") from None


def rewrite(path: Path, name: str, change: Callable[[str], str]) -> None:
    """Replaces the text with the result of `change`; writes nothing where both are the same.

    A lock keeps other Shiftwork processes waiting. Editors do not honour it, so the file is read once more before it is
    replaced, and the change is computed again where the file has changed.
    """
    path = path.resolve()  # replace the file, not a link to it
    try:
        with _alone(path.parent):
            for _ in range(_TRIES):
                old = text_of(path, name)
                new = change(old)
                if new == old or _replaced(path, old, new):
                    return
    except FileNotFoundError:
        raise _missing(name) from None
    except OSError as error:
        raise SpecError(f"{name} cannot be written: {error.strerror or error}", hint=f"look at {path}") from error
    raise SpecError(f"another program keeps writing to {name}")


def _missing(name: str) -> SpecError:
    return SpecError(f"there is no file {name}", hint="shiftwork init --prd writes one")


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        return read_bytes(path, _LARGEST)
    except FileNotFoundError:
        raise _missing(name) from None
    except OSError as error:
        reason = f"{name} cannot be read: {error.strerror or error}"
        raise SpecError(reason, hint=f"see what it is: ls -l {path}") from None


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds a lock on the folder, which leaves nothing behind when its holder dies. Without locks, or when another
    process with read access holds the lock too long, continues anyway: `_replaced` compares the file first.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with contextlib.suppress(OSError):
            locked_within(_LOCK_SECONDS, handle)
        yield
        with contextlib.suppress(OSError):  # some file systems do not support it, and need not
            os.fsync(handle)
    finally:
        os.close(handle)


def _replaced(path: Path, old: str, new: str) -> bool:
    # Always the same name, so that the remains of a process that died are overwritten and do not accumulate.
    partial = path.with_name(f".{path.name}.shiftwork")
    try:
        partial.unlink(missing_ok=True)
        # Created with "x": a link of that name, which a commit may contain, would be followed.
        with partial.open("xb") as file:
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.write(new.encode())
            file.flush()
            os.fsync(file.fileno())
        if path.read_bytes() != old.encode():
            return False
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return True
