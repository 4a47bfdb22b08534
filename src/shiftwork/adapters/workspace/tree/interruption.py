"""What a process was doing with a tree when it died. Half a tree is nobody's work, and must not be saved as such."""

from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.tree.untrusted_files import text_of, write_whole
from shiftwork.domain.core.ids import Commit
from shiftwork.records import dataclass

_REMOVAL: Final = "removal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """A file beside the index of the tree: it exists while the tree is removed, or restored after it was saved."""

    index: Path

    @property
    def is_removal(self) -> bool:
        return text_of(self._file) == _REMOVAL

    def was_saved(self, commit: Commit) -> bool:
        """Whether the difference from this commit is saved, and the tree perhaps half restored to it."""
        return text_of(self._file) == commit

    def removing(self) -> None:
        write_whole(self._file, _REMOVAL.encode())

    def restoring(self, commit: Commit) -> None:
        write_whole(self._file, commit.encode())

    def over(self) -> None:
        self._file.unlink(missing_ok=True)

    @property
    def _file(self) -> Path:
        return self.index.with_suffix(".interrupted")
