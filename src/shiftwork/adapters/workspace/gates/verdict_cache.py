"""A cache of green gate reports by tree, in files beside the hub.

Only green reports: a red result may come from outside the tree (no network, a full disk), and keeping it would refuse
the same work forever. And only those of this process: an unconfined agent can write to these files, so each has a seal,
whose key never leaves the memory of the process. Another process checks again.
"""

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.tree.untrusted_files import modified, write_whole
from shiftwork.domain.core.plain import from_plain, to_plain
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.records import dataclass

KEPT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """One file for each verdict; the newest are kept. `setup` is part of the key, because it may change the result."""

    folder: Path
    setup: str = ""

    def recall(self, tree: str, gates: Sequence[Gate]) -> GateReport | None:
        """The cached report, if all these gates have passed on this tree; None if it is unreadable or another process
        wrote it, because others are not trusted.
        """
        file = self._file(tree, gates)
        try:
            seal, _, data = file.read_bytes().partition(b"\n")
            if not hmac.compare_digest(seal, _seal(file.name, data)):
                return None
            report: GateReport = from_plain(GateReport, json.loads(data))
        except (OSError, ValueError, LookupError, TypeError):
            return None
        return report

    def keep(self, tree: str, gates: Sequence[Gate], report: GateReport) -> None:
        file, data = self._file(tree, gates), json.dumps(to_plain(report)).encode()
        write_whole(file, _seal(file.name, data) + b"\n" + data)
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


def _seal(name: str, data: bytes) -> bytes:
    """Seals the verdict together with its file name, so that it does not count for another tree."""
    return hmac.new(_key(), name.encode() + b"\n" + data, hashlib.sha256).hexdigest().encode()
