"""Git without the engine, for commands that inspect runs or clean up."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.changes import GitChanges
from shiftwork.adapters.workspace.git.conflict_forecast import GitConflictForecast
from shiftwork.adapters.workspace.git.git import Identity
from shiftwork.adapters.workspace.hub.hub import Hub
from shiftwork.adapters.workspace.hub.hub_setup import git_of_hub, hub_as_it_is
from shiftwork.adapters.workspace.hub.landing import GitRepository
from shiftwork.adapters.workspace.hub.missing_work import has_all, missing_work
from shiftwork.adapters.workspace.hub.user_trees import in_the_way
from shiftwork.adapters.workspace.tree.included_files import included
from shiftwork.bootstrap.git_consent import git_of_user, open_hub_here
from shiftwork.config.site import Site
from shiftwork.domain.core.ids import Commit
from shiftwork.domain.core.landed_work import LandedWork
from shiftwork.domain.landing.obstacle import Obstacle
from shiftwork.errors import BranchGoneError, RepositoryError
from shiftwork.ports.changes import Changes
from shiftwork.ports.workspace import ConflictForecast
from shiftwork.records import replace

_HARNESS: Final = Identity(name="Shiftwork", email="shiftwork@localhost")
"""The author of bundles that are kept: no user has landed them."""

_LOOK_SECONDS: Final = 5.0
"""How long a command that only reads waits at most for one git that looks for landed work."""

_FORECAST_SECONDS: Final = 3.0
"""How long a status command waits at most for the conflict forecast."""


async def open_changes(site: Site, env: Mapping[str, str]) -> Changes:
    found = hub_as_it_is(git_of_user(site, env), state=site.state, cache=site.cache, identity=_HARNESS, env=env)
    return GitChanges(hub=found or await open_hub(site, env))


async def files_to_copy(site: Site, env: Mapping[str, str], patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The untracked files of the checkout that match the patterns of `.worktreeinclude` now."""
    return await included(git_of_user(site, env), patterns)


async def open_conflict_forecast(site: Site, env: Mapping[str, str]) -> ConflictForecast:
    """Call this only for a run in progress, because it creates a missing hub."""
    hub = await open_hub(site, env)
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


async def missing_landed(
    site: Site, env: Mapping[str, str], branch: str, works: Sequence[LandedWork]
) -> frozenset[Commit]:
    """The commits of these works that the branch no longer has; none where it does not exist."""
    if not works:
        return frozenset()
    try:
        return await GitRepository(hub=await open_hub(site, env)).find_missing(branch, works)
    except BranchGoneError:
        return frozenset()


async def has_landed(site: Site, env: Mapping[str, str], tips: Sequence[str], commits: Sequence[str]) -> bool:
    """Whether these tips contain the commits, by a single git."""
    found = git_of_hub(site.whereabouts, state=site.state, cache=site.cache, identity=_HARNESS, env=env)
    return found is not None and await has_all(replace(found[0], seconds=_LOOK_SECONDS), tips, commits)


async def missing_at(
    site: Site, env: Mapping[str, str], tips: Sequence[Commit], works: Sequence[LandedWork]
) -> frozenset[Commit]:
    """The commits of these works that none of the tips has. Moves no branch."""
    hub = hub_as_it_is(git_of_user(site, env), state=site.state, cache=site.cache, identity=_HARNESS, env=env)
    if hub is None:
        raise RepositoryError("the copy of the repository's commits cannot be read as it is", hint="shiftwork doctor")
    hub = replace(hub, git=replace(hub.git, seconds=_LOOK_SECONDS))
    found = [await missing_work(hub, tip, works) for tip in tips]
    return found[0].intersection(*found[1:])


async def open_hub(site: Site, env: Mapping[str, str]) -> Hub:
    return await open_hub_here(site, _HARNESS, env)
