"""Opens every port for work, and closes them in order."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import shiftwork
from shiftwork import failpoints
from shiftwork.adapters.attempt_folders import LocalAttemptFolders
from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.engine.in_process import InProcessEngine
from shiftwork.adapters.notebook import FolderNotebook
from shiftwork.adapters.prices import price
from shiftwork.adapters.processes.ending.reaper import HostReaper, end_supervised
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.adapters.specs.open import FileSpecs
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.workspace.gates.canary import GitCanary
from shiftwork.adapters.workspace.gates.gates import GitGates, trees_at_once
from shiftwork.adapters.workspace.gates.protection import GitProtecting
from shiftwork.adapters.workspace.git.changes import GitChanges
from shiftwork.adapters.workspace.git.evidence_reader import GitCommitInspector
from shiftwork.adapters.workspace.hub.agent_repository import lenders
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.tree.setup import Setup
from shiftwork.adapters.workspace.tree.workspaces import GitWorkspaces
from shiftwork.app.loop import bodies, continued_by_messages
from shiftwork.app.runtime.context import Context, Sighting, WorkPolicy, ignore
from shiftwork.app.runtime.git_retry import again
from shiftwork.bootstrap.git_consent import open_hub_here
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import Sandboxes, open_sandboxes
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.bootstrap.state.read_only import open_queries
from shiftwork.bootstrap.work.agents import Place, build_agents
from shiftwork.bootstrap.work.hook_trial import build_commit_hooks
from shiftwork.bootstrap.work.notifications import build_notifiers, notifiers_of_runs
from shiftwork.bootstrap.work.repository import identity_of
from shiftwork.bootstrap.work.setup import build_setup
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import Site, open_state
from shiftwork.domain.landing.commit_style import CommitStyle
from shiftwork.domain.tampering.findings import LaterPolicy
from shiftwork.errors import StoreError
from shiftwork.ports.agent import Agent
from shiftwork.ports.canary import Canary
from shiftwork.ports.changes import Changes, CommitInspector
from shiftwork.ports.clock import Clock
from shiftwork.ports.commit_hooks import CommitHooks
from shiftwork.ports.engine import Bodies, Engine
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.views import LEASE_SECONDS
from shiftwork.ports.workspace import Gates, Repository, Workspaces
from shiftwork.records import dataclass

JOB_FORMAT: Final = "4"
"""Increase this when jobs that an earlier release has stored in the engine mean something else now; the history starts
them again.
"""

_LEAVING_SECONDS: Final = 2.0

_TOOLS_PROGRAM: Final = Path(shiftwork.__file__).parent / "entrypoints" / "mcp" / "__main__.py"


@asynccontextmanager
async def open_context(
    site: Site,
    settings: Settings,
    env: Mapping[str, str],
    *,
    observe: Callable[[Sighting], None] = ignore,
    agents: Mapping[str, Agent] | None = None,
) -> AsyncIterator[Context]:
    """Everything that work needs. On exit, none of its processes is alive, and unfinished work can be resumed.

    `agents` replaces the agent in the settings.
    """
    failpoints.arm(env.get("SHIFTWORK_FAILPOINT", ""))
    open_state(site)
    clock = SystemClock()
    owner = this_owner(clock.executor())
    git = await again(lambda: _open_git(site, settings, env, clock))
    place = Place(env=env, sandbox=git.sandboxes.agents, root=site.root)
    store = open_store(store_address(site), patience=LEASE_SECONDS)
    contexts: list[Context] = []
    try:
        engine = await _open_engine(store_address(site), owner.executor, bodies(lambda: contexts[0]))
        try:
            contexts.append(
                Context(
                    events=store.events,
                    inbox=store.inbox,
                    leases=store.leases,
                    engine=engine,
                    agents=agents or build_agents(settings, place),
                    attempt_folders=LocalAttemptFolders(site.state, toolbox=_toolbox(settings)),
                    notebook=FolderNotebook(site.state),
                    workspaces=git.workspaces,
                    repository=git.repository,
                    gates=git.gates,
                    canary=git.canary,
                    protecting=git.protecting,
                    inspector=git.inspector,
                    changes=git.changes,
                    commit_hooks=git.commit_hooks,
                    specs=FileSpecs(root=site.root),
                    reaper=HostReaper(),
                    clock=clock,
                    work_policy=work_policy_of(settings, site.name),
                    owner=owner,
                    project=site.project,
                    worktree=site.worktree,
                    observe=observe,
                    alive=is_alive,
                    price=price,
                    notifiers=notifiers_of_runs(settings, env),
                    record=open_queries(site, patience=LEASE_SECONDS).profiles,
                )
            )
            async with continued_by_messages(contexts[0]):
                yield contexts[0]
        finally:
            await engine.close()
            git.setup.close()
            # All work has stopped. If the database does not answer, the leases expire by themselves.
            with contextlib.suppress(StoreError, TimeoutError):
                await asyncio.wait_for(store.leases.leave(owner), _LEAVING_SECONDS)
    finally:
        store.close()


async def _open_engine(url: str, executor: str, bodies: Bodies) -> Engine:
    """One process on SQLite needs no engine beside its history; Postgres may have several."""
    if url.startswith("sqlite"):
        return InProcessEngine(bodies)
    from shiftwork.adapters.engine.dbos import DbosEngine, DbosSettings  # noqa: PLC0415 - takes half a second

    return await DbosEngine.open(DbosSettings(name="shiftwork", url=url, executor=executor, version=JOB_FORMAT), bodies)


def leave_nothing() -> None:
    """For a process that exits without closing its ports: end the processes it supervises, if there is time."""
    end_supervised()


async def check_simulation(site: Site, settings: Settings, env: Mapping[str, str]) -> None:
    """Raise any error in the settings or the environment that would prevent opening the ports."""
    open_state(site)
    git = await again(lambda: _open_git(site, settings, env, SystemClock()))
    build_agents(settings, Place(env=env, sandbox=git.sandboxes.agents, root=site.root))
    build_notifiers(settings, env)


def work_policy_of(settings: Settings, project: str = "") -> WorkPolicy:
    everybody = {settings.agent.use: settings.agent, **settings.profiles}
    return WorkPolicy(
        gates=settings.gate_list,
        silence_seconds=60 * settings.agent.silence_minutes,
        time_factor=settings.agent.time_factor,
        output_bytes=int(settings.agent.max_output_mib * 1024 * 1024),
        agent=settings.agent.use,
        model=settings.agent.model,
        models={name: profile.model for name, profile in settings.profiles.items() if profile.model},
        thrifty=frozenset(name for name, profile in everybody.items() if profile.kind.limits_cost),
        toolless=frozenset(name for name, profile in everybody.items() if not profile.offers_tools),
        fallbacks={name: agent.fallback for name, agent in everybody.items() if agent.fallback},
        patience=settings.limits.patience,
        identical_calls=settings.agent.identical_calls,
        landing=settings.landing.policy,
        candidates=tuple(everybody) if settings.agent.choose == "learn" else (),
        protection=settings.proof.protection,
        later_files=LaterPolicy(settings.landing.later_files),
        large_file_mb=settings.landing.large_file_mb,
        project=project,
        commit=CommitStyle(template=settings.commit.message, co_authors=_co_authors(settings)),
    )


def _co_authors(settings: Settings) -> tuple[tuple[str, str], ...]:
    """Each profile's name in a commit, if the settings want agents to be named."""
    if not settings.commit.co_author:
        return ()
    everybody = {settings.agent.use: settings.agent, **settings.profiles}
    return tuple((name, agent.kind.author or f"{name} <agent@localhost>") for name, agent in everybody.items())


def _toolbox(settings: Settings) -> tuple[str, ...]:
    """The tools run on this interpreter; isolated, so that nothing in a workspace is imported, and without `site`: see
    the program itself.
    """
    offered = any(agent.offers_tools for agent in (settings.agent, *settings.profiles.values()))
    return (sys.executable, "-I", "-S", str(_TOOLS_PROGRAM)) if offered else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Git:
    sandboxes: Sandboxes
    setup: Setup
    workspaces: Workspaces
    repository: Repository
    gates: Gates
    canary: Canary
    protecting: Protecting
    inspector: CommitInspector
    changes: Changes
    commit_hooks: CommitHooks


async def _open_git(site: Site, settings: Settings, env: Mapping[str, str], clock: Clock) -> _Git:
    identity = await identity_of(site, env)
    hub = await open_hub_here(site, identity, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    places = asyncio.Semaphore(trees_at_once(settings.landing.at_once))
    gates = GitGates(hub=hub, setup=setup, hosts=frozenset(settings.proof.hosts), places=places)
    return _Git(
        sandboxes=sandboxes,
        setup=setup,
        workspaces=GitWorkspaces(hub=hub, setup=setup),
        repository=GitRepository(hub=hub, clock=clock),
        gates=gates,
        canary=GitCanary(gates=gates),
        protecting=GitProtecting(hub=hub),
        inspector=GitCommitInspector(hub=hub),
        changes=GitChanges(hub=hub),
        commit_hooks=build_commit_hooks(settings, gates, confined=sandboxes.tier != "none"),
    )
