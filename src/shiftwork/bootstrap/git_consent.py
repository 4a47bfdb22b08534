"""Which programs and folders named by a git directory the user has agreed to, and a git that uses only those."""

from collections.abc import Mapping
from typing import Final

from shiftwork.adapters.workspace.git.drivers import Pair, Runner, is_agreeable, named_programs
from shiftwork.adapters.workspace.git.git import Git, Identity
from shiftwork.adapters.workspace.git.user_git import user_git
from shiftwork.adapters.workspace.hub.agent_repository import ALTERNATES, borrows
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.hub_setup import hub_of
from shiftwork.config.site import Site
from shiftwork.config.trust.consent_claims import Claim, Command, TrustedFiles
from shiftwork.config.user import user_folder
from shiftwork.search_paths import tool

_EVERYTHING: Final = "SHIFTWORK_TRUST"
"""If this variable is set to anything, the user is not asked for consent."""


def git_claim(site: Site, env: Mapping[str, str]) -> Claim:
    """The programs that the repository's own git settings would run, and the folders whose objects agents could read.
    Raises UnfitRepositoryError if the user cannot agree to them.
    """
    git = Runner(tool("git", env, (site.root, site.cache_home)) or "git", env)
    named = [pair for pair in named_programs(site.whereabouts, git) if is_agreeable(pair)]
    programs = (Command(where=key, text=value) for key, value in named)
    lent = (Command(where=ALTERNATES, text=str(folder), runs=False) for folder in borrows(site.shared / "objects"))
    return Claim(file=site.shared / "config", commands=(*programs, *lent))


def is_agreed(claim: Claim, env: Mapping[str, str]) -> bool:
    return not claim.commands or bool(env.get(_EVERYTHING)) or TrustedFiles(user_folder(env)).trusts(claim)


def git_of_user(site: Site, env: Mapping[str, str]) -> Git:
    """Git in the user's repository, with the programs the user has agreed to."""
    return user_git(
        root=site.root, state=site.state, env=env, trees=(site.cache_home,), agreed=_agreed(git_claim(site, env), env)
    )


async def open_hub_here(site: Site, identity: Identity, env: Mapping[str, str]) -> Hub:
    """The hub of the user's repository, with the programs the user has agreed to."""
    return await hub_of(git_of_user(site, env), state=site.state, cache=site.cache, identity=identity, env=env)


def _agreed(claim: Claim, env: Mapping[str, str]) -> frozenset[Pair]:
    return (
        frozenset((command.where, command.text) for command in claim.commands) if is_agreed(claim, env) else frozenset()
    )
