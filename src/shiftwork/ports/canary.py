"""The canary, a deliberate fault in the product that a gate must notice: injects it and stores the results."""

from collections.abc import Sequence
from typing import Protocol

from shiftwork.domain.canary.canary_verdict import KnownLoaded, KnownSight
from shiftwork.domain.canary.examination import Trial
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateResult
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Everything that decides what gates see of a commit: its `files` with their content hashes, the setup command, and
    the environment that gates run in. `paths` are those of the files.
    """

    tree: str
    paths: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    setup: str
    environment: str


class Canary(Protocol):
    """Runs gates on commits with broken sources, and remembers the results."""

    async def situation(self, commit: Commit) -> Situation:
        """Starts no program except git."""
        ...

    async def texts(self, commit: Commit, paths: Sequence[str]) -> dict[str, str]:
        """The content of these files of the commit, as far as they are text of a reasonable size."""
        ...

    async def run(
        self, commit: Commit, gates: Sequence[Gate], trial: Trial, marker: str
    ) -> tuple[bool, frozenset[int]]:
        """Set up a tree on the commit, move it to a commit in which the trial's files are broken, as it would move to a
        candidate, and run the gates there in order. Returns whether the last gate passed, and the numbers of the broken
        files that the complete output names. A gate that timed out has not passed. The tree is deleted.
        """
        ...

    def recall(self, key: str) -> KnownSight | None:
        """The result stored under the key, by this process or an earlier process."""
        ...

    def keep(self, key: str, known: KnownSight) -> None: ...

    def recall_loaded(self, key: str) -> KnownLoaded | None:
        """What a gate opened on a base, as this process or an earlier one measured it."""
        ...

    def keep_loaded(self, key: str, loaded: KnownLoaded) -> None: ...

    def recall_base(self, key: str) -> GateResult | None:
        """A stored result of a gate that passed on a base. It allows work to start there, never a change to land."""
        ...

    def keep_base(self, key: str, result: GateResult) -> None: ...
