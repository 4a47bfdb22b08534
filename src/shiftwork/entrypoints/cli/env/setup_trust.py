"""Asks before a setup command that was found, and not configured, runs with the user's rights.

It installs packages, which run scripts: install scripts of npm, pnpm and yarn, build backends and `setup.py` of Python,
build scripts of crates. In a sandbox they run inside. Without a sandbox the user agrees to the command once for each
state of the dependency files, identified by their digests in the commit.
"""

import asyncio
from collections.abc import Collection, Mapping
from typing import Final

from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.work.repository import dependency_files
from shiftwork.config.site import Site
from shiftwork.config.trust.consent_claims import Claim, Command
from shiftwork.entrypoints.cli.env.conditions import Conditions
from shiftwork.entrypoints.cli.env.trust import SETUP_COMMAND, TRUST, ensure

_HEAD: Final = "HEAD"


def setup_claim(site: Site, setup: str, env: Mapping[str, str], branch: str = "") -> Claim:
    files = asyncio.run(dependency_files(site, env, f"refs/heads/{branch}" if branch else _HEAD, setup))
    listed = (Command(where=path, text=f"git object {name}", runs=False) for path, name in files)
    return Claim(file=site.root / SETUP_COMMAND, commands=(Command(where="setup", text=setup), *listed))


def ensure_setup(
    site: Site, found: Conditions, env: Mapping[str, str], branch: str = "", trusted: Collection[str] = ()
) -> None:
    """Returns if no consent is needed or the user agrees; raises TrustError otherwise."""
    if not found.setup or env.get(TRUST):
        return
    if asyncio.run(open_sandboxes(site, found.settings, env)).tier == "none":
        ensure(setup_claim(site, found.setup, env, branch), env, trusted)
