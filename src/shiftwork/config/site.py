"""Where we are: the repository, its state folder and its databases. Quick, because every command asks it first."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from shiftwork.bounded import UnreadableError, read_text
from shiftwork.config import project
from shiftwork.config.user import own_folder
from shiftwork.errors import NoRepositoryError, SettingsError, StateError
from shiftwork.git_folders import Whereabouts, whereabouts
from shiftwork.search_paths import relative_elements, without_relative

SETTINGS_FILE: Final = "shiftwork.toml"
LEFTOVER: Final = ".shiftwork"
"""Where state once lay, in the checkout. Nothing there is read: a clone can bring one."""
STORE_URL: Final = "SHIFTWORK_STORE_URL"
ENGINE_URL: Final = "SHIFTWORK_ENGINE_URL"
CACHE_HOME: Final = "SHIFTWORK_CACHE_HOME"
STATE_HOME: Final = "SHIFTWORK_STATE_HOME"

LARGEST: Final = 1 << 20
"""How many bytes a settings file may have."""

_STORE: Final = "state.db"


def environment() -> dict[str, str]:
    """A copy of the process's environment, without relative and empty elements of search paths: the only reading of it
    in the product.
    """
    return without_relative(os.environ)  # noqa: TID251 - this is the one home of the environment


def left_out() -> dict[str, tuple[str, ...]]:
    """The elements of search paths that `environment` does not have, by variable."""
    return relative_elements(os.environ)  # noqa: TID251 - as above


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A repository that shiftwork works on; `claimed` says that its own file names the database.

    `shared` is the git directory that all worktrees of the repository share, and `worktree` the name of a linked one.
    In `shared` lies the `state`: neither a commit nor a clone brings anything there. Working trees lie below
    `cache_home`, outside of the repository: a tool that looks for its configuration in the folders above must not find
    the user's. Projects are registered below `state_home`.
    """

    root: Path
    shared: Path
    worktree: str
    cache_home: Path
    state_home: Path
    store_url: str
    engine_url: str
    claimed: bool = False

    @property
    def whereabouts(self) -> Whereabouts:
        return Whereabouts(root=self.root, shared=self.shared, worktree=self.worktree)

    @property
    def state(self) -> Path:
        return self.whereabouts.state

    @property
    def standing(self) -> project.Standing:
        """Whether the state is this user's: nothing of it may be read otherwise."""
        return project.standing(self.whereabouts, self.state_home)

    @property
    def own_store(self) -> Path:
        """The file in which the history is where nobody says otherwise."""
        return self.state / _STORE

    @property
    def stores_itself(self) -> bool:
        """Whether the history is in the state folder."""
        return self.store_url == f"sqlite:///{self.own_store}"

    @property
    def project(self) -> str:
        """The id of the project, which all worktrees of a repository share; it is made where there is none yet. Raises
        StateError where there is state that is not this user's.
        """
        return project.claimed(self.whereabouts, self.state_home)

    @property
    def known_project(self) -> str:
        """The same for those who only look: empty where nothing can have been run yet."""
        return project.known(self.whereabouts, self.state_home)

    @property
    def cache(self) -> Path:
        """The project's own folder there; links are resolved, because paths are compared and rewritten."""
        return Path(os.path.realpath(self.cache_home)) / self.project


def find_site(start: Path, env: Mapping[str, str], *, reading: bool = True) -> Site:
    """Without `reading`, what the settings file may say of the database is left aside: it cannot be read."""
    root = _root(start.resolve())
    place = whereabouts(root)
    project.standing(place, state_home(env))  # raises where that is nothing to be believed
    given, named = env.get(STORE_URL, ""), _store_url(root) if reading else ""
    url = given or named
    return Site(
        root=root,
        shared=place.shared,
        worktree=place.worktree,
        cache_home=cache_home(env),
        state_home=state_home(env),
        store_url=url or f"sqlite:///{place.state / _STORE}",
        engine_url=env.get(ENGINE_URL) or url or f"sqlite:///{place.state}/engine.db",
        claimed=bool(named and not given),
    )


def cache_home(env: Mapping[str, str]) -> Path:
    """Where working trees and environments are kept: `SHIFTWORK_CACHE_HOME`, else the user's cache folder."""
    return own_folder(_home(env, CACHE_HOME, "Caches", "XDG_CACHE_HOME", ".cache"), CACHE_HOME, shared=True)


def state_home(env: Mapping[str, str]) -> Path:
    """Where projects and what they lease on this machine are registered: `SHIFTWORK_STATE_HOME`, else the user's folder
    for such state.
    """
    return own_folder(_home(env, STATE_HOME, "Application Support", "XDG_STATE_HOME", ".local/state"), STATE_HOME)


def _home(env: Mapping[str, str], own: str, library: str, variable: str, usual: str) -> Path:
    """The folder that `own` names; else the user's for such files: in the `library` on macOS, elsewhere where the
    `variable` of the desktop says, or at the `usual` place.
    """
    if given := env.get(own):
        return Path(given)
    home = Path(env.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / library / "shiftwork"
    given = env.get(variable, "")
    return (Path(given) if given.startswith("/") else home / usual) / "shiftwork"


def _root(start: Path) -> Path:
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir():
            raise _bare(folder)
    raise NoRepositoryError(
        f"{start} is not inside a git repository",
        hint="cd to a repository, or make one here: git init && git add -A && git commit --allow-empty -m start",
    )


def _bare(folder: Path) -> NoRepositoryError:
    from shlex import quote  # noqa: PLC0415 - only a mistake pays for it

    there = quote(f"{folder.with_suffix('')}-checkout")
    told = f"{folder} cannot be worked on: it is bare: it has no checkout"
    return NoRepositoryError(told, hint=f"git clone {quote(str(folder))} {there} && cd {there}")


def _store_url(root: Path) -> str:
    table = read_toml(root / SETTINGS_FILE).get("store")
    url = table.get("url") if isinstance(table, dict) else None
    return url if isinstance(url, str) else ""


def read_toml(path: Path) -> dict[str, Any]:
    """A settings file, empty where there is none. Raises SettingsError where it is none to be read: a pipe would be
    waited for, and a device never ends.
    """
    if not path.exists():
        return {}
    import tomllib  # noqa: PLC0415 - a repository without settings is looked at without it

    try:
        return tomllib.loads(read_text(path, LARGEST))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, UnreadableError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise SettingsError(f"{path} cannot be read: {reason}", hint="correct the file; it is TOML") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}", hint=f"see who may: ls -l {path}") from None


def _close(folder: Path) -> None:
    """For its user alone, also where it was made by something else: workspaces hold copies of the user's own files."""
    if folder.stat().st_uid != os.geteuid():
        reason = f"{folder} is another user's, and nothing is put there"
        raise StateError(reason, hint=f"see whose: ls -ld {folder}; or set {CACHE_HOME} to a folder of yours")
    folder.chmod(0o700)


def open_state(site: Site) -> None:
    """Make the state folder and the cache folder of the project, for its user alone. Raises StateError where there is
    state that is not this user's, or a link in it: the harness makes none.
    """
    site.cache.mkdir(parents=True, exist_ok=True, mode=0o700)
    _close(site.cache)
    site.state.chmod(0o700)
    with os.scandir(site.state) as entries:
        if link := next((entry.path for entry in entries if entry.is_symlink()), ""):
            reason = f"{link} is a link, and shiftwork makes none there: it is not followed"
            raise StateError(reason, hint=f"see where it leads: ls -l {link}; then remove it")
