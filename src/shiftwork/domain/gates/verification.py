"""A verification step that a spec names for a story."""

from enum import StrEnum

from shiftwork.domain.gates.folders import in_folder
from shiftwork.records import dataclass


class VerificationKind(StrEnum):
    """What a verification step checks."""

    SHELL = "shell"
    FILE_EXISTS = "file_exists"
    URL = "url"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A check that a spec requires for one story; the harness runs it in the tree of the candidate.

    `id` is the id of its criterion. A shell step has `command`, `cwd`, `contains` (text in its output) and `files`
    (globs that must match afterwards); a file step has `path`, which may be a `glob`; a url step has the rest.
    """

    id: str
    kind: VerificationKind
    name: str = ""
    command: str = ""
    cwd: str = ""
    path: str = ""
    glob: bool = False
    url: str = ""
    method: str = "GET"
    status: int = 200
    contains: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    seconds: float = 900

    @property
    def action(self) -> str:
        """What it runs, and where, or which address it calls: what a user agrees to."""
        return in_folder(self.cwd, self.command) or f"{self.method} {self.url}"

    @property
    def gate_command(self) -> str:
        """The command of a gate that checks exactly the same; empty where the step looks at more than its exit code."""
        return "" if self.contains or self.files else in_folder(self.cwd, self.command)
