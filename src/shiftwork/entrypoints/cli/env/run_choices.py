"""The branch, the workflow and the agents that a run uses here."""

import asyncio
from collections.abc import Mapping

from shiftwork.app.runtime.context import WorkPolicy
from shiftwork.bootstrap.work.repository import current_branch, has_branch, is_branch_name
from shiftwork.bootstrap.workflows import Choice, choose
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site
from shiftwork.config.user import user_folder
from shiftwork.domain.workflow.workflow import AUTO, Workflow
from shiftwork.errors import AgentMissingError, UnfitRepositoryError, UsageError
from shiftwork.ports.agent import Agent


def base_branch(site: Site, settings: Settings, env: Mapping[str, str], *, wanted: str = "") -> str:
    """The branch that work starts from: `wanted` if it exists, else the result of `find_base`."""

    async def found() -> str:
        there = wanted and await has_branch(site, env, wanted)
        return wanted if there else await find_base(site, settings, env)

    return asyncio.run(found())


def check_branch(site: Site, env: Mapping[str, str], wanted: str) -> None:
    """Raises UsageError if git does not allow the name for a branch."""
    if wanted and not asyncio.run(is_branch_name(site, env, wanted)):
        raise UsageError(f"{wanted!r} is not a valid branch name", hint="shiftwork run --branch NAME")


async def find_base(site: Site, settings: Settings, env: Mapping[str, str]) -> str:
    """The branch of the settings, else the one checked out; raises UnfitRepositoryError if there is none."""
    wanted = settings.workspace.branch
    if wanted and not await has_branch(site, env, wanted):
        raise UnfitRepositoryError(f"there is no branch {wanted!r} with a commit", hint="git branch --list")
    branch = wanted or await current_branch(site, env)
    if not branch:
        raise UnfitRepositoryError(
            "no branch is checked out (detached HEAD), so there is nothing to land on",
            hint="git switch BRANCH, or name an existing branch: shiftwork run --branch BRANCH",
        )
    return branch


def find_workflow(site: Site, settings: Settings, wanted: str, env: Mapping[str, str]) -> Choice:
    """The requested workflow, by name or path, else that of the settings; raises an error if one of its profiles is
    unknown.
    """
    chosen = choose(wanted or settings.run.workflow or AUTO.id, site.root, user_folder(env))
    known = {settings.agent.use, *settings.profiles}
    for agent in chosen.workflow.agents:
        if agent.profile and agent.profile not in known:
            raise UsageError(
                f"{chosen.workflow.id} assigns the profile {agent.profile!r} to {agent.id}, but the settings do "
                "not define it",
                hint=f"add [profiles.{agent.profile}] to {SETTINGS_FILE}; known are {', '.join(sorted(known))}",
            )
    return chosen


async def ensure_ready(agent: Agent, instead: str) -> str:
    """The agent's version and login, before anything is paid for; if it is not installed, `instead` says how to use
    another agent.
    """
    try:
        return await agent.probe()
    except AgentMissingError as error:
        if not instead:
            raise
        raise AgentMissingError(error.message, hint=f"{instead}; else: {error.hint}") from error


def profiles(agent: str, workflow: Workflow, work_policy: WorkPolicy) -> set[str]:
    """Every profile that may be used, and must be available before the work starts."""
    named = {agent, *(plan.profile for plan in workflow.agents if plan.profile), *work_policy.candidates}
    return named.union(*(work_policy.fallbacks.get(name, ()) for name in named))
