"""Which gates of a repository the user allows to leave the sandbox, and how far; stored outside of the repository.

This consent is separate from consent to the repository's settings: neither `shiftwork trust` nor `SHIFTWORK_TRUST`
gives it. It covers the repository at one path, one command line, and one rung.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from shiftwork.config.user import user_folder
from shiftwork.domain.gates.rung import Rung, rung_of
from shiftwork.errors import TrustError

_GATES: Final = "gates"


class GateConsents:
    """The consents for a repository."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self._root = root
        digest = hashlib.sha256(str(root).encode()).hexdigest()[:32]
        self._file = user_folder(env) / "trust" / f"gates-{digest}.json"

    def rungs(self) -> dict[str, Rung]:
        """By command. An unreadable record counts as missing: then the user is asked."""
        found = {command: rung_of(word) for command, word in self._read().items()}
        return {command: rung for command, rung in found.items() if rung is not None and rung.needs_consent}

    def give(self, command: str, rung: Rung) -> None:
        """Consent to a rung; a rung that needs no consent withdraws an earlier consent."""
        kept = {name: other.word for name, other in self.rungs().items() if name != command}
        if rung.needs_consent:
            kept[command] = rung.word
        partial = self._file.with_suffix(".new")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            partial.write_text(json.dumps({"repository": str(self._root), _GATES: kept}, indent=2) + "\n", "utf-8")
            partial.replace(self._file)
        except OSError as error:
            message = f"your consent cannot be saved in {self._file.parent}: {error.strerror}"
            raise TrustError(
                message, hint="see who owns that folder, or set SHIFTWORK_CONFIG_HOME to another"
            ) from error

    def _read(self) -> dict[str, str]:
        try:
            document: Any = json.loads(self._file.read_text(encoding="utf-8"))
            listed = document[_GATES] if document["repository"] == str(self._root) else {}
        except (OSError, ValueError, KeyError, TypeError):
            return {}
        if not isinstance(listed, dict):
            return {}
        return {str(command): word for command, word in listed.items() if isinstance(word, str)}
