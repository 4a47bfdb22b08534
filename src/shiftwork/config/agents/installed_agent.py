"""Which agent is installed on this machine, if the default is not."""

import shutil
from collections.abc import Mapping

from shiftwork.config.agents.kinds import AGENTS, DEFAULT_AGENT


def agent_instead(env: Mapping[str, str]) -> str:
    """The first agent whose program is found; empty if the default's is, or if none is."""
    programs = {name: kind.program for name, kind in AGENTS.items() if kind.program}
    found = [name for name, program in programs.items() if shutil.which(program, path=env.get("PATH", ""))]
    return "" if not found or DEFAULT_AGENT in found else found[0]
