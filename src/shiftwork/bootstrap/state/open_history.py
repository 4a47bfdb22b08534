"""The history and git without the engine, for commands that inspect runs or clean up."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from shiftwork.adapters.clock import SystemClock
from shiftwork.adapters.notebook import FolderNotebook
from shiftwork.adapters.processes.ending.reaper import HostReaper
from shiftwork.adapters.processes.host.process_identity import is_alive, this_owner
from shiftwork.adapters.store.open import open_store
from shiftwork.adapters.workspace.gates.checkout_trial import GitTrials, check_in_place
from shiftwork.adapters.workspace.gates.gates import GitGates
from shiftwork.adapters.workspace.gates.protection import GitProtecting
from shiftwork.adapters.workspace.git.changes import GitChanges
from shiftwork.adapters.workspace.git.conflict_forecast import GitConflictForecast
from shiftwork.adapters.workspace.git.evidence_reader import GitWitness
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.agent_repository import lenders
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.hub.leftovers import GitRemains
from shiftwork.adapters.workspace.hub.user_trees import in_the_way
from shiftwork.adapters.workspace.tree.included_files import included
from shiftwork.app.commands.gc import Broom
from shiftwork.bootstrap.git_consent import git_of_user, open_hub_here
from shiftwork.bootstrap.sandbox.registries import registries_in_force
from shiftwork.bootstrap.sandbox.sandboxes import open_sandboxes
from shiftwork.bootstrap.state.database_address import store_address
from shiftwork.bootstrap.work.setup import build_setup
from shiftwork.config.settings.settings import Settings
from shiftwork.config.site import SETTINGS_FILE, Site
from shiftwork.domain.gates.gate import Gate, GateReport
from shiftwork.ports.changes import Changes, Witness
from shiftwork.ports.clock import Clock
from shiftwork.ports.notebook import Notebook
from shiftwork.ports.protecting import Protecting
from shiftwork.ports.store import EventStore, Inbox, Leases
from shiftwork.ports.workspace import ConflictForecast, Gates, Obstacle, Trials
from shiftwork.records import dataclass, replace

_HARNESS: Final = Identity(name="Shiftwork", email="shiftwork@localhost")
"""The author of bundles that are kept: no user has landed them."""

_FORECAST_SECONDS: Final = 3.0
"""How long a status command waits at most for the conflict forecast."""


@asynccontextmanager
async def open_history(site: Site) -> AsyncIterator[EventStore]:
    """The streams of facts; call this only if the views show a run, because it creates a missing database."""
    store = open_store(store_address(site))
    try:
        yield store.events
    finally:
        store.close()


def notebook_of(site: Site) -> Notebook:
    return FolderNotebook(site.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInbox:
    """Everything needed to send a request to a run and to see the result."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    clock: Clock


@asynccontextmanager
async def open_inbox(site: Site) -> AsyncIterator[RunInbox]:
    """Call this only if the views show a run, like `open_history`."""
    store = open_store(store_address(site))
    try:
        yield RunInbox(events=store.events, inbox=store.inbox, leases=store.leases, clock=SystemClock())
    finally:
        store.close()


async def open_changes(site: Site, env: Mapping[str, str]) -> Changes:
    return GitChanges(hub=await _hub(site, env))


async def open_examination(site: Site, settings: Settings, env: Mapping[str, str]) -> tuple[Witness, Protecting, Gates]:
    """To check certificates: the repository's objects, and gates that run again even if they passed before."""
    hub = await _hub(site, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    hosts = frozenset(settings.proof.hosts)
    gates = GitGates(hub=hub, setup=setup, hosts=hosts, recalls=False)
    return GitWitness(hub=hub), GitProtecting(hub=hub), gates


async def files_to_copy(site: Site, env: Mapping[str, str], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The untracked files of the checkout that match the patterns of `.worktreeinclude` now."""
    return await included(git_of_user(site, env), patterns)


async def run_in_checkout(site: Site, gates: Sequence[Gate], env: Mapping[str, str]) -> GateReport:
    """Run the gates in the user's checkout as it is, with the complete environment and without a sandbox."""
    return await check_in_place(site.root, gates, env)


async def open_trials(site: Site, settings: Settings, env: Mapping[str, str], branch: str) -> Trials:
    """For gates that fail in a gate tree of the branch and pass in the user's checkout."""
    hub = await _hub(site, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    tip = await GitRepository(hub=hub).tip(branch)
    return GitTrials(hub=hub, setup=setup, commit=tip, env=env, own=(SETTINGS_FILE,))


async def open_conflict_forecast(site: Site, env: Mapping[str, str]) -> ConflictForecast:
    """Call this only for a run in progress, because it creates a missing hub."""
    hub = await _hub(site, env)
    return GitConflictForecast(hub=replace(hub, git=replace(hub.git, seconds=_FORECAST_SECONDS)))


async def obstacle(site: Site, env: Mapping[str, str], branch: str, ref: str) -> Obstacle | None:
    """What prevents merging `ref` into the branch; None if it is already merged."""
    git = git_of_user(site, env)
    if not (
        await git.run("merge-base", "--is-ancestor", *(f"refs/heads/{name}" for name in (ref, branch)), accept=(0, 1))
    ).code:
        return None
    common = await git.run("rev-parse", "--path-format=absolute", "--git-common-dir")
    found = await in_the_way(git, Path(common.text), branch, ref)
    return replace(found, tree="") if found.tree == str(site.root.resolve()) else found


@asynccontextmanager
async def open_broom(site: Site, env: Mapping[str, str]) -> AsyncIterator[Broom]:
    """Everything that clean-up needs. The state folder must exist."""
    clock = SystemClock()
    hub = await _hub(site, env)
    store = open_store(store_address(site))
    try:
        yield Broom(
            events=store.events,
            leases=store.leases,
            remains=GitRemains(hub=hub, attempt_folders=site.state / "runs", clock=clock),
            reaper=HostReaper(),
            clock=clock,
            owner=this_owner(clock.executor()),
            alive=is_alive,
            project=site.project,
        )
    finally:
        store.close()


async def _hub(site: Site, env: Mapping[str, str]) -> Hub:
    return await open_hub_here(site, _HARNESS, env)
