"""The raw output of one attempt, kept for later inspection; its size is limited, and it never makes an attempt fail."""

import json
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

LOG_BYTES: Final = 32 * 1024 * 1024


class AttemptLog:
    """Appends line by line, unbuffered, so that it can be followed; `failure` says why writing stopped."""

    def __init__(self, path: Path, limit: int = LOG_BYTES) -> None:
        self.failure = ""
        self._path = path
        self._room = limit
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab", buffering=0)
        except OSError as failure:
            self._stop(failure)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file:
            self._file.close()

    def line(self, line: bytes) -> None:
        if self._room < 0:
            return
        self._room -= len(line) + 1
        if self._room < 0:
            self.note({"type": "dropped", "text": "the log has reached its size limit; the rest was dropped"})
        else:
            self._write(line)

    def note(self, entry: dict[str, object]) -> None:
        """Writes a line of Shiftwork's own, outside the size limit: there are few of them."""
        self._write(json.dumps(entry, ensure_ascii=False).encode(errors="replace"))

    def _write(self, line: bytes) -> None:
        try:
            if self._file:
                self._file.write(line + b"\n")
        except OSError as failure:  # the disk is full: the attempt continues without its log
            self._stop(failure)

    def _stop(self, failure: OSError) -> None:
        self.failure = f"the log could not be written: {failure.strerror or failure}"
        if self._file:
            self._file.close()
            self._file = None
