"""Why the landing queue or the harness refuses work."""

from enum import StrEnum

from shiftwork.domain.core.first_error import without_logs
from shiftwork.records import dataclass


class Refusal(StrEnum):
    """Why a landing was refused."""

    CONFLICT = "conflict"
    GATES = "gates"
    EMPTY = "empty"
    EVIDENCE = "evidence"
    DEPENDENCIES = "dependencies"
    APPROVAL = "approval"
    RESERVED = "reserved"
    LEFT_OUT = "left out"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalText:
    """The text of a refusal: `detail` is for people. `feedback` is for the agent that must repair the work, and empty
    where the agent gets the same text.
    """

    detail: str = ""
    feedback: str = ""

    @property
    def whole(self) -> str:
        """The text for agents with the paths of logs, where people read it too."""
        return self.feedback or self.detail

    @property
    def for_agents(self) -> str:
        """Agents cannot open logs of gates."""
        return without_logs(self.whole)
