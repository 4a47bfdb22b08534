"""What the `build` of every agent's adapter gets."""

from collections.abc import Mapping
from pathlib import Path

from shiftwork.adapters.agents.login.lender import Lender
from shiftwork.adapters.sandbox.sandbox import OPEN, Sandbox
from shiftwork.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """An agent has either a `program` of its own, with a `lender` for the user's login, or a `command` of the user.
    `env` is all that it sees of the user's environment, and `root` is the repository.
    """

    env: Mapping[str, str]
    program: Path = Path()
    command: str = ""
    lender: Lender = Lender()
    sandbox: Sandbox = OPEN
    root: Path | None = None
