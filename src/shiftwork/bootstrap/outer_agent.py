"""Recognises the sessions of agents, in which nobody can agree to anything: only a person can."""

from collections.abc import Mapping
from typing import Final

from shiftwork.adapters.agents.outer_session import CLAUDE_CODE_SESSION, CODEX_SESSION
from shiftwork.adapters.processes.host.host import MARKER_VARIABLE
from shiftwork.adapters.processes.host.outer_attempt import in_an_attempt

_VARIABLES: Final = tuple(sorted({MARKER_VARIABLE, *CLAUDE_CODE_SESSION, *CODEX_SESSION}))


def agent_session_sign(env: Mapping[str, str]) -> str:
    """What shows that an agent has started this process, in a few words; empty if nothing does.

    An agent that runs with the user's rights can remove every sign, and could write the consent itself as well: this
    keeps it from agreeing by the way, and is no wall. The sandbox is.
    """
    named = next((name for name in _VARIABLES if env.get(name)), "")
    if named:
        return f"{named} is set"
    return "an attempt or a gate of a run has started it" if in_an_attempt() else ""
