"""Breaking the product's sources on purpose, to learn whether a gate notices it, and what is known of that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from shiftwork.domain.canary.canary_verdict import KnownSight
from shiftwork.domain.canary.examination import Trial
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.gates.gate import Gate, GateResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What decides what gates see of a commit: its `files` with the names of their contents, the setup command, and the
    environment that gates run in.
    """

    tree: str
    files: tuple[tuple[str, str], ...]
    setup: str
    environment: str


class Canary(Protocol):
    """Runs gates on commits whose sources are broken, and remembers what they were found to see."""

    async def situation(self, commit: Commit) -> Situation:
        """Nothing is started for it but git."""
        ...

    async def texts(self, commit: Commit, paths: Sequence[str]) -> dict[str, str]:
        """What these files of the commit hold, as far as that is text of a reasonable size."""
        ...

    async def run(
        self, commit: Commit, gates: Sequence[Gate], trial: Trial, marker: str
    ) -> tuple[bool, frozenset[int]]:
        """Set a tree up on the commit, move it to a commit in which the trial's files are broken, as it would move to a
        candidate, and run the gates there one after the other: whether the last of them passed, and the numbers of the
        broken files that their whole output names. A gate that ran out of time has not passed. The tree is thrown
        away.
        """
        ...

    def recall(self, key: str) -> KnownSight | None:
        """What was kept under the key, by this process or an earlier one."""
        ...

    def keep(self, key: str, known: KnownSight) -> None: ...

    def recall_base(self, key: str) -> GateResult | None:
        """A gate that was green on a base. It says that work may begin there, and never that a change may land."""
        ...

    def keep_base(self, key: str, result: GateResult) -> None: ...
