"""Asks before an agent without a sandbox goes by settings of its own that the repository brings.

They name hooks, which are programs, and say where the agent sends its login. Where a person starts an agent in a folder
for the first time, it asks by itself; started for a run, it does not. In a sandbox the hooks run inside. Without one
the user agrees to the files once, known by their digests in the commit.
"""

import asyncio
from collections.abc import Collection, Mapping
from typing import Final

from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.work.repository import committed_files
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.entrypoints.cli.env.conditions import Conditions
from shiftwork.entrypoints.cli.env.trust import AGENT_SETTINGS, TRUST, ensure

_FILES: Final = {
    "claude-code": (".claude/settings.json", ".claude/settings.local.json"),
    "codex": (".codex/config.toml", ".codex/hooks.json"),
}
"""What each agent reads of the folder that it works in, and obeys without asking the model."""


def agent_claim(site: Site, settings: Settings, env: Mapping[str, str], branch: str) -> Claim:
    """Those that the commit has, of all agents that may come to work."""
    used = {settings.agent.use, *(profile.use for profile in settings.profiles.values())}
    wanted = [path for agent in sorted(used) for path in _FILES.get(agent, ())]
    files = asyncio.run(committed_files(site, env, f"refs/heads/{branch}", wanted)) if wanted else ()
    listed = tuple(Command(where=path, text=f"git object {name}") for path, name in files)
    return Claim(file=site.root / AGENT_SETTINGS, commands=listed)


def ensure_agent(
    site: Site, found: Conditions, env: Mapping[str, str], branch: str, trusted: Collection[str] = ()
) -> None:
    """Return if it need not be asked about, or the user agrees; raises TrustError otherwise."""
    if env.get(TRUST):
        return
    claim = agent_claim(site, found.settings, env, branch)
    if claim.commands and asyncio.run(open_sandboxes(site, found.settings, env)).tier == "none":
        ensure(claim, env, trusted)
