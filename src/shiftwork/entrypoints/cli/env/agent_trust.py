"""Asks before an agent without a sandbox uses agent settings from the repository.

They name hooks, which are programs, and say where the agent sends its login. An agent asks about them itself when a
person starts it in a folder for the first time, but not when it is started for a run. In a sandbox the hooks run
inside. Without a sandbox the user agrees to the files once, identified by their digests in the commit.
"""

import asyncio
from collections.abc import Collection, Mapping

from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.work.repository import committed_files
from shiftwork.config.agents.kinds import AGENTS
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.entrypoints.cli.env.conditions import Conditions
from shiftwork.entrypoints.cli.env.trust import AGENT_SETTINGS, TRUST, ensure


def agent_claim(site: Site, settings: Settings, env: Mapping[str, str], branch: str) -> Claim:
    """The files that the commit contains, for all agents that may be used."""
    used = {settings.agent.use, *(profile.use for profile in settings.profiles.values())}
    wanted = [path for agent in sorted(used) for path in AGENTS[agent].obeyed_files]
    files = asyncio.run(committed_files(site, env, f"refs/heads/{branch}", wanted)) if wanted else ()
    listed = tuple(Command(where=path, text=f"git object {name}") for path, name in files)
    return Claim(file=site.root / AGENT_SETTINGS, commands=listed)


def ensure_agent(
    site: Site, found: Conditions, env: Mapping[str, str], branch: str, trusted: Collection[str] = ()
) -> None:
    """Returns if no consent is needed or the user agrees; raises TrustError otherwise."""
    if env.get(TRUST):
        return
    claim = agent_claim(site, found.settings, env, branch)
    if claim.commands and asyncio.run(open_sandboxes(site, found.settings, env)).tier == "none":
        ensure(claim, env, trusted)
