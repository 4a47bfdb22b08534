"""Git as the user runs it in their repository: with their settings, but without programs they have not agreed to."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shiftwork.adapters.workspace.git.directory_check import check_directory
from shiftwork.adapters.workspace.git.drivers import Pair, Runner, is_agreeable, named_programs, own_settings, quietened
from shiftwork.adapters.workspace.git.git import MARK, NEUTRAL, PINNED, PROGRAM, SECONDS, Git, settings_variables
from shiftwork.errors import RepositoryError
from shiftwork.git_folders import Whereabouts, whereabouts
from shiftwork.records import replace
from shiftwork.search_paths import tool, without_folders

_CONFIG_VARIABLES: Final = ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")


_KEPT: Final = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"})


_KEPT_BEGIN: Final = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_LFS_")
"""The user's git variables that are kept: settings files and identity. All others would redirect git."""


def user_git(
    *,
    root: Path,
    state: Path,
    env: Mapping[str, str],
    trees: tuple[Path, ...] = (),
    agreed: frozenset[Pair] = frozenset(),
) -> Git:
    """Git as the user would run it in their repository, with their configuration, but without hooks and gc.

    Their filters (such as LFS) must work where their checkout is moved; for filters from the repository's own settings
    see `drivers`. Hooks are off, because a hook may ask a question, move a branch, or take minutes. File-system
    monitors are off too: anyone who can write to the settings could make us run such a program, and at best it leaves a
    daemon behind. Programs are not searched in the repository or in `trees`.
    """
    apart = (root, *trees)
    anywhere = Git(
        cwd=root,
        program=tool(PROGRAM, env, apart) or PROGRAM,
        seconds=5 * SECONDS,
        agreed=agreed,
        env={**without_folders(_users(env), apart), **PINNED, MARK: str(state)},
        options=(
            *("-c", "core.hooksPath=/dev/null"),
            *("-c", "core.fsmonitor=false"),
            *("-c", "core.commitGraph=false"),
            *("-c", "core.protectHFS=true"),
            *("-c", "core.protectNTFS=true"),
            *("-c", "diff.ignoreSubmodules=all"),
            *("-c", "gc.auto=0"),
            *("-c", "maintenance.auto=false"),
            *("-c", "submodule.recurse=false"),
        ),
    )
    return _within(anywhere, whereabouts(root))


def in_worktree(user: Git, tree: Path, common: Path) -> Git:
    """The same in another worktree. Raises RepositoryError if it does not belong to this repository, because a file in
    a git directory may name any folder as a worktree.
    """
    place = whereabouts(tree)
    if not place.shared.samefile(common):
        raise RepositoryError(
            f"{tree} is listed as a worktree of {common}, and belongs to {place.shared}",
            hint="git worktree list, then git worktree remove",
        )
    return _within(user, place)


def unagreed(user: Git, place: Whereabouts) -> tuple[Pair, ...]:
    """The programs that the repository's own settings name and the user has not agreed to."""
    named = named_programs(place, Runner(user.program, user.env))
    return tuple(pair for pair in named if pair not in user.agreed or not is_agreeable(pair))


def _within(git: Git, place: Whereabouts) -> Git:
    """The same in a checkout, with its current settings."""
    check_directory(place)
    quiet: dict[str, str] = {}
    if stopped := unagreed(git, place):
        quiet = quietened(stopped, own_settings(place, Runner(git.program, git.env)))
    kept = {name: value for name, value in git.env.items() if not name.startswith(_CONFIG_VARIABLES)}
    return replace(git, cwd=place.root, env={**kept, **_placed(place), **settings_variables(quiet)})


def nowhere(git: Git) -> Git:
    """The same outside of any repository, for questions about git itself."""
    return replace(git, cwd=Path(NEUTRAL), env={name: git.env[name] for name in git.env if name not in _PLACES})


def _users(env: Mapping[str, str]) -> dict[str, str]:
    theirs = (name for name in env if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_BEGIN))
    return {name: env[name] for name in theirs}


_PLACES: Final = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE")


def _placed(place: Whereabouts) -> dict[str, str]:
    return dict(zip(_PLACES, map(str, (place.own, place.shared, place.root)), strict=True))
