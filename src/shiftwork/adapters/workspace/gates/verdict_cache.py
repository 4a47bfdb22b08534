"""A cache of green gate reports by tree, in the memory of this process.

Only green reports: a red result may come from outside the tree (no network, a full disk), and keeping it would refuse
the same work forever. And only in memory: an unconfined agent can write to any file. Another process checks again.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.records import dataclass

KEPT: Final = 200

type _Key = tuple[Path, str, str, tuple[Gate, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """The newest verdicts of a repository, known by its `state` folder. `setup` is part of the key, because it may
    change the result.
    """

    state: Path
    setup: str = ""

    def recall(self, tree: str, gates: Sequence[Gate]) -> GateReport | None:
        """The report, if all these gates have passed on this tree."""
        return _known().get((self.state, self.setup, tree, tuple(gates)))

    def keep(self, tree: str, gates: Sequence[Gate], report: GateReport) -> None:
        known = _known()
        known[self.state, self.setup, tree, tuple(gates)] = report
        if len(known) > KEPT:
            del known[next(iter(known))]


@cache
def _known() -> dict[_Key, GateReport]:
    return {}
