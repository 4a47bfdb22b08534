"""What gates have said before: green reports by the tree they were made on, in files beside the hub.

Only green ones: a red result may come from what is outside the tree (no network, a full disk), and keeping it would
refuse the same work for ever. And only those of this process: an agent that is not confined can write where they are
kept, so each has a seal, whose key never leaves the memory of the process. Another process checks again.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.tree.untrusted_files import modified, write_whole
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.gates.gate import Gate, GateReport

KEPT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """One file a verdict; the newest are kept. `setup` belongs to the gates: another one may make another result."""

    folder: Path
    setup: str = ""

    def recall(self, tree: str, gates: Sequence[Gate]) -> GateReport | None:
        """The report, if all these gates have passed on the tree; what cannot be read was never said, and neither was
        what others have written.
        """
        file = self._file(tree, gates)
        try:
            seal, _, told = file.read_bytes().partition(b"\n")
            if not hmac.compare_digest(seal, _seal(file.name, told)):
                return None
            report: GateReport = from_plain(GateReport, json.loads(told))
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return report

    def keep(self, tree: str, gates: Sequence[Gate], report: GateReport) -> None:
        file, told = self._file(tree, gates), json.dumps(to_plain(report)).encode()
        write_whole(file, _seal(file.name, told) + b"\n" + told)
        if len(os.listdir(self.folder)) > 2 * KEPT:  # noqa: PTH208 - every landing waits for this
            oldest = sorted(self.folder.glob("*.json"), key=lambda file: modified(file) or 0.0)[:-KEPT]
            for file in oldest:
                file.unlink(missing_ok=True)

    def _file(self, tree: str, gates: Sequence[Gate]) -> Path:
        asked = json.dumps([self.setup, *(to_plain(gate) for gate in gates)])
        return self.folder / f"{tree}-{hashlib.sha256(asked.encode()).hexdigest()[:16]}.json"


@cache
def _key() -> bytes:
    return secrets.token_bytes(32)


def _seal(name: str, told: bytes) -> bytes:
    """Of the verdict under its name: one on another tree is none on this."""
    return hmac.new(_key(), name.encode() + b"\n" + told, hashlib.sha256).hexdigest().encode()
