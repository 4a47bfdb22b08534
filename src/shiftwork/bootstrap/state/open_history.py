"""The door between: the history and git without the engine, for commands that look deeper or clean up."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
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
from shiftwork.adapters.workspace.git.conflict_forecast import GitRadar
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
from shiftwork.ports.workspace import Gates, Obstacle, Radar, Trials

_HARNESS: Final = Identity(name="Shiftwork", email="shiftwork@localhost")
"""Whose name is on what is kept: nobody has landed it."""

_RADAR_SECONDS: Final = 3.0
"""Who asks where a run stands does not wait longer than that for what is foreseen."""


@asynccontextmanager
async def open_history(site: Site) -> AsyncIterator[EventStore]:
    """The streams of facts; to be opened where the views know of a run, since a database is made otherwise."""
    store = open_store(store_address(site))
    try:
        yield store.events
    finally:
        store.close()


def notebook_of(site: Site) -> Notebook:
    return FolderNotebook(site.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mailbox:
    """What is needed to ask something of a run and to see what comes of it."""

    events: EventStore
    inbox: Inbox
    leases: Leases
    clock: Clock


@asynccontextmanager
async def open_mailbox(site: Site) -> AsyncIterator[Mailbox]:
    """To be opened where the views know of a run, as the history is."""
    store = open_store(store_address(site))
    try:
        yield Mailbox(events=store.events, inbox=store.inbox, leases=store.leases, clock=SystemClock())
    finally:
        store.close()


async def open_changes(site: Site, env: Mapping[str, str]) -> Changes:
    return GitChanges(hub=await _hub(site, env))


async def open_examination(site: Site, settings: Settings, env: Mapping[str, str]) -> tuple[Witness, Protecting, Gates]:
    """What certificates are held against: the repository's objects, and gates that run again though they were green."""
    hub = await _hub(site, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    hosts = frozenset(settings.proof.hosts)
    gates = GitGates(hub=hub, setup=setup, hosts=hosts, recalls=False)
    return GitWitness(hub=hub), GitProtecting(hub=hub), gates


async def files_to_copy(site: Site, env: Mapping[str, str], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """Which untracked files of the checkout the patterns of `.worktreeinclude` match now."""
    return await included(git_of_user(site, env), patterns)


async def run_in_checkout(site: Site, gates: Sequence[Gate], env: Mapping[str, str]) -> GateReport:
    """What the gates say of the user's checkout as it is, with their whole environment and without a sandbox."""
    return await check_in_place(site.root, gates, env)


async def open_trials(site: Site, settings: Settings, env: Mapping[str, str], branch: str) -> Trials:
    """For gates that are red in a gate tree of the branch and green in the user's checkout."""
    hub = await _hub(site, env)
    registries = await registries_in_force(site, settings, env)
    sandboxes = await open_sandboxes(site, settings, env, lenders(hub), registries)
    setup = build_setup(site, settings, env, sandboxes)
    tip = await GitRepository(hub=hub).tip(branch)
    return GitTrials(hub=hub, setup=setup, commit=tip, env=env, own=(SETTINGS_FILE,))


async def open_radar(site: Site, env: Mapping[str, str]) -> Radar:
    """For a run that is being worked on: a hub is made otherwise."""
    hub = await _hub(site, env)
    return GitRadar(hub=replace(hub, git=replace(hub.git, seconds=_RADAR_SECONDS)))


async def obstacle(site: Site, env: Mapping[str, str], branch: str, ref: str) -> Obstacle | None:
    """What keeps what has landed on `ref` from being merged into the branch; None where it has been."""
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
    """What cleaning up needs. The state folder must be there."""
    clock = SystemClock()
    hub = await _hub(site, env)
    store = open_store(store_address(site))
    try:
        yield Broom(
            events=store.events,
            leases=store.leases,
            remains=GitRemains(hub=hub, desks=site.state / "runs", clock=clock),
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
